// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The weights are cleared and copied to the diagonal before every convolution,
// because other variables use their memory in between.

#include "lib/PopLibs/poplin/convolution/DiagonalGroups.h"

#include "lib/PopLibs/poplin/convolution/MatrixConv.h"

#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {

Tensor combinedInput(const Tensor &in, std::size_t together) {
  return in.reshapePartial(1, 3, {in.dim(1) / together, in.dim(2) * together});
}

Tensor diagonalWeights(Graph &graph, const ConvShape &combined,
                       const ConvPlan &plan, const Tensor &weights,
                       Sequence &prog, const DebugContext &dc) {
  const std::size_t together = plan.groupsTogether;
  const std::size_t outs = weights.dim(1), ins = weights.dim(2);
  Tensor whole = createMatrixWeights(graph, combined, plan,
                                     weights.elementType(), {dc, "Diagonal"});
  if (!whole.valid())
    whole = graph.addVariable(weights.elementType(),
                              {combined.groups, combined.outChannels,
                               combined.inChannels, combined.y.kernel,
                               combined.x.kernel},
                              VariableMappingMethod::LINEAR, {dc, "Diagonal"});
  const Tensor from = weights.reshapePartial(0, 1, {combined.groups, together});
  std::vector<Tensor> sources, diagonal;
  for (std::size_t i = 0; i != together; ++i) {
    sources.push_back(from.slice(i, i + 1, 1).squeeze({1}).flatten());
    diagonal.push_back(whole.slice(i * outs, (i + 1) * outs, 1)
                           .slice(i * ins, (i + 1) * ins, 2)
                           .flatten());
  }
  popops::zero(graph, whole, prog, {dc, "Diagonal"});
  prog.add(Copy(concat(sources), concat(diagonal), false, {dc, "Diagonal"}));
  return whole;
}

} // namespace poplin
