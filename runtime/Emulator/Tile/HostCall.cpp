// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The trap by which a program asks something of the host: arguments from
// registers, bytes from and to the tile's memory, checked as loads and stores
// are.

#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Session/HostCalls.h"

#include <algorithm>

namespace populus::runtime::emulator {

namespace {

bool write(Context &c) {
  const std::uint32_t stream = c.m[1], address = c.m[2], bytes = c.m[3];
  const std::uint32_t offset = address - c.lo;
  if (offset > c.tile->loadBytes || bytes > c.tile->loadBytes - offset)
    return c.fault(FaultKind::OutOfRange, address);
  const auto *begin = reinterpret_cast<const char *>(c.memory + offset);
  c.m[0] = static_cast<std::uint32_t>(
      c.tile->hostCalls->write(stream, {begin, bytes}));
  return true;
}

bool read(Context &c) {
  const std::uint32_t address = c.m[1], bytes = c.m[2];
  const std::string input =
      c.tile->hostCalls->read(std::min(bytes, c.tile->loadBytes));
  for (std::uint32_t i = 0; i != input.size(); ++i)
    if (!store(c, address + i, static_cast<std::uint8_t>(input[i])))
      return false;
  c.m[0] = static_cast<std::uint32_t>(input.size());
  return true;
}

/// Ends the context: it stops as after a fault, but has none.
bool exit(Context &c) {
  if (!c.tile->hostCalls->exit(static_cast<std::int32_t>(c.m[1])))
    return c.fault(FaultKind::Trap, HostCallTrap);
  c.exited = true;
  return false;
}

} // namespace

bool callHost(Context &c) {
  switch (static_cast<HostCall>(c.m[0])) {
  case HostCall::Exit:
    return exit(c);
  case HostCall::Write:
    return write(c);
  case HostCall::Read:
    return read(c);
  case HostCall::Time:
    c.m[0] = c.tile->hostCalls->time();
    return true;
  }
  return c.fault(FaultKind::UnknownHostCall, c.m[0]);
}

} // namespace populus::runtime::emulator
