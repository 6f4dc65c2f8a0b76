// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What recurrent layers share. The products with the input weights are made for
// all steps at once; what is left is a loop whose body takes the slice of its
// step, multiplies the state by the other weights, and puts its output in
// place.

#ifndef POPULUS_LIB_POPLIBS_POPNN_RECURRENTLAYER_H
#define POPULUS_LIB_POPLIBS_POPNN_RECURRENTLAYER_H

#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/Rnn.hpp>

#include <functional>

namespace popnn {

class RecurrentLayer {
public:
  /// \p units gates and candidates of a cell.
  RecurrentLayer(poplar::Graph &graph, const rnn::RnnParams &params,
                 std::size_t units, const poplar::OptionFlags &matMulOptions,
                 poplin::PlanningCache *cache,
                 const poplar::DebugContext &debugContext);

  poplar::Tensor createInput() const;
  /// [batch, output size]
  poplar::Tensor createState(const char *name) const;
  /// [units, input size, output size]
  poplar::Tensor createInputWeights() const;
  /// [units, output size, output size]
  poplar::Tensor createOutputWeights() const;

  void checkOperands(const poplar::Tensor &in,
                     const poplar::Tensor &inputWeights,
                     const poplar::Tensor &outputWeights) const;

  /// in[steps, batch, input size] weights + biases[units, output size] as
  /// [steps, units, batch, output size], laid out for slicing by steps.
  poplar::Tensor projectInput(const poplar::Tensor &in,
                              const poplar::Tensor &weights,
                              const poplar::Tensor &biases,
                              poplar::program::Sequence &prog) const;
  /// Adds biases[units, output size] to a projection.
  poplar::Tensor sliceable(const poplar::Tensor &projection,
                           const poplar::Tensor &biases,
                           poplar::program::Sequence &prog) const;

  /// Weights[units, output size, output size] where multiplyState wants them.
  poplar::Tensor arrangeWeights(const poplar::Tensor &weights,
                                poplar::program::Sequence &prog) const;
  /// state[batch, output size] weights as [units, batch, output size].
  poplar::Tensor multiplyState(const poplar::Tensor &state,
                               const poplar::Tensor &weights,
                               poplar::program::Sequence &prog) const;

  /// A step's slice of the projection, [units, batch, output size], to the new
  /// values of the states, which the loop writes to \p states.
  using Step = std::function<std::vector<poplar::Tensor>(
      const poplar::Tensor &, poplar::program::Sequence &)>;
  /// Runs the steps; the first of the states is the output. States stay as they
  /// are once a sequence has ended. Returns all outputs, or those after the
  /// last step.
  poplar::Tensor run(const poplar::Tensor &projection,
                     const std::vector<poplar::Tensor> &states, bool allSteps,
                     const Step &step, poplar::program::Sequence &prog) const;

  /// A copy of the initial state for the loop to work on.
  poplar::Tensor copyState(const poplar::Tensor &state,
                           poplar::program::Sequence &prog) const;

private:
  poplar::Graph &graph;
  const rnn::RnnParams &params;
  const std::size_t units;
  const poplar::OptionFlags options;
  poplin::PlanningCache *const cache;
  const poplar::DebugContext &debugContext;
};

/// Fails unless the type of layer is one of float or half and there are an
/// input and an output size.
void checkRecurrentParams(const rnn::RnnParams &params, const char *layer);

/// Checks the options of recurrent layers and gives those for matrix products.
poplar::OptionFlags parseRecurrentOptions(const poplar::OptionFlags &options);

} // namespace popnn

#endif
