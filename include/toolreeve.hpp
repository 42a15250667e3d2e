// toolreeve for C++17: a thin layer over toolreeve.h that owns what is to be freed. Header only.
//
// Handles are move-only and freed by their destructors. Callbacks are std::function objects; they get small request
// tokens that may be copied, kept, and answered later from any thread. A token whose agent is gone answers with false.
//
// Failures are exceptions of type toolreeve::Error, with the status as code(). What is no failure is a return value:
// whether an answer was still wanted (bool), whether there is an event (std::optional), whether time ran out (bool).
//
// Exceptions that leave a callback never reach the library: a model, tool, permission or hook callback that throws
// fails its request with the words of the exception; what an event or cancel callback throws comes out of
// Agent::dispatch.
//
// Threads are as toolreeve.h says: callbacks run inside of Agent::dispatch, on its thread; answers come from any thread.
// Text is UTF-8. JSON has the shapes that toolreeve.h tells of.
#ifndef TOOLREEVE_HPP
#define TOOLREEVE_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "toolreeve.h"

namespace toolreeve {

// Something failed; what() is one sentence for people.
class Error : public std::runtime_error {
 public:
  Error(toolreeve_status code, const std::string& message) : std::runtime_error(message), code_(code) {}
  toolreeve_status code() const noexcept { return code_; }

 private:
  toolreeve_status code_;
};

namespace detail {

// Owns an error of the library's. Passed on by reference, so it is read after the call that writes it.
class Words {
 public:
  Words() = default;
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  ~Words() { toolreeve_error_free(error_); }
  toolreeve_error** out() noexcept { return &error_; }
  std::string str(toolreeve_status status) const {
    std::string words = error_ != nullptr ? toolreeve_error_message(error_) : "";
    return words.empty() ? toolreeve_status_name(status) : words;
  }

 private:
  toolreeve_error* error_ = nullptr;
};

// Throws unless the status is OK.
inline void require(toolreeve_status status, const Words& error = Words()) {
  if (status != TOOLREEVE_STATUS_OK) throw Error(status, error.str(status));
}

// Whether an answer was wanted. An agent that is gone wants none.
inline bool wanted(toolreeve_status status, const Words& error = Words()) {
  if (status == TOOLREEVE_STATUS_NOT_WANTED || status == TOOLREEVE_STATUS_INVALID_HANDLE) return false;
  require(status, error);
  return true;
}

// Owns a text of the library's.
class Text {
 public:
  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { toolreeve_string_free(&text_); }
  toolreeve_string* out() noexcept { return &text_; }
  std::string str() const { return text_.data == nullptr ? std::string() : std::string(text_.data, text_.length); }

 private:
  toolreeve_string text_ = TOOLREEVE_STRING_INIT;
};

// What an event or cancel callback threw, until dispatch gives it to its caller.
struct Thrown {
  std::exception_ptr first;
  void note() noexcept {
    if (!first) first = std::current_exception();
  }
};

template <typename Function>
struct Callback {
  Function function;
  std::shared_ptr<Thrown> thrown;
};

template <typename Function>
void finalize(void* userdata) {
  delete static_cast<Callback<Function>*>(userdata);
}

// The words of the exception that is being handled.
inline std::string words() noexcept {
  try {
    throw;
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "the callback threw something that is no std::exception";
  }
}

}  // namespace detail

// A request to the model. Push the answer, then end it.
struct ModelRequest {
  toolreeve_agent* agent;
  std::uint64_t id;

  // Bytes of a server-sent event stream, cut anywhere. The bool of all answers: whether it was still wanted.
  bool push(std::string_view bytes) const {
    return detail::wanted(toolreeve_model_push(agent, id, bytes.data(), bytes.size()));
  }
  // One event as JSON.
  bool push_event(std::string_view json) const {
    detail::Words error;
    toolreeve_status status = toolreeve_model_push_event(agent, id, json.data(), json.size(), error.out());
    return detail::wanted(status, error);
  }
  bool end() const { return detail::wanted(toolreeve_model_end(agent, id)); }
  bool fail(std::string_view message) const {
    return detail::wanted(toolreeve_model_fail(agent, id, message.data(), message.size()));
  }
};

// A call of a tool of the host's. Answer it once.
struct ToolRequest {
  toolreeve_agent* agent;
  std::uint64_t id;

