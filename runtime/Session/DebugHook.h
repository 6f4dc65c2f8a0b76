// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between a session and a debugger. A session with a hook runs on
// one thread, so that everything happens in one order: the steps of the control
// program, in each compute set the tiles, on each tile the vertices, in each
// vertex the bundles. The hook is called in between, and may take as long as it
// likes: results and cycles stay the same. Vertices that the hook does not look
// at run at full speed.

#ifndef POPULUS_RUNTIME_SESSION_DEBUGHOOK_H
#define POPULUS_RUNTIME_SESSION_DEBUGHOOK_H

#include "runtime/Target/TargetInfo.h"

#include <cstdint>

namespace populus::runtime {

namespace emulator {
struct Context;
struct Slot;
struct Tile;
} // namespace emulator

class DebugHook {
public:
  virtual ~DebugHook() = default;

  /// Around a step of the control program and all that it contains. These two
  /// may throw, which ends the run.
  virtual void beforeStep(std::uint32_t step) = 0;
  virtual void afterStep(std::uint32_t step) = 0;

  /// The calls that the hook wants while a vertex runs: none, before(), or
  /// access(), too.
  enum class Look { Away, Slots, Accesses };
  virtual Look beforeVertex(emulator::Tile &tile, std::uint32_t vertex) = 0;
  /// Before a slot is executed. False: the run ends; Context::fault() was
  /// called.
  virtual bool before(emulator::Context &c, const emulator::Slot *slot) = 0;
  /// An access that is within memory, before it is made.
  virtual void access(emulator::Context &c, Address address, unsigned bytes,
                      bool store) = 0;
  /// After a vertex. `faulted` is the context that has stopped in it, or null.
  /// Returns false to end the run here.
  virtual bool afterVertex(emulator::Tile &tile,
                           emulator::Context *faulted) = 0;
};

} // namespace populus::runtime

#endif
