// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The upper factor is the lower one of the transposed view.

#include <poplin/Cholesky.hpp>

#include "lib/PopLibs/poplin/solving/TriangularBlocks.h"

#include <poplin/TriangularSolve.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {

Tensor createCholeskyInput(Graph &graph, const Type &type,
                           const std::vector<std::size_t> &shape, bool,
                           const DebugContext &debugContext,
                           const OptionFlags &options, PlanningCache *cache) {
  const Tensor a = createTriangularSolveInputLHS(
      graph, type, type, shape, shape, true, debugContext, options, cache);
  checkSquare(a, "poplin::createCholeskyInput");
  return a;
}

void choleskyInPlace(Graph &graph, const Tensor &a, bool lower, Sequence &prog,
                     const DebugContext &debugContext,
                     const OptionFlags &options, PlanningCache *cache) {
  checkSquare(a, "poplin::cholesky");
  const DebugContext dc(debugContext, "Cholesky");
  const TriangularBlocks blocks(graph, prog, options, cache, dc);
  if (a.numElements() == 0)
    return;
  const Tensor groups = asGroups(a);
  blocks.factorise(lower ? groups : groups.dimShuffle({0, 2, 1}));
  prog.add(
      Copy(triangularMask(graph, a, lower, false, prog, dc), a, false, dc));
}

Tensor cholesky(Graph &graph, const Tensor &a, bool lower, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options,
                PlanningCache *cache) {
  checkSquare(a, "poplin::cholesky");
  const Tensor result = poputil::duplicate(graph, a, prog, debugContext);
  choleskyInPlace(graph, result, lower, prog, debugContext, options, cache);
  return result;
}

std::vector<std::pair<MatMulParams, OptionFlags>>
getCholeskyMatMulPrePlanParameters(const Type &type,
                                   const std::vector<std::size_t> &shape, bool,
                                   OptionFlags options) {
  const std::size_t rank = shape.size();
  if (rank < 2 || shape[rank - 1] != shape[rank - 2])
    throw poputil::poplibs_error(
        "poplin::getCholeskyMatMulPrePlanParameters: the shape must be that of "
        "square matrices");
  std::size_t groups = 1;
  for (std::size_t i = 0; i + 2 < rank; ++i)
    groups *= shape[i];
  TriangularProducts products;
  products.factorise(shape[rank - 1]);
  return products.inGroups(groups, type, options);
}

} // namespace poplin
