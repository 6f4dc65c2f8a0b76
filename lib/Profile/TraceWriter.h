// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes Perfetto's protobuf (perfetto/trace/trace_packet.proto): tracks,
// slices that nest, moments, counters, arrows. Names are interned: each is
// written once and referred to by number. Times are in nanoseconds.

#ifndef POPULUS_LIB_PROFILE_TRACEWRITER_H
#define POPULUS_LIB_PROFILE_TRACEWRITER_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

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
  class Message;
  std::uint64_t intern(const std::string &name, Message &added);
  void addNamed(unsigned type, std::uint64_t uuid, std::uint64_t time,
                const std::string &name, const Arguments &arguments,
                Arrow arrow, std::uint64_t flow);
  void addDescriptor(const Message &descriptor);
  void addEvent(std::uint64_t time, const Message &message,
                const Message &names);
  void add(Message &packet);

  std::string bytes;
  std::map<std::string, std::uint64_t> names;
  bool isFirst = true;
};

} // namespace populus::profile

#endif
