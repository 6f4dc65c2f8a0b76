// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions with a serial split (SerialSplit.h): the operands of each part,
// and the join of the results. All of it is views.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_SERIALCONV_H
#define POPULUS_LIB_POPLIBS_POPLIN_CONVOLUTION_SERIALCONV_H

#include "lib/PopLibs/poplin/planning/ConvPlan.h"

#include <poplar/Graph.hpp>
#include <poplin/ConvParams.hpp>

namespace poplin {

/// A convolution of one part.
ConvParams partOf(ConvParams params, const SerialSplit &split);

/// The operands of one part; \c bias may be not valid.
struct SerialOperands {
  poplar::Tensor in, weights, bias;

  SerialOperands part(const SerialSplit &split, std::size_t i) const;
};

/// The results of the parts put together.
poplar::Tensor joinParts(const std::vector<poplar::Tensor> &results,
                         const SerialSplit &split, std::size_t groups);

/// Weights of which each part of the split uses one of \p parts; of a split of
/// the batch all use the only one.
poplar::Tensor joinWeights(const std::vector<poplar::Tensor> &parts,
                           const SerialSplit &split);

} // namespace poplin

#endif
