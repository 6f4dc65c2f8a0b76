// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM of Graphcore's domain: popnn's LSTM, with its order of gates (forget,
// input, candidate, output). Inputs are X [steps, batch, I], weights [4, I + H,
// H] (input above state), and optionally biases [4, H] and the initial state
// [2, batch, H] (output and cell). Results are the outputs of all steps, or of
// the last, and the last cell state. For differentiation it is expanded to
// ONNX's LSTM.

#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <popnn/Lstm.hpp>
#include <popops/Zero.hpp>

namespace populus::popir {

namespace {

class GraphcoreLstm final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    checkSameTypes(*this, 0, inputs().size());
    const Shape &x = inputShape(0), &weights = inputShape(1);
    if (x.size() != 3 || weights.size() != 3 || weights[0] != 4 ||
        weights[1] != x[2] + weights[2])
      failInput(fmt::format("its input {} and weights {} do not go together",
                            toString(x), toString(weights)));
    if (x[0] == 0)
      failUnsupported("a sequence of no steps is not supported");
    checkShape(2, {4, hiddenSize()});
    checkShape(3, {2, x[1], hiddenSize()});
    Shape state = {x[1], hiddenSize()}, all = {x[0], x[1], hiddenSize()};
    DataType type = input(0).info.type;
    return {{type, isFullSequence() ? all : state}, {type, state}};
  }

  std::vector<Value *> trainingForm(GraphBuilder &b) const override {
    const Shape &x = inputShape(0);
    const std::int64_t hidden = hiddenSize();
    // [1, 4 * hidden, I + hidden], a row for each unit.
    Value &rows =
        b.reshape(b.transpose(inOnnxOrder(b, *inputs()[1]), {0, 2, 1}),
                  {1, 4 * hidden, x[2] + hidden});
    std::vector<Value *> operands = {inputs()[0], &b.slice(rows, 2, 0, x[2]),
                                     &b.slice(rows, 2, x[2], x[2] + hidden)};
    operands.resize(7);
    if (hasInput(2)) // the second half is of the state, which has none here
      operands[3] =
          &b.pad(b.reshape(inOnnxOrder(b, *inputs()[2]), {1, 4 * hidden}),
                 {0, 0}, {0, 4 * hidden});
    if (hasInput(3))
      for (std::int64_t i : {0, 1})
        operands[5 + i] = &b.slice(*inputs()[3], 0, i, i + 1);
    const std::vector<Value *> made =
        b.results("LSTM", operands, 3, {{"hidden_size", hidden}});
    const Shape state = {x[1], hidden};
    return {&(isFullSequence() ? b.reshape(*made[0], {x[0], x[1], hidden})
                               : b.reshape(*made[1], state)),
            &b.reshape(*made[2], state)};
  }

  double codeValue() const override { return 1; }
  void lower(Lowering &lowering) const override {
    poplar::Graph &graph = lowering.graph();
    poplar::DebugContext debug = lowering.debug(*this);
    popnn::lstm::LstmParams params = this->params();
    popnn::lstm::LstmState state =
        popnn::lstm::createInitialState(graph, params, {debug, "state"});
    if (hasInput(3)) {
      poplar::Tensor given = lowering.input(*this, 3);
      copy(lowering, given[0], state.output);
      copy(lowering, given[1], state.cellState);
    } else {
      popnn::lstm::zeroInitialState(graph, state, lowering.program(), debug);
    }
    auto [output, cell] = popnn::lstm::lstmFwd(
        graph, params, state, lowering.input(*this, 0), weights(lowering),
        nullptr, lowering.program(), debug);
    lowering.setOutput(*this, output);
    if (hasOutput(1))
      lowering.setOutput(*this, cell, 1);
  }

private:
  std::int64_t hiddenSize() const { return inputShape(1)[2]; }
  bool isFullSequence() const {
    return attributes().getInt("output_full_sequence", 1) != 0;
  }

  /// Units in the order of ONNX: input, output, forget, candidate.
  static Value &inOnnxOrder(GraphBuilder &b, Value &units) {
    std::vector<Value *> parts;
    for (std::int64_t unit : {1, 3, 0, 2})
      parts.push_back(&b.slice(units, 0, unit, unit + 1));
    return b.concat(parts, 0);
  }

  void checkShape(std::size_t index, const Shape &wanted) const {
    if (hasInput(index) && inputShape(index) != wanted)
      failInput(fmt::format("input {} has the shape {}, and {} fits", index,
                            toString(inputShape(index)), toString(wanted)));
  }

  popnn::lstm::LstmParams params() const {
    const Shape &x = inputShape(0);
    popnn::lstm::LstmParams result(deviceType(input(0).info.type), x[1], x[0],
                                   toPoplar({x[2], hiddenSize()}));
    result.outputFullSequence = isFullSequence();
    result.calcInputGradients = false;
    return result;
  }

  void copy(Lowering &lowering, const poplar::Tensor &from,
            const poplar::Tensor &to) const {
    lowering.program().add(
        poplar::program::Copy(from, to, false, lowering.debug(*this)));
  }

  popnn::lstm::LstmWeights weights(Lowering &lowering) const {
    std::size_t inputSize = inputShape(0)[2], all = inputShape(1)[1];
    poplar::Tensor merged = lowering.input(*this, 1);
    popnn::lstm::LstmWeights result;
    result.inputWeights = merged.slice(0, inputSize, 1);
    result.outputWeights = merged.slice(inputSize, all, 1);
    if (hasInput(2)) {
      result.biases = lowering.input(*this, 2);
    } else {
      result.biases = popnn::lstm::createWeightsBiases(
          lowering.graph(), params(), {lowering.debug(*this), "biases"});
      popops::zero(lowering.graph(), result.biases, lowering.program(),
                   lowering.debug(*this));
    }
    return result;
  }
};

const RegisterOp<GraphcoreLstm> registration("LSTM", {1}, "ai.graphcore", 4);

} // namespace

} // namespace populus::popir
