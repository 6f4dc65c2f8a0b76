// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of a program without branches, of which nothing is used a second time:
// copies and compute sets that follow each other. It becomes as few exchanges
// and compute sets as its dependencies allow: copies join those before them and
// the inputs of the compute set behind them, compute sets that do not depend on
// each other run as one, also where copies stand between them.

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
      : draft(draft), merging(merging), merger(draft) {}

  /// Adds a copy between tensors. \p lower gives its pieces to a merger once it
  /// is known which other copies it stands beside.
  using LowerCopy = std::function<void(ExchangeMerger &)>;
  void copy(const TensorView &from, const TensorView &to, LowerCopy lower);

  void execute(std::uint32_t computeSet);

  /// The steps of all that was added since the last call, in order.
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
  /// Copies behind the sets, which could as well stand before them.
  std::vector<LowerCopy> waiting;
  std::vector<std::uint32_t> steps;
};

} // namespace poplar::core

#endif
