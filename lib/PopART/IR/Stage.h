// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pipeline stage of operators and values. Placement::stage is the only
// record of it.

#ifndef POPULUS_LIB_POPART_IR_STAGE_H
#define POPULUS_LIB_POPART_IR_STAGE_H

#include "lib/PopART/IR/Graph.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace populus::popir {

inline std::int64_t stageOf(const Op &op) {
  return op.placement().stage.value_or(0);
}

/// The stage in which a value is computed, or an argument loaded: that of its
/// first reader.
inline std::int64_t stageOf(const Value &value) {
  if (value.producer())
    return stageOf(*value.producer());
  std::optional<std::int64_t> first;
  for (const Op *user : value.users())
    first = std::min(first.value_or(stageOf(*user)), stageOf(*user));
  return first.value_or(0);
}

} // namespace populus::popir

#endif
