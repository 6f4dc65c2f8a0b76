// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products by plain dot products, for those that the matrix unit does
// not serve.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_MATMUL_DIRECTMATMUL_H
#define POPULUS_LIB_POPLIBS_POPLIN_MATMUL_DIRECTMATMUL_H

#include "lib/PopLibs/poplin/planning/MatMulPlan.h"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplin {

/// A[groups, rows, depth] B[groups, depth, columns].
poplar::Tensor directMatMul(poplar::Graph &graph, const MatMulPlan &plan,
                            const poplar::Tensor &A, const poplar::Tensor &B,
                            const poplar::Type &outputType,
                            poplar::program::Sequence &prog,
                            const poplar::DebugContext &dc);

} // namespace poplin

#endif