  bool answer(std::string_view text) const {
    return detail::wanted(toolreeve_tool_answer_text(agent, id, text.data(), text.size()));
  }
  bool answer_json(std::string_view json) const {
    detail::Words error;
    toolreeve_status status = toolreeve_tool_answer(agent, id, json.data(), json.size(), error.out());
    return detail::wanted(status, error);
  }
  bool fail(std::string_view message) const {
    return detail::wanted(toolreeve_tool_fail(agent, id, message.data(), message.size()));
  }
  bool progress(std::string_view json) const {
    detail::Words error;
    toolreeve_status status = toolreeve_tool_progress(agent, id, json.data(), json.size(), error.out());
    return detail::wanted(status, error);
  }
};

// A question to the person. Answer it once.
struct PermissionRequest {
  toolreeve_agent* agent;
  std::uint64_t id;

  bool allow() const { return answer_json(R"({"behavior":"allow"})"); }
  bool deny(std::string_view message) const {
    detail::Text quoted;
    detail::require(toolreeve_json_quote(message.data(), message.size(), quoted.out()));
    return answer_json(R"({"behavior":"deny","message":)" + quoted.str() + "}");
  }
  bool answer_json(std::string_view json) const {
    detail::Words error;
    toolreeve_status status = toolreeve_permission_answer(agent, id, json.data(), json.size(), error.out());
    return detail::wanted(status, error);
  }
};

// A call to judge by its meaning. Answer it once.
struct ClassifierRequest {
  toolreeve_agent* agent;
  std::uint64_t id;

  bool answer_json(std::string_view json) const {
    detail::Words error;
    toolreeve_status status = toolreeve_classifier_answer(agent, id, json.data(), json.size(), error.out());
    return detail::wanted(status, error);
  }
};

// A hook that is to run. Answer it once, in the public shape of hook output.
struct HookRequest {
  toolreeve_agent* agent;
  std::uint64_t id;

  bool answer_json(std::string_view json) const {
    detail::Words error;
    toolreeve_status status = toolreeve_hook_answer(agent, id, json.data(), json.size(), error.out());
    return detail::wanted(status, error);
  }
};

using ModelFunction = std::function<void(ModelRequest request, std::string_view json)>;
using ToolFunction = std::function<void(ToolRequest request, std::string_view tool_use_id, std::string_view input)>;
using PermissionFunction = std::function<void(PermissionRequest request, std::string_view json)>;
using ClassifierFunction = std::function<void(ClassifierRequest request, std::string_view json)>;
using HookFunction = std::function<void(HookRequest request, std::string_view json)>;
using EventFunction = std::function<void(std::uint64_t run, std::string_view json)>;
using CancelFunction = std::function<void(std::uint64_t request_id)>;

// An event that no callback heard.
struct Event {
  std::uint64_t run;
  std::string json;
};

// A conversation with tools.
class Agent {
 public:
  // An agent without callbacks.
  explicit Agent(std::string_view config = {}) {
    detail::Words error;
    detail::require(toolreeve_agent_new(config.data(), config.size(), &agent_, error.out()), error);
  }
  Agent(Agent&& other) noexcept : agent_(std::exchange(other.agent_, nullptr)), thrown_(std::move(other.thrown_)) {}
  Agent& operator=(Agent&& other) noexcept {
    if (this != &other) {
      toolreeve_agent_free(agent_);
      agent_ = std::exchange(other.agent_, nullptr);
      thrown_ = std::move(other.thrown_);
    }
    return *this;
  }
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent() { toolreeve_agent_free(agent_); }

