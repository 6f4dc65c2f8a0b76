// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Gather and Scatter families on constants. Exporters compute shapes with
// them: torch's index_copy scatters one extent into the shape of a tensor.
// Which elements indices mean is a list of places in the flat data here.

#ifndef POPULUS_LIB_POPART_OPS_INDEXING_CONSTANTPLACES_H
#define POPULUS_LIB_POPART_OPS_INDEXING_CONSTANTPLACES_H

#include "lib/PopART/IR/HostTensor.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Ops/Indexing/Indexing.h"

#include <optional>
#include <vector>

namespace populus::popir {

/// Rows of so many elements at places that are counted in such rows.
struct ConstantPlaces {
  std::vector<std::int64_t> rows;
  std::int64_t columns = 1;
};

/// What GatherElements and ScatterElements mean along an axis.
ConstantPlaces constantElements(const Op &op, std::int64_t axis);
/// What GatherND and ScatterND mean by index vectors of `depth` numbers.
ConstantPlaces constantSlices(const Op &op, std::int64_t batchDims,
                              std::int64_t depth);

/// The rows at the places of input 0, in the shape that `op` infers.
std::vector<HostTensor> takenConstant(const Op &op,
                                      const ConstantPlaces &places);
/// Input 0 with the rows of input 2 at the places. What is computed is 64-bit
/// integers, as shapes are; nothing for others.
std::optional<std::vector<HostTensor>>
scatteredConstant(const Op &op, const ConstantPlaces &places, UpdateKind kind);

} // namespace populus::popir

#endif
