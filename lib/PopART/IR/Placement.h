// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where and when an operator runs: on which IPU, in which stage of a pipeline
// and in which phase of execution. What is not set is left to the compiler.

#ifndef POPULUS_LIB_POPART_IR_PLACEMENT_H
#define POPULUS_LIB_POPART_IR_PLACEMENT_H

#include <cstdint>
#include <optional>

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
};

} // namespace populus::popir

#endif
