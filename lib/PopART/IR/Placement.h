// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where and when an operator runs: on which IPU, in which stage of a pipeline
// and in which phase of execution. What is not set is left to the compiler.

#ifndef POPULUS_LIB_POPART_IR_PLACEMENT_H
#define POPULUS_LIB_POPART_IR_PLACEMENT_H

#include <cstdint>
#include <optional>
#include <tuple>

namespace populus::popir {

struct Placement {
  std::optional<std::int64_t> ipu, stage, phase;
  /// On the tiles that are set aside for transfers with the host.
  bool ioTiles = false;
  /// Whether its results are computed again for the backward pass.
  std::optional<bool> recompute;
  /// That it is computed again there.
  bool recomputed = false;

  bool operator==(const Placement &) const = default;

  /// What operators have in common that may be joined or merged. Stages and
  /// phases run one after the other on the same machine, and what is to be
  /// computed again is done with once gradients are there.
  auto key() const { return std::tuple(ipu, ioTiles, recomputed); }
};

} // namespace populus::popir

#endif
