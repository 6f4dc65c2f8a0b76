// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of the host. A program marks its activities with trace points and
// draws numbers as graphs. A run with PVTI_OPTIONS='{"enable": "true"}' writes
// the begin and end of each activity. Without that, tracing costs almost
// nothing.

#ifndef POPULUS_INCLUDE_PVTI_PVTI_HPP
#define POPULUS_INCLUDE_PVTI_PVTI_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace pvti {

/// A named group of trace points. The option "channels" lists the traced
/// channels; without it, all enabled channels are traced.
class TraceChannel {
public:
  TraceChannel(const char *name, bool enabled = true)
      : TraceChannel(std::string(name), enabled) {}
  TraceChannel(std::string name, bool enabled = true);
  TraceChannel(const TraceChannel &) = delete;
  TraceChannel &operator=(const TraceChannel &) = delete;
  ~TraceChannel();

  const std::string &name() const { return channelName; }
  bool isEnabled() const { return enabled; }
  void enable() { enabled = true; }
  void disable() { enabled = false; }

private:
  std::string channelName;
  bool enabled;
};

/// Channels that every program has.
extern TraceChannel traceDrivers;
extern TraceChannel tracePoplar;
extern TraceChannel traceFramework;

/// Enables or disables channels by name. Unknown names are ignored.
void enableTraceChannel(const std::string &name);
void disableTraceChannel(const std::string &name);
bool checkTraceChannel(const std::string &name);
std::vector<std::string> listTraceChannels();

/// Path of the trace file; empty if nothing is traced.
std::string getCurrentTraceFilename();
/// Ends the trace file. Later activities are not traced.
void closeTrace();

/// Metadata of a trace point: text, or JSON if it parses as such.
class Metadata {
public:
  Metadata() {}
  explicit Metadata(std::string text) : contents(std::move(text)) {}
  const std::string &text() const { return contents; }
  bool empty() const { return contents.empty(); }

private:
  std::string contents;
};

/// Metadata as JSON text. A function that makes the text is called only if
/// tracing is on.
bool isTracing();
inline Metadata createJsonMetadata(std::string json) {
  return Metadata(std::move(json));
}
template <typename F, typename = typename std::enable_if<
                          !std::is_convertible<F, std::string>::value>::type>
Metadata createJsonMetadata(F makeJson) {
  return isTracing() ? Metadata(makeJson()) : Metadata();
}

/// An activity of a thread. It begins when the object is made and ends when the
/// object is destroyed. The channel must outlive it.
class Tracepoint {
public:
  Tracepoint(TraceChannel *channel, std::string label)
      : Tracepoint(channel, std::move(label), Metadata()) {}
  /// Makes no string unless tracing is on.
  Tracepoint(TraceChannel *channel, const char *label) : channel(channel) {
    if (isTracing())
      start(label, Metadata());
  }
  Tracepoint(TraceChannel *channel, const char *label, std::size_t length)
      : channel(channel) {
    if (isTracing())
      start(std::string(label, length), Metadata());
  }
  /// `metadata` may be null.
  Tracepoint(TraceChannel *channel, const char *label, std::size_t length,
             const Metadata *metadata)
      : channel(channel) {
    if (isTracing())
      start(std::string(label, length), metadata ? *metadata : Metadata());
  }
  Tracepoint(TraceChannel *channel, std::string label, const Metadata &metadata)
      : channel(channel) {
    if (isTracing())
      start(std::move(label), metadata);
  }
  Tracepoint(TraceChannel &channel, std::string label)
      : Tracepoint(&channel, std::move(label)) {}
  Tracepoint(const Tracepoint &) = delete;
  Tracepoint &operator=(const Tracepoint &) = delete;
  ~Tracepoint() {
    if (hasBegun)
      end(channel, label);
  }

  /// The same with two calls, which must be made by one thread.
  static void begin(TraceChannel *channel, const std::string &label) {
    begin(channel, label, Metadata());
  }
  static void begin(TraceChannel *channel, const std::string &label,
                    const Metadata &metadata);
  static void end(TraceChannel *channel, const std::string &label);
  /// An event without duration.
  static void event(TraceChannel *channel, const std::string &label) {
    event(channel, label, Metadata());
  }
  static void event(TraceChannel *channel, const std::string &label,
                    const Metadata &metadata);

private:
  void start(std::string name, const Metadata &metadata) {
    hasBegun = true;
    label = std::move(name);
    begin(channel, label, metadata);
  }

  TraceChannel *channel;
  std::string label;
  bool hasBegun = false;
};

/// One line of a graph. It may outlive the graph.
class Series {
public:
  void add(double value) const;

private:
  friend class Graph;
  struct Names;
  explicit Series(std::shared_ptr<const Names> names)
      : names(std::move(names)) {}
  std::shared_ptr<const Names> names;
};

/// A graph of numbers over time. A value of a series holds until the next one.
class Graph {
public:
  explicit Graph(std::string name, std::string unit = "", bool enable = true)
      : name(std::move(name)), unit(std::move(unit)), enabled(enable) {}
  Series addSeries(const std::string &seriesName) const;

private:
  std::string name, unit;
  bool enabled;
};

/// Counts the numbers of a set between each two edges, over time. Numbers
/// outside of the edges are not counted.
template <typename T> class Heatmap {
public:
  Heatmap(std::string name, std::vector<T> edges, std::string unit = "")
      : name(std::move(name)), edges(edges.begin(), edges.end()),
        unit(std::move(unit)) {}
  void add(const std::vector<T> &values) const {
    if (isTracing())
      record(name, unit, edges,
             std::vector<double>(values.begin(), values.end()));
  }

private:
  static void record(const std::string &name, const std::string &unit,
                     const std::vector<double> &edges,
                     const std::vector<double> &values);

  std::string name;
  std::vector<double> edges;
  std::string unit;
};

using HeatmapDouble = Heatmap<double>;
using HeatmapInt = Heatmap<std::int64_t>;

} // namespace pvti

#endif
