// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folding of constants: an operator whose inputs are all constants is computed
// by the compiler. Models compute their shapes in this way, which have to be
// known; folding of large weights only saves work on the device, so it has a
// budget, and what goes beyond that stays in the graph.

#ifndef POPULUS_LIB_POPART_IMPORT_FOLDING_H
#define POPULUS_LIB_POPART_IMPORT_FOLDING_H

#include "lib/PopART/IR/Graph.h"

#include <cstdint>

namespace populus::popir {

/// What folding may cost. Results of up to 4 KiB, and those of operators that
/// exist on constants only, are always folded.
struct FoldingBudget {
  /// Bytes of the results of one operator.
  std::uint64_t resultBytes = std::uint64_t(64) << 20;
  /// Bytes of all results.
  std::uint64_t totalBytes = std::uint64_t(256) << 20;
  /// Elements that are read and written in all: a measure of time by which a
  /// model becomes the same program on every machine.
  std::uint64_t totalElements = std::uint64_t(1) << 28;
};

class ConstantFolder {
public:
  explicit ConstantFolder(const FoldingBudget &budget) : budget(budget) {}

  /// Makes constants of the results of `op`, if it has a value and the budget
  /// allows it.
  void fold(Graph &graph, Op &op);

private:
  bool isAffordable(const Op &op) const;

  FoldingBudget budget;
  std::uint64_t spentBytes = 0, spentElements = 0;
};

/// Removes operators whose results were all folded, and constants that nothing
/// uses any more.
void dropFolded(Graph &graph);

} // namespace populus::popir

#endif
