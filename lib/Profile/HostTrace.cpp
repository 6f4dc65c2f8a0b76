// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads line by line, because files may be large: each line has one event, a
// JSON object.

#include "lib/Profile/HostTrace.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace populus::profile {

namespace {

using Json = nlohmann::json;

class Reader {
public:
  explicit Reader(const std::string &path) : path(path) {
    trace.name = path.substr(path.rfind('/') + 1);
  }

  HostTrace read() {
    std::ifstream in(path);
    if (!in)
      throw std::runtime_error("cannot read trace " + path + ": " +
                               std::strerror(errno));
    std::string line;
    if (!std::getline(in, line) || line != "[")
      fail(1);
    std::size_t number = 1;
    std::size_t bad = 0; // the first line that is no event
    while (std::getline(in, line)) {
      ++number;
      if (line.empty() || line == "]")
        continue;
      // Only the last one may be cut off.
      if (bad != 0)
        fail(bad);
      if (line.back() == ',')
        line.pop_back();
      if (!add(Json::parse(line, nullptr, /*allow_exceptions=*/false)))
        bad = number;
    }
    endAll();
    for (auto &[key, series] : seriesByName)
      trace.series.push_back(std::move(series));
    return std::move(trace);
  }

private:
  [[noreturn]] void fail(std::size_t line) const {
    throw std::runtime_error(path + " is not a trace of libpvti (line " +
                             std::to_string(line) + ")");
  }

  struct Open {
    std::size_t thread;
    std::vector<std::size_t> spans; // by depth
  };

  bool add(const Json &event) {
    if (!event.is_object())
      return false;
    const auto text = [&](const char *key) -> std::string {
      const auto found = event.find(key);
      return found != event.end() && found->is_string()
                 ? found->get<std::string>()
                 : std::string();
    };
    const auto number = [&](const char *key) -> double {
      const auto found = event.find(key);
      return found != event.end() && found->is_number() ? found->get<double>()
                                                        : -1;
    };
    const double micros = number("ts"), process = number("pid"),
                 thread = number("tid");
    constexpr double Most = 1e15; // thirty years
    const std::string phase = text("ph");
    if (!(micros >= 0 && micros < Most && process >= 0 && process < Most &&
          thread >= 0 && thread < Most) ||
        phase.size() != 1)
      return false;
    const auto time = static_cast<std::uint64_t>(std::llround(micros * 1000));
    trace.end = std::max(trace.end, time);
    const auto facts = event.find("args");
    if (phase == "C") {
      if (facts != event.end() && facts->is_object())
        for (const auto &[name, value] : facts->items())
          addValue(text("name") + ": " + name, time, value);
      return true;
    }
    Open &open = threadOf(static_cast<std::uint64_t>(process),
                          static_cast<std::uint64_t>(thread));
    std::vector<HostSpan> &spans = trace.threads[open.thread].spans;
    if (phase == "E") {
      if (!open.spans.empty()) {
        HostSpan &span = spans[open.spans.back()];
        span.end = std::max(time, span.begin);
        open.spans.pop_back();
      }
      return true;
    }
    if (phase != "B" && phase != "i")
      return false;
    HostSpan span;
    span.name = text("name");
    span.channel = text("cat");
    span.begin = span.end = time;
    span.depth = static_cast<unsigned>(open.spans.size());
    span.isInstant = phase == "i";
    if (facts != event.end())
      span.facts = facts->dump(-1, ' ', false, Json::error_handler_t::replace);
    if (!span.isInstant)
      open.spans.push_back(spans.size());
    spans.push_back(std::move(span));
    return true;
  }

  void addValue(const std::string &name, std::uint64_t time,
                const Json &value) {
    if (!value.is_number())
      return;
    HostSeries &series = seriesByName[name];
    series.name = name;
    series.values.emplace_back(time, value.get<double>());
  }

  Open &threadOf(std::uint64_t process, std::uint64_t thread) {
    const auto [known, isNew] =
        byThread.try_emplace({process, thread}, Open{trace.threads.size(), {}});
    if (isNew)
      trace.threads.push_back({process, thread, {}});
    return known->second;
  }

  void endAll() {
    for (auto &[key, open] : byThread)
      for (std::size_t span : open.spans)
        trace.threads[open.thread].spans[span].end = trace.end;
  }

  const std::string path;
  HostTrace trace;
  std::map<std::pair<std::uint64_t, std::uint64_t>, Open> byThread;
  std::map<std::string, HostSeries> seriesByName;
};

} // namespace

HostTrace readHostTrace(const std::string &path) { return Reader(path).read(); }

} // namespace populus::profile
