// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common part of recurrent layers. The products with the input weights are
// computed for all steps at once. The rest is a loop over the steps: its body
// slices the step's data, multiplies the state by the other weights, and stores
// the step's output.

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

  /// Data of a loop over the steps.
  struct Loop {
    /// Each [steps, ...]; a step gets its slices.
    std::vector<poplar::Tensor> inputs;
    /// States that a step updates. Beyond the end of a sequence they do not
    /// change.
    std::vector<poplar::Tensor> states;
    /// Run from the last step to the first.
    bool backwards = false;
  };
  struct StepResult {
    std::vector<poplar::Tensor> states;
    /// Collected over the steps, with zeros beyond the end of a sequence; the
    /// last dimensions of all are [batch, output size].
    std::vector<poplar::Tensor> outputs;
  };
  /// From the slices of the inputs to the new states.
  using Step = std::function<StepResult(const std::vector<poplar::Tensor> &,
                                        poplar::program::Sequence &)>;
  /// Runs the steps. Returns their outputs, each [steps, ...].
  std::vector<poplar::Tensor> run(const Loop &loop, const Step &step,
                                  poplar::program::Sequence &prog) const;

  /// A copy of the initial state for the loop to work on.
  poplar::Tensor copyState(const poplar::Tensor &state,
                           poplar::program::Sequence &prog) const;

  /// The gradient of the output as a loop's input, if that has all steps, and
  /// the gradient of the last output to begin with.
  struct OutputGradient {
    std::vector<poplar::Tensor> steps;
    poplar::Tensor last;
  };
  OutputGradient splitOutputGradient(const poplar::Tensor &gradient,
                                     bool allSteps,
                                     poplar::program::Sequence &prog) const;
  /// The gradient of a state at the end: a copy of \p given, or zeros.
  poplar::Tensor copyOrZero(const poplar::Tensor *given,
                            poplar::program::Sequence &prog) const;

  // In what follows, deltas are gradients of what goes into the units'
  // nonlinearities: [units, batch, output size], or of all steps [steps, units,
  // batch, output size].

  /// Weights[units, rows, output size] as the matrix [units * output size,
  /// rows] where backThrough wants them.
  poplar::Tensor arrangeTransposed(const poplar::Tensor &weights,
                                   poplar::program::Sequence &prog) const;
  /// The gradient [batch, rows] of what was multiplied by the weights.
  poplar::Tensor backThrough(const poplar::Tensor &deltas,
                             const poplar::Tensor &transposedWeights,
                             poplar::program::Sequence &prog) const;
  /// The gradient of the input, [steps, batch, input size].
  poplar::Tensor inputGradient(const poplar::Tensor &deltas,
                               const poplar::Tensor &inputWeights,
                               poplar::program::Sequence &prog) const;
  /// The gradient of the weights by which \p factors [steps, batch, rows] were
  /// multiplied: [units, rows, output size].
  poplar::Tensor weightGradient(const poplar::Tensor &factors,
                                const poplar::Tensor &deltas,
                                poplar::program::Sequence &prog) const;
  /// [units, output size]
  poplar::Tensor biasGradient(const poplar::Tensor &deltas,
                              poplar::program::Sequence &prog) const;

private:
  poplar::Graph &graph;
  const rnn::RnnParams &params;
  const std::size_t units;
  const poplar::OptionFlags options;
  poplin::PlanningCache *const cache;
  const poplar::DebugContext &debugContext;
};

/// Fails unless \p t, which the message calls \p what, has that shape.
void checkRecurrentShape(const poplar::Tensor &t,
                         const std::vector<std::size_t> &shape,
                         const char *what);

/// The operations of products with input and state for \p units units over all
/// steps, a product and its sum being two; and of one operation on each element
/// of the output of all steps.
std::uint64_t inputProductFlops(const rnn::RnnParams &params,
                                std::size_t units);
std::uint64_t stateProductFlops(const rnn::RnnParams &params,
                                std::size_t units);
std::uint64_t elementwiseFlops(const rnn::RnnParams &params);

/// Fails unless the type of layer is one of float or half and there are an
/// input and an output size.
void checkRecurrentParams(const rnn::RnnParams &params, const char *layer);

/// Checks the options of recurrent layers and gives those for matrix products.
poplar::OptionFlags parseRecurrentOptions(const poplar::OptionFlags &options);

} // namespace popnn

#endif
