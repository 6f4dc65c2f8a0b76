// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gated recurrent units and their gradients. With gates r, u = sigmoid(x W + h
// U + b) and a candidate c = tanh(x W + (r h) U + b), a step computes h = u h +
// (1 - u) c. With resetAfter, c = tanh(x W + b0 + r (h U + b1)).
//
// Options: "partialsType" ("half", "float") and "availableMemoryProportion" go
// to the matrix products; "inferenceOnly" ("true", "false"), "numShards",
// "rnnCodeReuse" are checked and make no difference here.

#ifndef POPULUS_POPNN_GRU_HPP
#define POPULUS_POPNN_GRU_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/GruDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace popnn {
namespace gru {

std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder();

struct GruParams : rnn::GatedLayerParams {
  using rnn::GatedLayerParams::GatedLayerParams;

  /// The order of the units in weights and biases.
  std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
  /// The reset gate is applied after the product with the weights.
  bool resetAfter = false;
};

/// Floating-point operations of all steps of a pass; a product and its sum are
/// two.
std::uint64_t getBasicGruCellFwdFlops(const GruParams &params);
std::uint64_t getBasicGruCellBwdFlops(const GruParams &params);
std::uint64_t getBasicGruCellWuFlops(const GruParams &params);

struct GruWeights {
  /// [3, input size, output size]
  poplar::Tensor inputWeights;
  /// [3, output size, output size]
  poplar::Tensor outputWeights;
  /// [3, output size], or with resetAfter [3, 2, output size]: for x and for h.
  poplar::Tensor biases;
};

/// [steps, batch, input size]
poplar::Tensor createInput(poplar::Graph &graph, const GruParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           poplin::PlanningCache *planningCache = nullptr);
/// [batch, output size]
poplar::Tensor
createInitialState(poplar::Graph &graph, const GruParams &params,
                   const poplar::DebugContext &debugContext,
                   const poplar::OptionFlags &options = {},
                   poplin::PlanningCache *planningCache = nullptr);
/// The input and the output weights.
std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const GruParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
createWeightsBiases(poplar::Graph &graph, const GruParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::PlanningCache *planningCache = nullptr);
GruWeights createWeights(poplar::Graph &graph, const GruParams &params,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options = {},
                         poplin::PlanningCache *planningCache = nullptr);

/// Returns the output; see GruParams::outputFullSequence. \p intermediates,
/// unless null, is set to the tensor that the backward pass needs: [steps, 4,
/// batch, output size], or with GruParams::resetAfter [steps, 5, batch, output
/// size].
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const GruWeights &weights, poplar::Tensor *intermediates,
                      poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::PlanningCache *planningCache = nullptr);
/// The same for sequences of lengths \p realTimeSteps, [batch].
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const poplar::Tensor &realTimeSteps,
                      const GruWeights &weights, poplar::Tensor *intermediates,
                      poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::PlanningCache *planningCache = nullptr);

