// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement of an operator in space and time: IPU, pipeline stage, execution
// phase. The compiler chooses the fields that are not set.

#ifndef POPULUS_LIB_POPART_IR_PLACEMENT_H
#define POPULUS_LIB_POPART_IR_PLACEMENT_H

#include <cstdint>
#include <optional>

namespace populus::popir {

struct Placement {
  std::optional<std::int64_t> ipu, stage, phase;
  /// Runs on the I/O tiles, which are reserved for transfers with the host.
  bool ioTiles = false;
  /// Request: recompute the results for the backward pass, or store them.
  std::optional<bool> recompute;
  /// True for an operator that is such a recomputation.
  bool recomputed = false;

  bool operator==(const Placement &) const = default;
};

} // namespace populus::popir

#endif
