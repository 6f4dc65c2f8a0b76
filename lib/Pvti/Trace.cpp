// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes trace points, graphs and heat maps to a file as they occur: a JSON
// list in the trace event format that Perfetto and browsers read. The file
// begins with the first trace point. PVTI_OPTIONS turns tracing on and names
// the file. Invalid options are reported once, and the program runs without a
// trace.

#include <pvti/pvti.hpp>

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace pvti {

namespace {

using Json = nlohmann::json;

struct Options {
  bool enable = false;
  std::string directory = ".";
  std::string fileName = "trace-" + std::to_string(getpid()) + ".pvti";
  /// The channels to trace; empty: all that are enabled.
  std::set<std::string> channels;
  /// In seconds from the first trace point; 0: to the end.
  double duration = 0;
};

/// A value may be a string or what the string would say.
std::string textOf(const Json &value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::set<std::string> namesIn(const Json &value) {
  std::set<std::string> names;
  if (value.is_array())
    for (const Json &name : value)
      names.insert(textOf(name));
  else
    names.insert(textOf(value));
  return names;
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
    else if (key == "channels")
      options.channels = namesIn(value);
    else if (key == "duration")
      options.duration = std::atof(textOf(value).c_str());
    else
      std::cerr << "pvti: PVTI_OPTIONS: there is no option '" << key
                << "'; the options are channels, directory, duration, enable, "
                   "filename\n";
  }
  return options;
}

/// Number of the current thread, in the order of first use.
unsigned threadNumber() {
  static std::atomic<unsigned> next{0};
  thread_local const unsigned number = next++;
  return number;
}

class Trace {
public:
  explicit Trace(const Options &options)
      : options(options), name(options.directory + "/" + options.fileName),
        file(name) {
    file << '[';
    if (!file)
      std::cerr << "pvti: cannot write '" << name << "'; nothing is traced\n";
  }
  ~Trace() { close(); }

  bool takes(const TraceChannel *channel) const {
    if (!channel)
      return options.channels.empty();
    return options.channels.empty() ? channel->isEnabled()
                                    : options.channels.count(channel->name());
  }

  /// `arguments` is what there is to know beside the name; null: nothing.
  void add(const char *phase, const std::string &category,
           const std::string &label, const Json &arguments = nullptr) {
    const std::chrono::duration<double, std::micro> now =
        std::chrono::steady_clock::now() - start;
    if (options.duration > 0 && now.count() > options.duration * 1e6)
      return;
    Json event = {{"name", label},   {"cat", category},
                  {"ph", phase},     {"ts", now.count()},
                  {"pid", getpid()}, {"tid", threadNumber()}};
    if (!arguments.is_null())
      event["args"] = arguments;
    if (*phase == 'i')
      event["s"] = "t";
    const std::lock_guard<std::mutex> lock(mutex);
    if (!file.is_open())
      return;
    file << (isFirst ? "\n" : ",\n")
         << event.dump(-1, ' ', false, Json::error_handler_t::replace);
    isFirst = false;
  }

  void close() {
    const std::lock_guard<std::mutex> lock(mutex);
    if (file.is_open())
      file << "\n]\n";
    file.close();
  }
  std::string fileName() {
    const std::lock_guard<std::mutex> lock(mutex);
    return file.is_open() ? name : std::string();
  }

private:
  const Options options;
  const std::string name;
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

/// Channels that exist, for questions by name. It is never destroyed, since
/// channels may be static objects.
struct Channels {
  std::mutex mutex;
  std::vector<TraceChannel *> all;

  static Channels &get() {
    static Channels &channels = *new Channels;
    return channels;
  }
  template <typename Use> void forEach(const std::string &name, Use &&use) {
    const std::lock_guard<std::mutex> lock(mutex);
    for (TraceChannel *channel : all)
      if (channel->name() == name)
        use(*channel);
  }
};

void add(const char *phase, const TraceChannel *channel,
         const std::string &label, const Metadata &metadata = Metadata()) {
  Trace *trace = theTrace();
  if (!trace || !trace->takes(channel))
    return;
  Json arguments;
  if (!metadata.empty()) {
    arguments = Json::parse(metadata.text(), nullptr, false);
    if (!arguments.is_object())
      arguments = {{"metadata", arguments.is_discarded() ? Json(metadata.text())
                                                         : arguments}};
  }
  trace->add(phase, channel ? channel->name() : std::string(), label,
             arguments);
}

} // namespace

TraceChannel traceDrivers("drivers");
TraceChannel tracePoplar("poplar");
TraceChannel traceFramework("framework");

TraceChannel::TraceChannel(std::string name, bool enabled)
    : channelName(std::move(name)), enabled(enabled) {
  Channels &channels = Channels::get();
  const std::lock_guard<std::mutex> lock(channels.mutex);
  channels.all.push_back(this);
}

TraceChannel::~TraceChannel() {
  Channels &channels = Channels::get();
  const std::lock_guard<std::mutex> lock(channels.mutex);
  std::erase(channels.all, this);
}

void enableTraceChannel(const std::string &name) {
  Channels::get().forEach(name,
                          [](TraceChannel &channel) { channel.enable(); });
}
void disableTraceChannel(const std::string &name) {
  Channels::get().forEach(name,
                          [](TraceChannel &channel) { channel.disable(); });
}
bool checkTraceChannel(const std::string &name) {
  bool isEnabled = false;
  Channels::get().forEach(
      name, [&](TraceChannel &channel) { isEnabled |= channel.isEnabled(); });
  return isEnabled;
}
std::vector<std::string> listTraceChannels() {
  Channels &channels = Channels::get();
  const std::lock_guard<std::mutex> lock(channels.mutex);
  std::vector<std::string> names;
  for (const TraceChannel *channel : channels.all)
    names.push_back(channel->name());
  return names;
}

bool isTracing() { return theTrace() != nullptr; }

std::string getCurrentTraceFilename() {
  Trace *trace = theTrace();
  return trace ? trace->fileName() : std::string();
}
void closeTrace() {
  if (Trace *trace = theTrace())
    trace->close();
}

void Tracepoint::begin(TraceChannel *channel, const std::string &label,
                       const Metadata &metadata) {
  add("B", channel, label, metadata);
}
void Tracepoint::end(TraceChannel *channel, const std::string &label) {
  add("E", channel, label);
}
void Tracepoint::event(TraceChannel *channel, const std::string &label,
                       const Metadata &metadata) {
  add("i", channel, label, metadata);
}

struct Series::Names {
  std::string graph, series;
};

Series Graph::addSeries(const std::string &seriesName) const {
  if (!enabled)
    return Series(nullptr);
  const std::string label = unit.empty() ? name : name + " [" + unit + "]";
  return Series(
      std::make_shared<Series::Names>(Series::Names{label, seriesName}));
}

void Series::add(double value) const {
  Trace *trace = theTrace();
  if (trace && names)
    trace->add("C", "", names->graph, {{names->series, value}});
}

template <typename T>
void Heatmap<T>::record(const std::string &name, const std::string &unit,
                        const std::vector<double> &edges,
                        const std::vector<double> &values) {
  std::vector<std::uint64_t> counts(edges.empty() ? 0 : edges.size() - 1);
  for (const double value : values) {
    const auto above = std::upper_bound(edges.begin(), edges.end(), value);
    if (above != edges.begin() && above != edges.end())
      ++counts[above - edges.begin() - 1];
  }
  theTrace()->add("i", "heatmap", name,
                  {{"edges", edges}, {"counts", counts}, {"unit", unit}});
}

template class Heatmap<double>;
template class Heatmap<std::int64_t>;

} // namespace pvti
