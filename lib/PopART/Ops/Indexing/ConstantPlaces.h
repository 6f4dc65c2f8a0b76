// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant folding of the Gather and Scatter families. Exporters compute shapes
// with them: torch's index_copy scatters one extent into a tensor's shape.
// Indices are translated to a list of offsets in the flat data.

#ifndef POPULUS_LIB_POPART_OPS_INDEXING_CONSTANTPLACES_H
#define POPULUS_LIB_POPART_OPS_INDEXING_CONSTANTPLACES_H

#include "lib/PopART/IR/HostTensor.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"

#include <optional>
#include <vector>

namespace populus::popir {

/// Rows of `rowSize` elements at offsets counted in rows.
struct ConstantPlaces {
  std::vector<std::int64_t> rows;
  std::int64_t columns = 1;
};

/// Offsets of GatherElements and ScatterElements along an axis.
ConstantPlaces constantElements(const Op &op, std::int64_t axis);
/// Offsets of GatherND and ScatterND, for index vectors of length `depth`.
ConstantPlaces constantSlices(const Op &op, std::int64_t batchDims,
                              std::int64_t depth);

/// Gathers the rows of input 0, in the shape that `op` infers.
std::vector<HostTensor> takenConstant(const Op &op,
                                      const ConstantPlaces &places);
/// Scatters the rows of input 2 into input 0. Combining updates needs 64-bit
/// integers, the type of shapes; nothing for other types.
std::optional<std::vector<HostTensor>>
scatteredConstant(const Op &op, const ConstantPlaces &places, UpdateKind kind);

} // namespace populus::popir

#endif
