// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common part of the backward passes of recurrent layers. As in the forward
// pass, only the products with the state's weights are computed step by step.
// The products with the input, and those for the weights' gradients, are
// computed for all steps at once.

#include "lib/PopLibs/popnn/RecurrentLayer.h"

#include <popops/DynamicSlice.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popnn {
namespace {

/// [steps, units, batch, size] as the matrix [steps * batch, units * size].
Tensor asRows(const Tensor &deltas) {
  return deltas.dimRoll(1, 2).flatten(2, 4).flatten(0, 2);
}

} // namespace

Tensor RecurrentLayer::copyOrZero(const Tensor *given, Sequence &prog) const {
  if (given && given->valid())
    return copyState(*given, prog);
  const Tensor state = createState("gradient");
  popops::zero(graph, state, prog, debugContext);
  return state;
}

RecurrentLayer::OutputGradient
RecurrentLayer::splitOutputGradient(const Tensor &gradient, bool allSteps,
                                    Sequence &prog) const {
  if (!allSteps)
    return {{}, copyState(gradient, prog)};
  checkRecurrentShape(
      gradient, {params.maxTimeSteps, params.batchSize, params.getOutputSize()},
      "a gradient of the output");
  const Tensor sliceable = popops::createSliceableTensor(
      graph, params.dataType, gradient.shape(), {0}, {1}, 0,
      {debugContext, "outputGradient"});
  prog.add(Copy(gradient, sliceable, false, debugContext));
  return {{sliceable}, copyOrZero(nullptr, prog)};
}

Tensor RecurrentLayer::arrangeTransposed(const Tensor &weights,
                                         Sequence &prog) const {
  const Tensor transposed = weights.dimRoll(2, 1).flatten(0, 2);
  const Tensor arranged = poplin::createMatMulInputRHS(
      graph, params.dataType, {params.batchSize, transposed.dim(0)},
      transposed.shape(), {debugContext, "transposedWeights"}, options, cache);
  prog.add(Copy(transposed, arranged, false, {debugContext, "ArrangeWeights"}));
  return arranged;
}

Tensor RecurrentLayer::backThrough(const Tensor &deltas,
                                   const Tensor &transposedWeights,
                                   Sequence &prog) const {
  return poplin::matMul(graph, deltas.dimRoll(0, 1).flatten(1, 3),
                        transposedWeights, prog, params.dataType,
                        {debugContext, "StateGrad"}, options, cache);
}

Tensor RecurrentLayer::inputGradient(const Tensor &deltas,
                                     const Tensor &inputWeights,
                                     Sequence &prog) const {
  return poplin::matMul(
             graph, asRows(deltas), inputWeights.dimRoll(2, 1).flatten(0, 2),
             prog, params.dataType, {debugContext, "InputGrad"}, options, cache)
      .reshapePartial(0, 1, {params.maxTimeSteps, params.batchSize});
}

Tensor RecurrentLayer::weightGradient(const Tensor &factors,
                                      const Tensor &deltas,
                                      Sequence &prog) const {
  return poplin::matMul(graph, factors.flatten(0, 2).transpose(),
                        asRows(deltas), prog, params.dataType,
                        {debugContext, "WeightGrad"}, options, cache)
      .reshapePartial(1, 2, {deltas.dim(1), deltas.dim(3)})
      .dimRoll(1, 0);
}

Tensor RecurrentLayer::biasGradient(const Tensor &deltas,
                                    Sequence &prog) const {
  return popops::reduce(graph, deltas, params.dataType, {0, 2},
                        {popops::Operation::ADD}, prog,
                        {debugContext, "BiasGrad"});
}

} // namespace popnn
