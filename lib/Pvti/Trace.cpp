// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trace points to a file, as they come: a JSON list in the trace event form
// that Perfetto and browsers' tracing pages read. The file begins with the
// first trace point. PVTI_OPTIONS says whether there is one and where; with
// options that cannot be read the program is told so once, and runs without a
// trace.

#include <pvti/pvti.hpp>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>

namespace pvti {

namespace {

using Json = nlohmann::json;

struct Options {
  bool enable = false;
  std::string directory = ".";
  std::string fileName = "trace-" + std::to_string(getpid()) + ".pvti";
};

/// A value may be a string or what the string would say.
std::string textOf(const Json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

Options readOptions() {
  Options options;
  const char *text = std::getenv("PVTI_OPTIONS");
  if (!text || !*text)
    return options;
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) {
    std::cerr << "pvti: PVTI_OPTIONS is not a JSON object; nothing is traced\n";
    return options;
  }
  for (const auto &[key, value] : json.items()) {
    if (key == "enable")
      options.enable = textOf(value) == "true" || textOf(value) == "1";
    else if (key == "directory")
      options.directory = textOf(value);
    else if (key == "filename")
      options.fileName = textOf(value);
    else
      std::cerr << "pvti: PVTI_OPTIONS: there is no option '" << key
                << "'; the options are enable, directory, filename\n";
  }
  return options;
}

/// Threads by the order in which they come.
unsigned threadNumber() {
  static std::atomic<unsigned> next{0};
  thread_local const unsigned number = next++;
  return number;
}

class Trace {
public:
  explicit Trace(const Options &options)
      : file(options.directory + "/" + options.fileName) {
    file << '[';
    if (!file)
      std::cerr << "pvti: cannot write '" << options.directory << "/"
                << options.fileName << "'; nothing is traced\n";
  }
  ~Trace() { file << "\n]\n"; }

  void add(char phase, const TraceChannel *channel, const std::string &label) {
    const auto now = std::chrono::steady_clock::now() - start;
    const Json event = {
        {"name", label},
        {"cat", channel ? channel->name() : std::string()},
        {"ph", std::string(1, phase)},
        {"ts", std::chrono::duration<double, std::micro>(now).count()},
        {"pid", getpid()},
        {"tid", threadNumber()}};
    const std::lock_guard<std::mutex> lock(mutex);
    file << (isFirst ? "\n" : ",\n")
         << event.dump(-1, ' ', false, Json::error_handler_t::replace);
    isFirst = false;
  }

private:
  std::mutex mutex;
  std::ofstream file;
  bool isFirst = true;
  const std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// Null if nothing is to be traced.
Trace *theTrace() {
  static const std::unique_ptr<Trace> trace = [] {
    const Options options = readOptions();
    return options.enable ? std::make_unique<Trace>(options) : nullptr;
  }();
  return trace.get();
}

} // namespace

void Tracepoint::begin(TraceChannel *channel, const std::string &label) {
  if (Trace *trace = theTrace())
    trace->add('B', channel, label);
}

void Tracepoint::end(TraceChannel *channel, const std::string &label) {
  if (Trace *trace = theTrace())
    trace->add('E', channel, label);
}

} // namespace pvti
