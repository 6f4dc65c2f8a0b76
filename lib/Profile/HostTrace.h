// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trace of a program on the host, read from the file that libpvti wrote
// (PVTI_OPTIONS). The file is a list of events, one per line. The spans of a
// thread are nested.

#ifndef POPULUS_LIB_PROFILE_HOSTTRACE_H
#define POPULUS_LIB_PROFILE_HOSTTRACE_H

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace populus::profile {

/// An activity of a thread, or an event of length 0. Times are in nanoseconds
/// since the file was begun.
struct HostSpan {
  std::string name, channel;
  std::uint64_t begin = 0, end = 0;
  /// Number of spans of the thread that enclose this one.
  unsigned depth = 0;
  bool isInstant = false;
  std::string facts; // JSON; empty: none
};

struct HostThread {
  std::uint64_t process = 0, number = 0;
  std::vector<HostSpan> spans; // by begin, outer ones first
};

/// A series of a graph: values, each from a time on.
struct HostSeries {
  std::string name;
  std::vector<std::pair<std::uint64_t, double>> values;
};

struct HostTrace {
  std::string name; // of the file
  std::vector<HostThread> threads;
  std::vector<HostSeries> series;
  std::uint64_t end = 0;
};

/// Reads a file of libpvti. A truncated file is read as far as possible, and
/// open spans end with it. Throws std::runtime_error if it is not such a file.
HostTrace readHostTrace(const std::string &path);

} // namespace populus::profile

#endif
