// The C++ wrapper: ownership, callbacks, exceptions, tokens that outlive their agent.
#include <toolreeve.hpp>

#include <thread>
#include <type_traits>
#include <vector>

#include "host.h"

using toolreeve::Agent;
using toolreeve::Builder;

static_assert(!std::is_copy_constructible_v<Agent> && std::is_nothrow_move_constructible_v<Agent>);
static_assert(!std::is_copy_constructible_v<Builder> && std::is_nothrow_move_constructible_v<Builder>);

namespace {

const char *const CONFIG = R"({"rules":{"allow":["Echo"],"ask":["Asked"]}})";
const char *const ASKED_TOOL = R"({"name":"Asked","input_schema":{"type":"object"}})";

std::string owned(char *text) {
  std::string copy(text);
  free(text);
  return copy;
}

// A model that plays turns, as a std::function with state of its own.
toolreeve::ModelFunction playing(std::vector<std::string> turns) {
  return [turns, next = std::size_t{0}](toolreeve::ModelRequest request, std::string_view json) mutable {
    CHECK(toolreeve::json_get(json, "/messages/0/role") == "\"user\"");
    CHECK(request.push(turns.at(next++)));
    CHECK(request.end());
  };
}

// Runs to the end and gives all events.
std::string all_events(Agent &agent) {
  std::uint64_t run = agent.run("go");
  std::string log;
  for (;;) {
    toolreeve::Event event = agent.wait_event();
    CHECK(event.run == run);
    log += event.json + "\n";
    if (toolreeve::json_text(event.json, "/type") == "done") return log;
  }
}

void an_agent_answers_and_moves() {
  Agent first = Builder("{}").model(playing({owned(say("hello"))})).build();
  Agent second = std::move(first);
  CHECK(first.get() == nullptr);
  std::string log = all_events(second);
  CHECK_HAS(log.c_str(), "hello");
  CHECK_HAS(second.messages().c_str(), "hello");
  first = std::move(second);
  CHECK(first.fd() >= 0 && !first.wait(std::chrono::milliseconds(0)));
}

void failures_are_exceptions_with_a_code() {
  try {
    Agent agent(R"({"nonsense":1})");
    CHECK(!"reached");
  } catch (const toolreeve::Error &error) {
    CHECK_STATUS(error.code(), TOOLREEVE_STATUS_INVALID_CONFIG);
    CHECK_HAS(error.what(), "nonsense");
  }
  Agent agent;
  try {
    agent.check("Nothing", "{}");
    CHECK(!"reached");
  } catch (const toolreeve::Error &error) {
    CHECK_STATUS(error.code(), TOOLREEVE_STATUS_INVALID_CALL);
  }
  Agent moved = std::move(agent);
  try {
    agent.dispatch();
    CHECK(!"reached");
  } catch (const toolreeve::Error &error) {
    CHECK_STATUS(error.code(), TOOLREEVE_STATUS_NULL_POINTER);
  }
}

void tools_answer_at_once_later_and_with_exceptions() {
  std::thread later;
  Agent agent =
      Builder(CONFIG)
          .model(playing({owned(want("Echo", R"({"text":"at once"})")), owned(want("Echo", R"({"text":"later"})")),
                          owned(want("Echo", R"({"text":"throw"})")), owned(say("thanks"))}))
          .tool(ECHO_TOOL,
                [&later](toolreeve::ToolRequest request, std::string_view, std::string_view input) {
                  std::string text = toolreeve::json_text(input, "/text").value();
                  if (text == "throw") throw std::runtime_error("out of ink");
                  if (text == "at once") {
                    CHECK(request.progress("1"));
                    CHECK(request.answer("done " + text));
                    CHECK(!request.answer("twice"));
                  } else {
                    later = std::thread([request, text] { CHECK(request.answer_json("\"done " + text + "\"")); });
                  }
                })
          .build();
  std::string log = all_events(agent);
  later.join();
  CHECK_HAS(log.c_str(), "done at once");
  CHECK_HAS(log.c_str(), "done later");
  CHECK_HAS(log.c_str(), "out of ink");
}

void permissions_and_hooks_that_throw_do_not_open_the_door() {
  int asked = 0, ran = 0;
  Agent agent = Builder(CONFIG)
                    .model(playing({owned(want("Asked", "{}")), owned(want("Asked", "{}")), owned(say("well"))}))
                    .tool(ASKED_TOOL,
                          [&](toolreeve::ToolRequest request, std::string_view, std::string_view) {
                            ran++;
                            request.answer("ran");
                          })
                    .permission([&](toolreeve::PermissionRequest request, std::string_view) {
                      if (asked++ == 0) throw std::runtime_error("the dialog broke");
                      request.allow();
                    })
                    .hook(R"({"event":"PreToolUse"})",
                          [](toolreeve::HookRequest, std::string_view) { throw 1; })
                    .build();
  std::string log = all_events(agent);
  CHECK(asked == 2 && ran == 1);
  CHECK_HAS(log.c_str(), "the dialog broke");
}

void a_classifier_answers_and_one_that_throws_is_unsure() {
  int judged = 0, ran = 0;
  const char *tool = R"({"name":"Judged","input_schema":{"type":"object"},"classifier_fields":["text"]})";
  Agent agent = Builder(R"({"mode":"auto"})")
                    .model(playing({owned(want("Judged", R"({"text":"a"})")), owned(want("Judged", R"({"text":"b"})")),
                                    owned(say("well"))}))
                    .tool(tool,
                          [&](toolreeve::ToolRequest request, std::string_view, std::string_view) {
                            ran++;
                            request.answer("ran");
                          })
                    .classifier([&](toolreeve::ClassifierRequest request, std::string_view) {
                      if (judged++ == 0) throw std::runtime_error("no model");
                      request.answer_json(R"({"verdict":"allow"})");
                    })
                    .build();
  std::string log = all_events(agent);
  CHECK(judged == 2 && ran == 1);
  CHECK_HAS(log.c_str(), "nobody to ask");
}

void what_an_event_callback_throws_comes_out_of_dispatch() {
  int heard = 0;
  Agent agent = Builder().model(playing({owned(say("hello"))})).events([&](std::uint64_t, std::string_view) {
    heard++;
    throw std::runtime_error("no room");
  }).build();
  (void)agent.run("go");
  CHECK(agent.wait());
  try {
    agent.dispatch();
    CHECK(!"reached");
  } catch (const std::runtime_error &error) {
    CHECK_HAS(error.what(), "no room");
  }
  CHECK(heard > 0);
}

void callbacks_are_destroyed_with_the_agent() {
  auto witness = std::make_shared<int>(0);
  {
    Agent agent = Builder().events([witness](std::uint64_t, std::string_view) {}).build();
    CHECK(witness.use_count() == 2);
    try {
      Builder builder;
      builder.tool("garbage", [witness](toolreeve::ToolRequest, std::string_view, std::string_view) {});
      CHECK(!"reached");
    } catch (const toolreeve::Error &error) {
      CHECK_STATUS(error.code(), TOOLREEVE_STATUS_INVALID_JSON);
    }
  }
  CHECK(witness.use_count() == 1);
}

void a_token_may_outlive_its_agent() {
  std::optional<toolreeve::ModelRequest> kept;
  {
    Agent agent = Builder().model([&](toolreeve::ModelRequest request, std::string_view) { kept = request; }).build();
    (void)agent.run("go");
    while (!kept && agent.wait()) agent.dispatch();
  }
  CHECK(kept && !kept->push("late") && !kept->end());
}

void calls_and_commands_are_judged() {
  Agent agent;
  std::uint64_t run = agent.call(R"([{"id":"a","name":"Nothing","input":{}}])");
  while (toolreeve::json_text(agent.wait_event().json, "/type") != "done") {
  }
  CHECK_HAS(agent.results(run).value().c_str(), "\"tool_use_id\":\"a\"");
  CHECK_HAS(toolreeve::check(R"({"command":"ls"})").c_str(), "\"behavior\":\"allow\"");
  CHECK(toolreeve::json_quote("a\"b") == "\"a\\\"b\"");
  CHECK(!toolreeve::json_get("{}", "/a"));
}

}  // namespace

int main() {
  RUN(an_agent_answers_and_moves);
  RUN(failures_are_exceptions_with_a_code);
  RUN(tools_answer_at_once_later_and_with_exceptions);
  RUN(permissions_and_hooks_that_throw_do_not_open_the_door);
  RUN(a_classifier_answers_and_one_that_throws_is_unsure);
  RUN(what_an_event_callback_throws_comes_out_of_dispatch);
  RUN(callbacks_are_destroyed_with_the_agent);
  RUN(a_token_may_outlive_its_agent);
  RUN(calls_and_commands_are_judged);
  return finish_tests();
}