/// Backward pass. Takes \p gradLayerNext, with the shape of the output, and
/// returns the gradient of the initial state. \p inputGrad is set to the
/// gradient of the input, [steps, batch, input size], unless it is null or
/// GruParams::calcInputGradients is false. \p bwdIntermediates, unless null, is
/// set to the tensor that gruWU needs: [steps, 3, batch, output size].
poplar::Tensor
gruBwd(poplar::Graph &graph, const GruParams &params,
       poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
       const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
       const poplar::Tensor &fwdInputSeq, const poplar::Tensor &fwdOutput,
       const poplar::Tensor &gradLayerNext, poplar::Tensor *inputGrad,
       poplar::Tensor *bwdIntermediates,
       const poplar::DebugContext &debugContext = {},
       const poplar::OptionFlags &options = {},
       poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
gruBwd(poplar::Graph &graph, const GruParams &params,
       poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
       const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
       const poplar::Tensor &fwdInputSeq, const poplar::Tensor &realTimeSteps,
       const poplar::Tensor &fwdOutput, const poplar::Tensor &gradLayerNext,
       poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
       const poplar::DebugContext &debugContext = {},
       const poplar::OptionFlags &options = {},
       poplin::PlanningCache *planningCache = nullptr);

/// The gradients of the weights, of the weights' shapes.
GruWeights gruWU(poplar::Graph &graph, const GruParams &params,
                 poplar::program::Sequence &prog,
                 const poplar::Tensor &fwdOutputInit,
                 const poplar::Tensor &fwdIntermediates,
                 const poplar::Tensor &bwdIntermediates,
                 const GruWeights &weights, const poplar::Tensor &input,
                 const poplar::Tensor &output,
                 const poplar::DebugContext &debugContext = {},
                 const poplar::OptionFlags &options = {},
                 poplin::PlanningCache *planningCache = nullptr);

/// gruBwd and gruWU in one.
poplar::Tensor gruBwdWithWU(
    poplar::Graph &graph, const GruParams &params,
    poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
    const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
    const poplar::Tensor &input, const poplar::Tensor &output,
    const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
    GruWeights &weightsGrad, const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {},
    poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
gruBwdWithWU(poplar::Graph &graph, const GruParams &params,
             poplar::program::Sequence &prog,
             const poplar::Tensor &fwdOutputInit,
             const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
             const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
             const poplar::Tensor &output, const poplar::Tensor &outputGrad,
             poplar::Tensor *inputGrad, GruWeights &weightsGrad,
             const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &options = {},
             poplin::PlanningCache *planningCache = nullptr);

// With attention: the update gate of a step is (1 - a) u, where a is the score
// of the step.

/// Scores, [batch, steps].
poplar::Tensor createAttention(poplar::Graph &graph, const GruParams &params,
                               const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options = {});

/// gruFwd with attention. The intermediates have the gates before attention.
poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params,
                        const poplar::Tensor &stateInit,
                        const poplar::Tensor &in, const GruWeights &weights,
                        poplar::Tensor *intermediates,
                        const poplar::Tensor &attScores,
                        poplar::program::Sequence &fwdProg,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
auGruFwd(poplar::Graph &graph, const GruParams &params,
         const poplar::Tensor &stateInit, const poplar::Tensor &in,
         const poplar::Tensor &realTimeSteps, const GruWeights &weights,
         poplar::Tensor *intermediates, const poplar::Tensor &attScores,
         poplar::program::Sequence &fwdProg,
         const poplar::DebugContext &debugContext = {},
         const poplar::OptionFlags &options = {},
         poplin::PlanningCache *planningCache = nullptr);

/// gruBwd with attention. \p attentionsGrad, unless null, is set to the
/// gradient of the scores.
poplar::Tensor
auGruBwd(poplar::Graph &graph, const GruParams &params,
         poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
         const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
         const poplar::Tensor &fwdInputSeq, const poplar::Tensor &fwdOutput,
         const poplar::Tensor &gradLayerNext, poplar::Tensor *inputGrad,
         poplar::Tensor *bwdIntermediates, const poplar::Tensor &attentions,
         poplar::Tensor *attentionsGrad,
         const poplar::DebugContext &debugContext = {},
         const poplar::OptionFlags &options = {},
         poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
auGruBwd(poplar::Graph &graph, const GruParams &params,
         poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
         const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
         const poplar::Tensor &fwdInputSeq, const poplar::Tensor &realTimeSteps,
         const poplar::Tensor &fwdOutput, const poplar::Tensor &gradLayerNext,
         poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
         const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
         const poplar::DebugContext &debugContext = {},
         const poplar::OptionFlags &options = {},
         poplin::PlanningCache *planningCache = nullptr);

/// gruWU with the intermediates of auGruBwd.
GruWeights auGruWU(poplar::Graph &graph, const GruParams &params,
                   poplar::program::Sequence &prog,
                   const poplar::Tensor &fwdOutputInit,
                   const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates,
                   const GruWeights &weights, const poplar::Tensor &input,
                   const poplar::Tensor &output,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {},
                   poplin::PlanningCache *planningCache = nullptr);

/// auGruBwd and auGruWU in one.
poplar::Tensor
auGruBwdWithWU(poplar::Graph &graph, const GruParams &params,
               poplar::program::Sequence &prog,
               const poplar::Tensor &fwdOutputInit,
               const poplar::Tensor &fwdIntermediates,
               const GruWeights &weights, const poplar::Tensor &input,
               const poplar::Tensor &output, const poplar::Tensor &outputGrad,
               poplar::Tensor *inputGrad, GruWeights &weightsGrad,
               const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
               const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {},
               poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor auGruBwdWithWU(
    poplar::Graph &graph, const GruParams &params,
    poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
    const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
    const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
    const poplar::Tensor &output, const poplar::Tensor &outputGrad,
    poplar::Tensor *inputGrad, GruWeights &weightsGrad,
    const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
    const poplar::DebugContext &debugContext = {},
    const poplar::OptionFlags &options = {},
    poplin::PlanningCache *planningCache = nullptr);

} // namespace gru
} // namespace popnn

#endif
