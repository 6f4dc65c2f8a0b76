// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The requests of a program on a tile to the host. `trap 1` is a host call: $m0
// holds its number, $m1 to $m3 hold arguments, and $m0 receives the result. The
// emulator reads registers and memory and calls this interface. Plain programs
// bring their own (SessionOptions::hostCalls); codelets can only print. In code
// without the device library's function for host calls (lib/Device/Start.S)
// `trap 1` stops the run as any trap does.

#ifndef POPULUS_RUNTIME_SESSION_HOSTCALLS_H
#define POPULUS_RUNTIME_SESSION_HOSTCALLS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace populus::runtime {

/// The numbers are compiled into programs: append, never renumber.
enum class HostCall : std::uint32_t {
  Exit = 1,  // status; does not return
  Write = 2, // stream (1 output, 2 errors), address, bytes; bytes written
  Read = 3,  // address, bytes; bytes read from the input, 0 at its end
  Time = 4,  // seconds since 1970
};

/// Called on the thread that runs the tile.
class HostCalls {
public:
  virtual ~HostCalls() = default;
  /// Ends the program. Returns false if there is no program that could end; the
  /// call is then a fault.
  virtual bool exit(std::int32_t status) = 0;
  /// The bytes written, or -1 if there is no such stream.
  virtual std::int32_t write(std::uint32_t stream, std::string_view bytes) = 0;
  /// At most so many bytes of the input; none at its end.
  virtual std::string read(std::size_t bytes) {
    (void)bytes;
    return {};
  }
  /// Returns all text that read() has given so far.
  virtual std::string_view consumed() const { return {}; }
  /// Seconds since 1970.
  virtual std::uint32_t time() { return 0; }
};

} // namespace populus::runtime

#endif