  // The C handle; it stays owned by this object.
  toolreeve_agent* get() const noexcept { return agent_; }

  // Begins to work on a prompt; the last event of the run is `done`.
  [[nodiscard]] std::uint64_t run(std::string_view prompt) const {
    std::uint64_t run = 0;
    detail::Words error;
    detail::require(toolreeve_agent_run(agent_, prompt.data(), prompt.size(), &run, error.out()), error);
    return run;
  }
  // Goes on where a run ended as `deferred`.
  [[nodiscard]] std::uint64_t resume() const {
    std::uint64_t run = 0;
    detail::Words error;
    detail::require(toolreeve_agent_resume(agent_, &run, error.out()), error);
    return run;
  }
  // The questions that were put off: a JSON array of approvals.
  std::string approvals() const {
    detail::Text text;
    detail::Words error;
    detail::require(toolreeve_agent_approvals(agent_, text.out(), error.out()), error);
    return text.str();
  }
  void answer_approval(std::string_view id, std::string_view json) const {
    detail::Words error;
    detail::require(toolreeve_agent_answer_approval(agent_, id.data(), id.size(), json.data(), json.size(), error.out()),
                    error);
  }
  void revoke_approval(std::string_view id) const {
    detail::Words error;
    detail::require(toolreeve_agent_revoke_approval(agent_, id.data(), id.size(), error.out()), error);
  }
  void restore_approval(std::string_view json) const {
    detail::Words error;
    detail::require(toolreeve_agent_restore_approval(agent_, json.data(), json.size(), error.out()), error);
  }
  // Stops a run; whether it was under way.
  bool interrupt(std::uint64_t run) const { return detail::wanted(toolreeve_agent_interrupt(agent_, run)); }

  // The descriptor to watch.
  int fd() const {
    std::int32_t fd = -1;
    detail::require(toolreeve_agent_fd(agent_, &fd));
    return fd;
  }
  // Waits for something to do; whether there is.
  bool wait(std::optional<std::chrono::milliseconds> timeout = std::nullopt) const {
    toolreeve_status status = toolreeve_agent_wait(agent_, timeout ? timeout->count() : -1);
    if (status == TOOLREEVE_STATUS_TIMEOUT || status == TOOLREEVE_STATUS_INTERRUPTED) return false;
    detail::require(status);
    return true;
  }
  // Runs callbacks on this thread, at most `max` or with 0 all that wait; how many ran.
  std::size_t dispatch(std::size_t max = 0) {
    std::size_t handled = 0;
    detail::Words error;
    // A callback may destroy this object, so nothing of it is used afterwards.
    std::shared_ptr<detail::Thrown> thrown = thrown_;
    detail::require(toolreeve_agent_dispatch(agent_, max, &handled, error.out()), error);
    if (thrown && thrown->first) std::rethrow_exception(std::exchange(thrown->first, nullptr));
    return handled;
  }
  // The next event that no callback heard.
  std::optional<Event> next_event() const {
    detail::Text json;
    std::uint64_t run = 0;
    toolreeve_status status = toolreeve_agent_next_event(agent_, &run, json.out());
    if (status == TOOLREEVE_STATUS_EMPTY) return std::nullopt;
    detail::require(status);
    return Event{run, json.str()};
  }
  // Works until there is an event that no callback heard, and gives it.
  Event wait_event() {
    for (;;) {
      if (std::optional<Event> event = next_event()) return std::move(*event);
      if (wait()) dispatch();
    }
  }

