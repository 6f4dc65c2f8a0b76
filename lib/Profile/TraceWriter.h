// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a trace for Perfetto (Trace.proto): tracks, slices that nest, moments,
// counters, arrows. Names are interned: each is written once and referred to by
// number. Times are in nanoseconds.

#ifndef POPULUS_LIB_PROFILE_TRACEWRITER_H
#define POPULUS_LIB_PROFILE_TRACEWRITER_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace populus::trace {
class TracePacket;
class TrackDescriptor;
class TrackEvent;
} // namespace populus::trace

namespace populus::profile {

class TraceWriter {
public:
  /// Tracks have numbers of their own, which are not 0.
  void addProcess(std::uint64_t uuid, unsigned id, const std::string &name);
  /// With a unit it is a counter.
  void addTrack(std::uint64_t uuid, std::uint64_t parent,
                const std::string &name, const char *unit = nullptr);

  struct Argument {
    const char *name;
    std::uint64_t value = 0;
    std::string text = {}; // if it is not a number
  };
  using Arguments = std::vector<Argument>;

  /// An arrow leads from the slice that it begins at to the one where it ends.
  enum class Arrow { None, Begin, End };
  void begin(std::uint64_t uuid, std::uint64_t time, const std::string &name,
             const Arguments &arguments, Arrow arrow = Arrow::None,
             std::uint64_t flow = 0);
  void end(std::uint64_t uuid, std::uint64_t time);
  void slice(std::uint64_t uuid, std::uint64_t from, std::uint64_t to,
             const std::string &name, const Arguments &arguments,
             Arrow arrow = Arrow::None, std::uint64_t flow = 0) {
    begin(uuid, from, name, arguments, arrow, flow);
    end(uuid, to);
  }
  void moment(std::uint64_t uuid, std::uint64_t time, const std::string &name,
              const Arguments &arguments);
  void count(std::uint64_t uuid, std::uint64_t time, std::uint64_t value);
  void count(std::uint64_t uuid, std::uint64_t time, double value);

  std::string take() { return std::move(bytes); }

private:
  void addNamed(trace::TrackEvent event, std::uint64_t time,
                const std::string &name, const Arguments &arguments);
  void addDescriptor(const trace::TrackDescriptor &descriptor);
  /// `packet` may have names that the event uses.
  void addEvent(trace::TrackEvent event, std::uint64_t time,
                trace::TracePacket packet);
  void add(trace::TracePacket packet);

  std::string bytes;
  std::map<std::string, std::uint64_t> names;
};

} // namespace populus::profile

#endif
