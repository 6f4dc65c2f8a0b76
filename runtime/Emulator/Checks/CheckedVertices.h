// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that need no check because it would find nothing. A memoised vertex
// (Remembered.h) accesses the same bytes in the same order as when it was
// learnt. If it was checked and good then, it is good again. Its regions and
// its branches are the same. The bytes that it loads were known, and still are
// as long as no known byte of its tile has become unknown (KnownBytes.h). A
// check watches a vertex in another way than learning does, so a vertex that
// has been found to be good is undone and run once more, to learn from.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_CHECKEDVERTICES_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_CHECKEDVERTICES_H

#include "runtime/Emulator/Checks/KnownBytes.h"
#include "runtime/Emulator/Windows/Remembered.h"
#include "runtime/Format/Executable.h"

#include <cstdint>
#include <vector>

namespace populus::runtime::emulator {

class CheckedVertices {
public:
  /// Begins with no vertices. From now on add() tells of every vertex of
  /// `memory` that is learnt, which has just been checked.
  CheckedVertices(const Executable &executable, VertexMemory &memory)
      : executable(executable), memory(memory),
        goodAt(executable.vertices.size(), Never) {}

  /// Returns whether these vertices of one tile need no check if they follow
  /// the memoised control-flow path.
  bool areGood(Range vertices, const KnownBytes &known) const;
  /// Returns whether another, unchecked run of the vertices helps later runs;
  /// the checked run has found them to be good.
  bool wantRun(const Tile &tile, Range vertices);
  /// Records that the vertices have been run again.
  void add(Range vertices, const KnownBytes &known);

private:
  static constexpr std::uint64_t Never = ~std::uint64_t(0);

  const Executable &executable;
  VertexMemory &memory;
  /// After so many losses, as far as they are remembered.
  std::vector<std::uint64_t> goodAt;
};

} // namespace populus::runtime::emulator

#endif
