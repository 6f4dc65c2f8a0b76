// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A straight-line part of a program whose copies and compute sets are used only
// once. It becomes as few exchanges and compute sets as its dependencies allow.
// For example:
//
//    copy a -> x      execute A      copy b -> y      execute B
//
//    becomes          exchange {a -> x, b -> y}       compute set A+B
//
// if A and B are independent, and A neither writes b nor touches y.

#ifndef POPULUS_LIB_POPLAR_LOWERING_STRAIGHTLINE_H
#define POPULUS_LIB_POPLAR_LOWERING_STRAIGHTLINE_H

#include "lib/Poplar/Lowering/ComputeSetMerging.h"
#include "lib/Poplar/Lowering/Draft.h"
#include "lib/Poplar/Lowering/ExchangeMerging.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace poplar::core {

class StraightLine {
public:
  StraightLine(Draft &draft, ComputeSetMerging &merging)
      : draft(draft), merging(merging), merger(draft.exchanges, draft.storage) {
  }

  /// Adds a copy between tensors. \p lower adds its pieces to a merger once the
  /// copies that it can be merged with are known.
  using LowerCopy = std::function<void(ExchangeMerger &)>;
  void copy(const TensorView &from, const TensorView &to, LowerCopy lower);

  void execute(std::uint32_t computeSet);

  /// Returns the steps of everything added since the last call, in order.
  std::vector<std::uint32_t> finish();

private:
  void lowerSets();
  void noteOperands(std::uint32_t computeSet);
  void lowerWaiting();
  void takeExchanges();
  void addStep(populus::runtime::StepKind kind, const std::string &name,
               std::uint32_t index);

  Draft &draft;
  ComputeSetMerging &merging;
  ExchangeMerger merger;
  std::vector<std::uint32_t> sets; // that run as one, not yet lowered
  /// Copies after the compute sets that could also be made before them.
  std::vector<LowerCopy> waiting;
  std::vector<std::uint32_t> steps;
};

} // namespace poplar::core

#endif
