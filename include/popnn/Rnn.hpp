// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes that all recurrent layers have: the number of steps, and those of a
// step.

#ifndef POPULUS_POPNN_RNN_HPP
#define POPULUS_POPNN_RNN_HPP

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popnn/NonLinearityDef.hpp>

#include <cstddef>
#include <vector>

namespace popnn {
namespace rnn {

struct RnnParams {
  /// \p layerSizes is {size of an input, size of an output}.
  RnnParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes);
  /// \p varTimeSteps gives the number of steps of each sequence, [batch], or
  /// one number for all. Its type is UNSIGNED_INT or INT.
  RnnParams(poplar::Type dataType, std::size_t batchSize,
            std::size_t maxTimeSteps, const poplar::Tensor &varTimeSteps,
            std::vector<std::size_t> layerSizes);

  bool variableTimeSteps() const { return varTimeSteps.valid(); }
  std::size_t getInputSize() const { return layerSizes[0]; }
  std::size_t getOutputSize() const { return layerSizes[1]; }
  /// Bytes of all steps' inputs, or outputs, on a tile when they are spread
  /// evenly over the tiles.
  std::size_t getInputBytesPerTile(const poplar::Graph &graph) const;
  std::size_t getOutputBytesPerTile(const poplar::Graph &graph) const;
  /// Maximum number of runs of steps that different parts of the IPU could work
  /// on. It is limited by the number of steps, and by the tiles that hold a
  /// step's output at two elements each.
  std::size_t getMaxShards(const poplar::Graph &graph) const;

  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t maxTimeSteps;
  std::size_t timeSteps;
  poplar::Tensor varTimeSteps;
  std::vector<std::size_t> layerSizes;
};

/// \p multiple states, or gradients of states, [multiple, batch, output size].
/// \p isOutput and the numbers of shards change nothing: a layer's steps are
/// not spread over parts of the IPU.
poplar::Tensor
createInitialState(poplar::Graph &graph, const RnnParams &params, bool isOutput,
                   unsigned multiple, unsigned numShards,
                   const poplar::DebugContext &debugContext = {});
/// Creates a tensor with data of all steps, to be sliced by steps: [steps,
/// batch, size]. createInputTensor and createOutputTensor use the sizes of the
/// layer.
poplar::Tensor
createRecurrentTensor(poplar::Graph &graph, const RnnParams &params,
                      unsigned size, unsigned numShards,
                      const poplar::DebugContext &debugContext = {});
poplar::Tensor createInputTensor(poplar::Graph &graph, const RnnParams &params,
                                 unsigned numShards,
                                 const poplar::DebugContext &debugContext = {});
poplar::Tensor
createOutputTensor(poplar::Graph &graph, const RnnParams &params,
                   unsigned numShards,
                   const poplar::DebugContext &debugContext = {});
/// [multiple * steps, batch, output size]
poplar::Tensor
createOutputTensor(poplar::Graph &graph, const RnnParams &params,
                   unsigned multiple, unsigned numShards,
                   const poplar::DebugContext &debugContext = {});
/// Shifts \p tBase, [steps, ...], by one step: returns a copy of \p tSingle,
/// [1, ...], followed by all steps but the last.
poplar::Tensor shiftRnnTensor(poplar::Graph &graph, const RnnParams &params,
                              const poplar::Tensor &tBase,
                              const poplar::Tensor &tSingle,
                              poplar::program::Sequence &prog,
                              unsigned numShards,
                              const poplar::DebugContext &debugContext = {});

/// Parameters common to LstmParams and GruParams.
struct GatedLayerParams {
  GatedLayerParams(
      poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
      std::vector<std::size_t> layerSizes,
      NonLinearityType activation = NonLinearityType::TANH,
      NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  /// See RnnParams for sequences of different lengths. Their outputs after the
  /// last step are zero.
  GatedLayerParams(
      poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
      const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
      NonLinearityType activation = NonLinearityType::TANH,
      NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);

  RnnParams rnn;
  std::vector<std::size_t> layerSizes;
  /// The output has all steps, [steps, batch, output size], or just the last
  /// one, [batch, output size].
  bool outputFullSequence = true;
  /// Makes backward passes compute the gradient of the input.
  bool calcInputGradients = true;
  NonLinearityType activation;
  NonLinearityType recurrentActivation;
};

} // namespace rnn
} // namespace popnn

#endif
