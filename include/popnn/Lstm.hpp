// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long short-term memory and its gradients. With gates f, i, o = sigmoid(x W +
// h U + b) and a candidate g = tanh(x W + h U + b), a step computes c = f c + i
// g and h = o tanh(c).
//
// Options: "partialsType" ("half", "float") and "availableMemoryProportion" go
// to the matrix products; "inferenceOnly", "preCalcWeights",
// "disableWUPartialInterleaving" ("true", "false"), "weightAccumulatorsType"
// ("half", "float"), "recomputationMode" ("none", "cellAndTanh", "full"),
// "numShards", "rnnCodeReuse", "rnnStepsPerWU" are checked and make no
// difference here.

#ifndef POPULUS_POPNN_LSTM_HPP
#define POPULUS_POPNN_LSTM_HPP

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/LstmDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace popnn {
namespace lstm {

std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder();

struct LstmParams : rnn::GatedLayerParams {
  using rnn::GatedLayerParams::GatedLayerParams;

  /// If false, the input has already been multiplied by the weights.
  bool doInputWeightCalc = true;
  bool preserveFinalState = false;
  /// The order of the units in weights and biases.
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
};

/// Floating-point operations of all steps of a pass; a product and its sum are
/// two.
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params);
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params);
std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params);

/// Both [batch, output size].
struct LstmState {
  poplar::Tensor output;
  poplar::Tensor cellState;

  poplar::Tensor getAsTensor() const;
};

struct LstmWeights {
  /// [4, input size, output size]
  poplar::Tensor inputWeights;
  /// [4, output size, output size]
  poplar::Tensor outputWeights;
  /// [4, output size]
  poplar::Tensor biases;
};

/// [steps, batch, input size]
poplar::Tensor createInput(poplar::Graph &graph, const LstmParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
createInitialOutput(poplar::Graph &graph, const LstmParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
createInitialCellState(poplar::Graph &graph, const LstmParams &params,
                       const poplar::DebugContext &debugContext,
                       const poplar::OptionFlags &options = {},
                       poplin::PlanningCache *planningCache = nullptr);
LstmState createInitialState(poplar::Graph &graph, const LstmParams &params,
                             const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options = {},
                             poplin::PlanningCache *planningCache = nullptr);
void zeroInitialState(poplar::Graph &graph, const LstmState &initialState,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});

/// The input and the output weights.
std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const LstmParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::PlanningCache *planningCache = nullptr);
poplar::Tensor
createWeightsBiases(poplar::Graph &graph, const LstmParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::PlanningCache *planningCache = nullptr);
LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params,
                          const poplar::DebugContext &debugContext,
                          const poplar::OptionFlags &options = {},
                          poplin::PlanningCache *planningCache = nullptr);

/// Returns the output (see LstmParams::outputFullSequence) and the cell state
/// after the last step. \p intermediates, unless null, is set to the tensor
/// that the backward pass needs: [steps, 7, batch, output size].
std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params,
        const LstmState &stateInit, const poplar::Tensor &in,
        const LstmWeights &weights, poplar::Tensor *intermediates,
        poplar::program::Sequence &fwdProg,
        const poplar::DebugContext &debugContext = {},
        const poplar::OptionFlags &options = {},
        poplin::PlanningCache *planningCache = nullptr);

/// Backward pass. Takes \p outputGrad, with the shape of the output, and the
/// gradient of the last cell state (null: zero). Returns the gradient of the
/// initial state. \p inputGrad is set to the gradient of the input, [steps,
/// batch, input size], unless it is null or LstmParams::calcInputGradients is
/// false. \p bwdIntermediates, unless null, is set to the tensor that lstmWU
/// needs: [steps, 4, batch, output size].
LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params,
                  poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit,
                  const poplar::Tensor &fwdIntermediates,
                  const LstmWeights &weights, const poplar::Tensor &input,
                  const poplar::Tensor &output,
                  const poplar::Tensor &outputGrad,
                  const poplar::Tensor *lastCellStateGrad,
                  poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                  const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {},
                  poplin::PlanningCache *planningCache = nullptr);
/// The same with gradients of both parts of the last state.
LstmState
lstmBwd(poplar::Graph &graph, const LstmParams &params,
        poplar::program::Sequence &prog, const LstmState &fwdStateInit,
        const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
        const poplar::Tensor &input, const poplar::Tensor &output,
        const poplar::Tensor &outputGrad, const LstmState *lastStateGrad,
        poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
        const poplar::DebugContext &debugContext = {},
        const poplar::OptionFlags &options = {},
        poplin::PlanningCache *planningCache = nullptr);

/// Returns the gradients of the weights, with their shapes. Without
/// LstmParams::doInputWeightCalc there is no gradient of the input weights.
LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params,
                   poplar::program::Sequence &prog,
                   const LstmState &fwdStateInit,
                   const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates,
                   const LstmWeights &weights, const poplar::Tensor &input,
                   const poplar::Tensor &output,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {},
                   poplin::PlanningCache *planningCache = nullptr);

/// lstmBwd and lstmWU in one.
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog,
                        const LstmState &fwdStateInit,
                        const poplar::Tensor &fwdIntermediates,
                        const LstmWeights &weights, const poplar::Tensor &input,
                        const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad,
                        const poplar::Tensor *lastCellStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog,
                        const LstmState &fwdStateInit,
                        const poplar::Tensor &fwdIntermediates,
                        const LstmWeights &weights, const poplar::Tensor &input,
                        const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad,
                        const LstmState *lastStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::PlanningCache *planningCache = nullptr);

} // namespace lstm
} // namespace popnn

#endif
