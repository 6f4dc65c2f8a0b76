// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant folding: the compiler evaluates operators whose inputs are all
// constants. Models compute shapes with such operators, and shapes have to be
// known. Folding of large weights only saves work on the device, so it has a
// budget; operators beyond it stay in the graph.

#ifndef POPULUS_LIB_POPART_IMPORT_FOLDING_H
#define POPULUS_LIB_POPART_IMPORT_FOLDING_H

#include "lib/PopART/IR/Graph.h"

#include <cstdint>

namespace populus::popir {

/// Limits of folding. Results of up to 4 KiB, and operators that exist on
/// constants only, are always folded.
struct FoldingBudget {
  /// Bytes of the results of one operator.
  std::uint64_t resultBytes = std::uint64_t(64) << 20;
  /// Bytes of all results.
  std::uint64_t totalBytes = std::uint64_t(256) << 20;
  /// Elements read and written in total. This measure of time is the same on
  /// every machine, so the resulting program is, too.
  std::uint64_t totalElements = std::uint64_t(1) << 28;
};

class ConstantFolder {
public:
  explicit ConstantFolder(const FoldingBudget &budget) : budget(budget) {}

  /// Turns the results of `op` into constants, if it can be evaluated within
  /// the budget.
  void fold(Graph &graph, Op &op);
  /// Folds again what uses a value that has become a constant.
  void foldUsers(Graph &graph, Value &constant);

private:
  bool isAffordable(const Op &op) const;

  FoldingBudget budget;
  std::uint64_t spentBytes = 0, spentElements = 0;
};

/// Removes operators whose results were all folded, and unused constants.
void dropFolded(Graph &graph);

} // namespace populus::popir

#endif
