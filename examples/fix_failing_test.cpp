// A recorded model fixes a failing test: the main job of toolreeve, driven from C++.
//
// usage: fix_failing_test RECORDING WORKSPACE [RESULTS]. RECORDING is examples/fix_failing_test, WORKSPACE a copy of its
// project (see prepare.py), RESULTS a file for the tool results as JSON. The same program exists in Rust, Python and C.
//
// The recorded model plays on a thread of its own; callbacks and events run on the main thread, inside of dispatch. A
// program with a JSON library would use that instead of toolreeve::json_get and toolreeve::json_text.
#include <chrono>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <toolreeve.hpp>
#include <vector>

namespace {

std::string read_file(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A string or any other value of a JSON text; empty if there is none.
std::string text_at(std::string_view json, std::string_view pointer) {
  std::string value = toolreeve::json_get(json, pointer).value_or("");
  return !value.empty() && value.front() == '"' ? toolreeve::json_text(json, pointer).value() : value;
}

std::string first_line(const std::string &text) { return text.substr(0, text.find('\n')); }

// Plays turn-1.sse, turn-2.sse and so on, one for each request, event by event.
class Recording {
 public:
  Recording(std::string folder, std::chrono::milliseconds pace) : folder_(std::move(folder)), pace_(pace) {}
  ~Recording() {
    for (std::thread &thread : threads_) thread.join();
  }

  void answer(toolreeve::ModelRequest request) {
    std::string stream = read_file(folder_ + "/turn-" + std::to_string(++turn_) + ".sse");
    threads_.emplace_back([request, stream = std::move(stream), pace = pace_] {
      for (std::size_t at = 0, end; at < stream.size(); at = end) {
        std::size_t gap = stream.find("\n\n", at);
        end = gap == std::string::npos ? stream.size() : gap + 2;
        std::this_thread::sleep_for(pace);
        if (!request.push(std::string_view(stream).substr(at, end - at))) return;
      }
      request.end();
    });
  }

 private:
  std::string folder_;
  std::chrono::milliseconds pace_;
  int turn_ = 0;
  std::vector<std::thread> threads_;
};

// The person: runs of the project's tests are fine, nothing else is.
void ask_person(toolreeve::PermissionRequest request, std::string_view json) {
  bool is_test_run =
      text_at(json, "/tool_name") == "Bash" && text_at(json, "/input/command") == "python3 run_tests.py";
  if (is_test_run) {
    request.allow();
  } else {
    request.deny("Only the project's tests may be run.");
  }
}

// One line for an event; empty for those that only matter to machines.
std::string describe(std::string_view event) {
  auto value = [event](std::string_view pointer) { return text_at(event, pointer); };
  std::string type = value("/type");
  if (type == "turn_start") return "-- turn " + value("/turn");
  if (type == "tool_use") return value("/id") + " asks for " + value("/name") + " " + value("/input");
  if (type == "tool_start") {
    bool early = value("/while_streaming") == "true";
    return value("/id") + " starts " + (early ? "while the model still streams" : "after the stream");
  }
  if (type == "permission") {
    return value("/id") + " " + value("/decision/behavior") + ": " + value("/decision/reason/message");
  }
  if (type == "tool_result") {
    bool failed = value("/is_error") == "true";
    return value("/tool_use_id") + (failed ? " failed: " : " done: ") + first_line(value("/content"));
  }
  if (type == "error") return "error " + value("/kind") + ": " + value("/message");
  if (type == "done") return "-- " + value("/subtype") + " after " + value("/turns") + " turns";
  return "";
}

// A result as the model reads it: the id, the content and, if it is one, the error.
std::string result_of(std::string_view event) {
  std::string is_error = toolreeve::json_get(event, "/is_error").value_or("false");
  return "{\"tool_use_id\":" + toolreeve::json_get(event, "/tool_use_id").value() +
         ",\"content\":" + toolreeve::json_get(event, "/content").value() +
         (is_error == "true" ? ",\"is_error\":true}" : "}");
}

int run(const std::string &folder, const std::string &workspace, const char *results_path) {
  std::string pace = toolreeve::json_get(read_file(folder + "/pace.json"), "/milliseconds_per_event").value();
  std::string settings = read_file(folder + "/settings.json");
  Recording recording(folder, std::chrono::milliseconds(std::stol(pace)));

  std::string config = "{\"cwd\":" + toolreeve::json_quote(workspace) + ",\"settings\":" + settings + "}";
  toolreeve::Agent agent =
      toolreeve::Builder(config)
          .model([&recording](toolreeve::ModelRequest request, std::string_view) { recording.answer(request); })
          .permission(ask_person)
          .build();
  auto start = std::chrono::steady_clock::now();
  (void)agent.run(first_line(read_file(folder + "/prompt.txt")));

  std::string results, outcome;
  while (outcome.empty()) {
    toolreeve::Event event = agent.wait_event();
    std::chrono::duration<double> since = std::chrono::steady_clock::now() - start;
    std::string line = describe(event.json), type = text_at(event.json, "/type");
    if (!line.empty()) {
      std::cout << std::fixed << std::setprecision(3) << std::setw(7) << since.count() << " s  " << line << std::endl;
    }
    if (type == "tool_result") results += (results.empty() ? "\n  " : ",\n  ") + result_of(event.json);
    if (type == "done") {
      outcome = text_at(event.json, "/subtype");
      std::cout << "\n" << text_at(event.json, "/result") << std::endl;
    }
  }
  if (results_path != nullptr) std::ofstream(results_path) << "[" << results << "\n]\n";
  return outcome == "success" ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::cerr << "usage: fix_failing_test RECORDING WORKSPACE [RESULTS]\n";
    return 1;
  }
  try {
    return run(argv[1], argv[2], argc > 3 ? argv[3] : nullptr);
  } catch (const std::exception &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