  std::string messages() const {
    detail::Text json;
    detail::Words error;
    detail::require(toolreeve_agent_messages(agent_, json.out(), error.out()), error);
    return json.str();
  }
  std::string specs() const {
    detail::Text json;
    detail::Words error;
    detail::require(toolreeve_agent_specs(agent_, json.out(), error.out()), error);
    return json.str();
  }
  std::string check(std::string_view tool, std::string_view input) const {
    detail::Text json;
    detail::Words error;
    toolreeve_status status =
        toolreeve_agent_check(agent_, tool.data(), tool.size(), input.data(), input.size(), json.out(), error.out());
    detail::require(status, error);
    return json.str();
  }
  [[nodiscard]] std::uint64_t call(std::string_view calls) const {
    std::uint64_t run = 0;
    detail::Words error;
    detail::require(toolreeve_agent_call(agent_, calls.data(), calls.size(), &run, error.out()), error);
    return run;
  }
  // The results of a call; nothing before its `done`.
  std::optional<std::string> results(std::uint64_t run) const {
    detail::Text json;
    toolreeve_status status = toolreeve_agent_results(agent_, run, json.out());
    if (status == TOOLREEVE_STATUS_EMPTY) return std::nullopt;
    detail::require(status);
    return json.str();
  }

 private:
  friend class Builder;
  Agent(toolreeve_agent* agent, std::shared_ptr<detail::Thrown> thrown) : agent_(agent), thrown_(std::move(thrown)) {}

  toolreeve_agent* agent_ = nullptr;
  std::shared_ptr<detail::Thrown> thrown_;
};

// An agent in the making: configuration first, then callbacks, then build().
class Builder {
 public:
  explicit Builder(std::string_view config = {}) : thrown_(std::make_shared<detail::Thrown>()) {
    detail::Words error;
    detail::require(toolreeve_builder_new(config.data(), config.size(), &builder_, error.out()), error);
  }
  Builder(Builder&& other) noexcept
      : builder_(std::exchange(other.builder_, nullptr)), thrown_(std::move(other.thrown_)) {}
  Builder& operator=(Builder&& other) noexcept {
    if (this != &other) {
      toolreeve_builder_free(builder_);
      builder_ = std::exchange(other.builder_, nullptr);
      thrown_ = std::move(other.thrown_);
    }
    return *this;
  }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  ~Builder() { toolreeve_builder_free(builder_); }

  Builder& model(ModelFunction function) {
    return request<ModelRequest>(std::move(function), toolreeve_builder_model);
  }
  Builder& permission(PermissionFunction function) {
    return request<PermissionRequest>(std::move(function), toolreeve_builder_permission);
  }
  Builder& classifier(ClassifierFunction function) {
    return request<ClassifierRequest>(std::move(function), toolreeve_builder_classifier);
  }
  Builder& events(EventFunction function) {
    using Held = detail::Callback<EventFunction>;
    auto call = [](void* userdata, toolreeve_agent*, std::uint64_t run, const char* json, std::size_t length) {
      auto* held = static_cast<Held*>(userdata);
      try {
        held->function(run, std::string_view(json, length));
      } catch (...) {
        held->thrown->note();
      }
    };
    void* userdata = new Held{std::move(function), thrown_};
    detail::require(toolreeve_builder_events(builder_, call, userdata, detail::finalize<EventFunction>));
    return *this;
  }
  Builder& cancel(CancelFunction function) {
    using Held = detail::Callback<CancelFunction>;
    auto call = [](void* userdata, toolreeve_agent*, std::uint64_t id) {
      auto* held = static_cast<Held*>(userdata);
      try {
        held->function(id);
      } catch (...) {
        held->thrown->note();
      }
    };
    void* userdata = new Held{std::move(function), thrown_};
    detail::require(toolreeve_builder_cancel(builder_, call, userdata, detail::finalize<CancelFunction>));
    return *this;
  }
  Builder& tool(std::string_view spec, ToolFunction function) {
    using Held = detail::Callback<ToolFunction>;
    auto call = [](void* userdata, toolreeve_agent* agent, std::uint64_t id, const char* tool_use_id,
                   std::size_t tool_use_id_length, const char* input, std::size_t input_length) {
      ToolRequest request{agent, id};
      try {
        static_cast<Held*>(userdata)->function(request, std::string_view(tool_use_id, tool_use_id_length),
                                               std::string_view(input, input_length));
      } catch (...) {
        fail_quietly([&] { request.fail(detail::words()); });
      }
    };
    detail::Words error;
    void* userdata = new Held{std::move(function), thrown_};
    detail::require(toolreeve_builder_add_tool(builder_, spec.data(), spec.size(), call, userdata,
                                               detail::finalize<ToolFunction>, error.out()),
                    error);
    return *this;
  }
  Builder& hook(std::string_view spec, HookFunction function) {
    auto add = [spec](toolreeve_builder* builder, toolreeve_request_fn call, void* userdata,
                      toolreeve_finalizer_fn finalizer) {
      detail::Words error;
      toolreeve_status status =
          toolreeve_builder_add_hook(builder, spec.data(), spec.size(), call, userdata, finalizer, error.out());
      detail::require(status, error);
      return status;
    };
    return request<HookRequest>(std::move(function), add);
  }

