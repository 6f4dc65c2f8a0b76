// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces and breakpoints: what is done before each instruction of a tile that
// is looked at.

#ifndef POPULUS_RUNTIME_EMULATOR_WATCHING_TRACE_H
#define POPULUS_RUNTIME_EMULATOR_WATCHING_TRACE_H

#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Session/WatchOptions.h"

#include <set>
#include <string>

namespace populus::runtime::emulator {

/// Writes lines of the shape
///   t[12.3]: 0x4c010 (0x1230000f): symbol + 0x8: add $m0, $m1, 4 @1234
/// with tile and context (s: the supervisor), the words of the instruction or
/// bundle, and the cycle of the tile when it is issued. Vertices that run at
/// the same time are written one after the other.
class Tracer {
public:
  explicit Tracer(const TraceOptions &options) : options(options) {}

  bool looksAt(std::uint32_t tile) const {
    return options.out && isIn(options.tiles, tile);
  }
  void before(const Context &c, Address pc);

private:
  const TraceOptions &options;
};

/// The places in images at which to stop.
class Breakpoints {
public:
  /// Throws RunError if one is neither an address nor a symbol of any image.
  Breakpoints(const std::vector<std::string> &names,
              const Executable &executable);

  bool contains(const CodeImage &image, Address pc) const {
    return places.count({&image, pc}) != 0;
  }
  bool any() const { return !places.empty(); }

private:
  bool addAddress(Address address, const Executable &executable);
  bool addSymbol(const std::string &name, const Executable &executable);

  std::set<std::pair<const CodeImage *, Address>> places;
};

} // namespace populus::runtime::emulator

#endif
