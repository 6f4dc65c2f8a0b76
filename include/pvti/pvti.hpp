// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of the host: a program marks what it does with trace points, and a run
// under PVTI_OPTIONS='{"enable": "true"}' writes when each began and ended.
// Without that, a trace point costs next to nothing.

#ifndef POPULUS_INCLUDE_PVTI_PVTI_HPP
#define POPULUS_INCLUDE_PVTI_PVTI_HPP

#include <string>
#include <utility>

namespace pvti {

/// A name that trace points are grouped by.
class TraceChannel {
public:
  TraceChannel(const char *name) : channelName(name) {}
  TraceChannel(std::string name) : channelName(std::move(name)) {}
  const std::string &name() const { return channelName; }

private:
  std::string channelName;
};

/// Something that a thread does: it begins when the object is made, and ends
/// with it. The channel has to live as long.
class Tracepoint {
public:
  Tracepoint(TraceChannel *channel, std::string label)
      : channel(channel), label(std::move(label)) {
    begin(channel, this->label);
  }
  Tracepoint(const Tracepoint &) = delete;
  Tracepoint &operator=(const Tracepoint &) = delete;
  ~Tracepoint() { end(channel, label); }

  /// The same in two calls of one thread.
  static void begin(TraceChannel *channel, const std::string &label);
  static void end(TraceChannel *channel, const std::string &label);

private:
  TraceChannel *channel;
  std::string label;
};

} // namespace pvti

#endif
