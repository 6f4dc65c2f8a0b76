// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long short-term memory, forward. With gates f, i, o = sigmoid(x W + h U + b)
// and a candidate g = tanh(x W + h U + b), a step computes c = f c + i g and
// h = o tanh(c).
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
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstddef>
#include <utility>
#include <vector>

/// The units of a cell, in the order of weights and biases.
enum BasicLstmCellUnit {
  BASIC_LSTM_CELL_FORGET_GATE = 0,
  BASIC_LSTM_CELL_INPUT_GATE = 1,
  BASIC_LSTM_CELL_CANDIDATE = 2,
  BASIC_LSTM_CELL_OUTPUT_GATE = 3,
  BASIC_LSTM_CELL_NUM_UNITS = 4
};

namespace popnn {
namespace lstm {

std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder();

struct LstmParams {
  LstmParams(poplar::Type dataType, std::size_t batchSize,
             std::size_t timeSteps, std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  /// See rnn::RnnParams for sequences of different lengths. Their outputs
  /// after the last step are zero.
  LstmParams(poplar::Type dataType, std::size_t batchSize,
             std::size_t maxTimeSteps, const poplar::Tensor &timeSteps,
             std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);

  rnn::RnnParams rnn;
  std::vector<std::size_t> layerSizes;
  /// The output has all steps, [steps, batch, output size], or just the last
  /// one, [batch, output size].
  bool outputFullSequence = true;
  /// With false the input has been multiplied by the weights already.
  bool doInputWeightCalc = true;
  bool calcInputGradients = true;
  bool preserveFinalState = false;
  /// The order of the units in weights and biases.
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
  NonLinearityType activation;
  NonLinearityType recurrentActivation;
};

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

/// The output (see LstmParams::outputFullSequence) and the cell state after the
/// last step. \p intermediates must be null: what gradients need is not kept.
std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params,
        const LstmState &stateInit, const poplar::Tensor &in,
        const LstmWeights &weights, poplar::Tensor *intermediates,
        poplar::program::Sequence &fwdProg,
        const poplar::DebugContext &debugContext = {},
        const poplar::OptionFlags &options = {},
        poplin::PlanningCache *planningCache = nullptr);

} // namespace lstm
} // namespace popnn

#endif