  // Makes the agent. Ends the builder, also on failure.
  [[nodiscard]] Agent build() {
    toolreeve_agent* agent = nullptr;
    detail::Words error;
    detail::require(toolreeve_builder_build(std::exchange(builder_, nullptr), &agent, error.out()), error);
    return Agent(agent, thrown_);
  }

 private:
  // Answers after an exception; what goes wrong then has no further way out.
  template <typename Answer>
  static void fail_quietly(Answer answer) noexcept {
    try {
      answer();
    } catch (...) {
    }
  }

  template <typename Request, typename Function, typename Register>
  Builder& request(Function function, Register add) {
    using Held = detail::Callback<Function>;
    auto call = [](void* userdata, toolreeve_agent* agent, std::uint64_t id, const char* json, std::size_t length) {
      Request request{agent, id};
      try {
        static_cast<Held*>(userdata)->function(request, std::string_view(json, length));
      } catch (...) {
        fail_quietly([&] { failed(request); });
      }
    };
    void* userdata = new Held{std::move(function), thrown_};
    detail::require(add(builder_, call, userdata, detail::finalize<Function>));
    return *this;
  }
  static void failed(ModelRequest request) { request.fail(detail::words()); }
  static void failed(PermissionRequest request) { request.deny(detail::words()); }
  static void failed(ClassifierRequest request) { request.answer_json(R"({"verdict":"unsure"})"); }
  // An answer that is none: before a call it makes the person decide.
  static void failed(HookRequest request) { request.answer_json(""); }

  toolreeve_builder* builder_ = nullptr;
  std::shared_ptr<detail::Thrown> thrown_;
};

// Judges a bash command: JSON in, JSON out.
inline std::string check(std::string_view request) {
  detail::Text json;
  detail::require(toolreeve_check(request.data(), request.size(), json.out()));
  return json.str();
}

// The part of a JSON text that a JSON Pointer names, as JSON.
inline std::optional<std::string> json_get(std::string_view json, std::string_view pointer) {
  detail::Text value;
  toolreeve_status status = toolreeve_json_get(json.data(), json.size(), pointer.data(), pointer.size(), value.out());
  if (status == TOOLREEVE_STATUS_EMPTY) return std::nullopt;
  detail::require(status);
  return value.str();
}

// The string there, without quotes and escapes.
inline std::optional<std::string> json_text(std::string_view json, std::string_view pointer) {
  detail::Text value;
  toolreeve_status status = toolreeve_json_text(json.data(), json.size(), pointer.data(), pointer.size(), value.out());
  if (status == TOOLREEVE_STATUS_EMPTY) return std::nullopt;
  detail::require(status);
  return value.str();
}

// A text as a JSON string.
inline std::string json_quote(std::string_view plain) {
  detail::Text quoted;
  detail::require(toolreeve_json_quote(plain.data(), plain.size(), quoted.out()));
  return quoted.str();
}

}  // namespace toolreeve

#endif  // TOOLREEVE_HPP
