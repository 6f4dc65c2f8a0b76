// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gated recurrent units, forward. With gates r, u = sigmoid(x W + h U + b) and
// a candidate c = tanh(x W + (r h) U + b), a step computes
// h = u h + (1 - u) c. With resetAfter, c = tanh(x W + b0 + r (h U + b1)).
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
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>

#include <cstddef>
#include <utility>
#include <vector>

/// The units of a cell, in the order of weights and biases.
enum BasicGruCellUnit {
  BASIC_GRU_CELL_RESET_GATE = 0,
  BASIC_GRU_CELL_UPDATE_GATE = 1,
  BASIC_GRU_CELL_CANDIDATE = 2,
  BASIC_GRU_CELL_NUM_UNITS = 3
};

namespace popnn {
namespace gru {

std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder();

struct GruParams {
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  /// See rnn::RnnParams for sequences of different lengths. Their outputs
  /// after the last step are zero.
  GruParams(poplar::Type dataType, std::size_t batchSize,
            std::size_t maxTimeSteps, const poplar::Tensor &timeSteps,
            std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);

  rnn::RnnParams rnn;
  std::vector<std::size_t> layerSizes;
  /// The output has all steps, [steps, batch, output size], or just the last
  /// one, [batch, output size].
  bool outputFullSequence = true;
  bool calcInputGradients = true;
  /// The order of the units in weights and biases.
  std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
  /// The reset gate is applied after the product with the weights.
  bool resetAfter = false;
  NonLinearityType activation;
  NonLinearityType recurrentActivation;
};

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

/// The output; see GruParams::outputFullSequence. \p intermediates must be
/// null: what gradients need is not kept.
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const GruWeights &weights, poplar::Tensor *intermediates,
                      poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::PlanningCache *planningCache = nullptr);
/// As above for sequences of \p realTimeSteps [batch].
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const poplar::Tensor &realTimeSteps,
                      const GruWeights &weights, poplar::Tensor *intermediates,
                      poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::PlanningCache *planningCache = nullptr);

} // namespace gru
} // namespace popnn

#endif
