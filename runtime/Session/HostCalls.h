// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program on a tile may ask of the host. `trap 1` is a host call: $m0
// holds its number, $m1 to $m3 hold arguments, and $m0 receives the result. The
// emulator reads registers and memory and calls this interface; without one
// (SessionOptions::hostCalls), `trap 1` stops the run as any trap does.
// lib/Device/HostCall.S is the tile's side.

#ifndef POPULUS_RUNTIME_SESSION_HOSTCALLS_H
#define POPULUS_RUNTIME_SESSION_HOSTCALLS_H

#include <cstdint>
#include <string_view>

namespace populus::runtime {

/// The numbers are compiled into programs: append, never renumber.
enum class HostCall : std::uint32_t {
  Exit = 1,  // status; does not return
  Write = 2, // stream (1 output, 2 errors), address, bytes; bytes written
};

/// Called on the thread that runs the tile.
class HostCalls {
public:
  virtual ~HostCalls() = default;
  virtual void exit(std::int32_t status) = 0;
  /// The bytes written, or -1 if there is no such stream.
  virtual std::int32_t write(std::uint32_t stream, std::string_view bytes) = 0;
};

} // namespace populus::runtime

#endif
