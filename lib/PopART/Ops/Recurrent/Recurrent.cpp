// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN. The products of the inputs x(t) W are one matrix product
// over all time steps. A loop on the device then runs over the steps, each with
// one product h(t-1) R of state and recurrent weights. Directions run one after
// the other. All of ONNX's variants are supported: peepholes, clipping,
// sequence lengths, activations, both forms of GRU.

#include "lib/PopART/Ops/Recurrent/Recurrent.h"

#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <poplin/MatMul.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>

namespace populus::popir {

namespace {

using expr::Any;
using poplar::program::Copy;
using poplar::program::Repeat;
using poplar::program::Sequence;

const poplar::OptionFlags MatMulOptions = {
    {"fullyConnectedPass", "INFERENCE_FWD"}};

/// An activation function as an expression.
Any apply(const Activation &f, const Any &x, const poplar::Type &elementType) {
  auto constant = [&](double value) { return expr::Const(value, elementType); };
  const std::string &type = f.type;
  if (type == "Sigmoid")
    return expr::Sigmoid(x);
  if (type == "Tanh")
    return expr::Tanh(x);
  if (type == "Relu")
    return expr::Max(x, constant(0));
  if (type == "Affine")
    return x * constant(f.alpha) + constant(f.beta);
  if (type == "LeakyRelu")
    return expr::Max(x, constant(0)) +
           expr::Min(x, constant(0)) * constant(f.alpha);
  if (type == "ThresholdedRelu")
    return expr::Select(x, constant(0), expr::Gt(x, constant(f.alpha)));
  if (type == "ScaledTanh")
    return expr::Tanh(x * constant(f.beta)) * constant(f.alpha);
  if (type == "HardSigmoid")
    return expr::Max(
        expr::Min(x * constant(f.alpha) + constant(f.beta), constant(1)),
        constant(0));
  if (type == "Elu")
    return expr::Max(x, constant(0)) +
           expr::Expm1(expr::Min(x, constant(0))) * constant(f.alpha);
  if (type == "Softsign")
    return x / (expr::Abs(x) + constant(1));
  return expr::Max(x, constant(0)) + // Softplus
         expr::Log1p(expr::Exp(-expr::Abs(x)));
}

/// The tensors that an expression under construction reads.
class Terms {
public:
  expr::PlaceHolder operator()(const poplar::Tensor &tensor) {
    tensors.push_back(tensor);
    return expr::PlaceHolder(static_cast<unsigned>(tensors.size()));
  }

  std::vector<poplar::Tensor> tensors;
};

struct ActivationDefault {
  const char *type;
  double alpha, beta;
};

constexpr ActivationDefault KnownActivations[] = {
    {"Sigmoid", 0, 0},      {"Tanh", 0, 0},
    {"Relu", 0, 0},         {"Affine", 1, 0},
    {"LeakyRelu", 0.01, 0}, {"ThresholdedRelu", 1, 0},
    {"ScaledTanh", 1, 1},   {"HardSigmoid", 0.2, 0.5},
    {"Elu", 1, 0},          {"Softsign", 0, 0},
    {"Softplus", 0, 0},
};

/// One direction of the recurrence, with its part of the parameters. Matrices
/// are [gates * hidden, …] as in ONNX, vectors [gates * hidden] or [hidden].
struct Direction {
  bool backwards = false;
  std::vector<Activation> activations;
  poplar::Tensor weights, recurrence;
  /// Invalid tensors if the model has none.
  poplar::Tensor inputBias, recurrentBias, peepholes;
  poplar::Tensor hidden, cell;
};

class RecurrentOp : public DeviceOp {
public:
  RecurrentOp(OpSpec newSpec, std::int64_t numGates, std::size_t numStates)
      : DeviceOp(std::move(newSpec)), numGates(numGates), numStates(numStates) {
  }

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    for (std::size_t i : {0, 1, 2})
      if (inputShape(i).size() != 3)
        failInput(fmt::format("input {} of shape {} does not have three "
                              "dimensions",
                              i, toString(inputShape(i))));
    if (steps() == 0)
      failUnsupported("a sequence of no steps is not supported");
    std::int64_t hidden = hiddenSize(), directions = numDirections();
    checkShape(1, {directions, numGates * hidden, inputShape(0)[2]});
    checkShape(2, {directions, numGates * hidden, hidden});
    checkShape(3, {directions, 2 * numGates * hidden});
    checkShape(4, {batch()});
    Shape state = {directions, batch(), hidden};
    if (isBatchFirst())
      std::swap(state[0], state[1]);
    checkShape(5, state);
    if (numStates == 2) {
      checkShape(6, state);
      checkShape(7, {directions, 3 * hidden});
    }
    for (const std::string &name : activationNames())
      if (!knownActivation(name))
        failUnsupported(
            fmt::format("activation \"{}\" is not supported", name));
    DataType type = input(0).info.type;
    Shape all = {steps(), directions, batch(), hidden};
    if (isBatchFirst())
      all = {batch(), steps(), directions, hidden};
    return {{type, all}, {type, state}, {type, state}};
  }

  poplar::Tensor createInput(Lowering &lowering,
                             std::size_t index) const override {
    if (index != 1 && index != 2)
      return poplar::Tensor();
    const Shape &shape = inputShape(index);
    std::int64_t rows = index == 1 ? steps() * batch() : batch();
    poplar::Type type = deviceType(input(0).info.type);
    std::vector<poplar::Tensor> parts;
    for (std::int64_t i = 0; i != shape[0]; ++i)
      parts.push_back(
          poplin::createMatMulInputRHS(
              lowering.graph(), type, toPoplar({rows, shape[2]}),
              toPoplar({shape[2], shape[1]}),
              {lowering.debug(*this), index == 1 ? "weights" : "recurrence"},
              MatMulOptions)
              .transpose()
              .expand({0}));
    return poplar::concat(parts);
  }

  std::vector<Value *> trainingForm(GraphBuilder &b) const override {
    RecurrentForm form;
    form.op = this;
    form.isBatchFirst = isBatchFirst();
    for (std::int64_t i = 0; i != numDirections(); ++i)
      form.directions.push_back({isBackwards(i), activationsOf(i)});
    return recurrentSteps(b, form);
  }

  double codeValue() const override { return 1; }
  void lower(Lowering &lowering) const override {
    poplar::Tensor x = lowering.input(*this, 0);
    if (isBatchFirst())
      x = x.dimShuffle({1, 0, 2});
    std::vector<poplar::Tensor> outputs, hidden, cell;
    for (std::int64_t i = 0; i != numDirections(); ++i) {
      Direction direction = makeDirection(lowering, i);
      outputs.push_back(run(lowering, x, direction).expand({1}));
      hidden.push_back(direction.hidden.expand({0}));
      if (numStates == 2)
        cell.push_back(direction.cell.expand({0}));
    }
    poplar::Tensor all = poplar::concat(outputs, 1); // [steps, dirs, batch, h]
    auto state = [&](const std::vector<poplar::Tensor> &parts) {
      poplar::Tensor whole = poplar::concat(parts);
      return isBatchFirst() ? whole.dimShuffle({1, 0, 2}) : whole;
    };
    if (hasOutput(0))
      lowering.setOutput(*this,
                         isBatchFirst() ? all.dimShuffle({2, 0, 1, 3}) : all);
    if (hasOutput(1))
      lowering.setOutput(*this, state(hidden), 1);
    if (hasOutput(2) && numStates == 2)
      lowering.setOutput(*this, state(cell), 2);
  }

protected:
  /// The new states, from the input products of the gates and the old states.
  struct States {
    poplar::Tensor hidden, cell;
  };
  virtual States step(Lowering &lowering, Sequence &program,
                      const Direction &direction,
                      const poplar::Tensor &gates) const = 0;
  virtual std::vector<std::string> defaultActivations() const = 0;
  /// The number of leading gates whose two biases are just added up.
  virtual std::int64_t gatesWithOneBias() const { return numGates; }

  std::int64_t hiddenSize() const { return inputShape(2)[2]; }

  /// The part of gate `i` of a tensor [batch, gates * hidden].
  poplar::Tensor gate(const poplar::Tensor &gates, std::size_t i) const {
    std::size_t size = hiddenSize();
    return gates.slice(i * size, (i + 1) * size, gates.rank() - 1);
  }

  poplar::Tensor recurrent(Lowering &lowering, Sequence &program,
                           const poplar::Tensor &state,
                           const poplar::Tensor &recurrence) const {
    return poplin::matMul(lowering.graph(), state, recurrence.transpose(),
                          program, {lowering.debug(*this), "recurrence"},
                          MatMulOptions);
  }

  poplar::Tensor map(Lowering &lowering, Sequence &program, const Any &e,
                     const std::vector<poplar::Tensor> &tensors) const {
    return popops::map(lowering.graph(), e, tensors, program,
                       {lowering.debug(*this), "cell"});
  }

  /// Clamps the operand of an activation function to [-clip, clip].
  Any clipped(const Any &x) const {
    if (!attributes().has("clip"))
      return x;
    poplar::Type type = deviceType(input(0).info.type);
    double limit = attributes().getFloat("clip", 0);
    return expr::Max(expr::Min(x, expr::Const(limit, type)),
                     expr::Const(-limit, type));
  }
  Any activated(const Direction &direction, std::size_t i, const Any &x) const {
    return apply(direction.activations[i], x, deviceType(input(0).info.type));
  }

private:
  bool isBatchFirst() const { return attributes().getInt("layout", 0) != 0; }
  std::int64_t steps() const { return inputShape(0)[isBatchFirst() ? 1 : 0]; }
  std::int64_t batch() const { return inputShape(0)[isBatchFirst() ? 0 : 1]; }
  std::int64_t numDirections() const {
    std::string direction = attributes().getString("direction", "forward");
    if (direction != "forward" && direction != "reverse" &&
        direction != "bidirectional")
      failInput(fmt::format("direction \"{}\" does not exist", direction));
    return direction == "bidirectional" ? 2 : 1;
  }

  bool isBackwards(std::int64_t direction) const {
    return direction == 1 ||
           attributes().getString("direction", "forward") == "reverse";
  }

  void checkShape(std::size_t index, const Shape &wanted) const {
    if (hasInput(index) && inputShape(index) != wanted)
      failInput(fmt::format("input {} has the shape {}, and {} fits", index,
                            toString(inputShape(index)), toString(wanted)));
  }

  std::vector<std::string> activationNames() const {
    std::vector<std::string> names = attributes().getStrings("activations");
    std::vector<std::string> defaults = defaultActivations();
    std::size_t wanted = defaults.size() * numDirections();
    while (names.empty() || names.size() < wanted) {
      if (!attributes().getStrings("activations").empty() &&
          names.size() % defaults.size() != 0)
        failInput("its list of activations does not have one for each gate");
      names.insert(names.end(), defaults.begin(), defaults.end());
    }
    return names;
  }

  static const ActivationDefault *knownActivation(const std::string &name) {
    auto same = [](char a, char b) {
      return std::tolower(a) == std::tolower(b);
    };
    for (const ActivationDefault &known : KnownActivations)
      if (std::ranges::equal(std::string_view(known.type), name, same))
        return &known;
    return nullptr;
  }

  /// The activations of a direction. The attributes list parameters only for
  /// functions that have some, in order.
  std::vector<Activation> activationsOf(std::int64_t direction) const {
    std::vector<std::string> names = activationNames();
    std::vector<float> alphas = attributes().getFloats("activation_alpha");
    std::vector<float> betas = attributes().getFloats("activation_beta");
    std::size_t nextAlpha = 0, nextBeta = 0;
    std::vector<Activation> all;
    for (const std::string &name : names) {
      const ActivationDefault &known = *knownActivation(name);
      Activation activation{known.type, known.alpha, known.beta};
      bool hasAlpha = known.alpha != 0;
      bool hasBeta = known.beta != 0 || activation.type == "Affine";
      if (hasAlpha && nextAlpha < alphas.size())
        activation.alpha = alphas[nextAlpha++];
      if (hasBeta && nextBeta < betas.size())
        activation.beta = betas[nextBeta++];
      all.push_back(activation);
    }
    std::size_t count = defaultActivations().size();
    auto first = all.begin() + static_cast<std::ptrdiff_t>(direction * count);
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  Direction makeDirection(Lowering &lowering, std::int64_t i) const {
    Direction result;
    result.backwards = isBackwards(i);
    result.activations = activationsOf(i);
    result.weights = lowering.input(*this, 1)[i];
    result.recurrence = lowering.input(*this, 2)[i];
    if (hasInput(3)) {
      poplar::Tensor bias = lowering.input(*this, 3)[i];
      std::size_t half = bias.numElements() / 2;
      result.inputBias = bias.slice(0, half);
      result.recurrentBias = bias.slice(half, 2 * half);
    }
    if (numStates == 2 && hasInput(7))
      result.peepholes = lowering.input(*this, 7)[i];
    result.hidden = initialState(lowering, 5, i);
    if (numStates == 2)
      result.cell = initialState(lowering, 6, i);
    return result;
  }

  /// A variable [batch, hidden], initialised by the model or to zero.
  poplar::Tensor initialState(Lowering &lowering, std::size_t index,
                              std::int64_t direction) const {
    poplar::Graph &graph = lowering.graph();
    poplar::Tensor state = poplin::createMatMulInputLHS(
        graph, deviceType(input(0).info.type),
        toPoplar({batch(), hiddenSize()}),
        toPoplar({hiddenSize(), numGates * hiddenSize()}),
        {lowering.debug(*this), "state"}, MatMulOptions);
    if (!hasInput(index)) {
      popops::zero(graph, state, lowering.program(), lowering.debug(*this));
      return state;
    }
    poplar::Tensor given = lowering.input(*this, index);
    given = isBatchFirst() ? given.dimShuffle({1, 0, 2})[direction]
                           : given[direction];
    lowering.program().add(Copy(given, state, false, lowering.debug(*this)));
    return state;
  }

  /// The bias of the input products; invalid if there is none.
  poplar::Tensor bias(Lowering &lowering, const Direction &direction) const {
    if (!direction.inputBias.valid())
      return poplar::Tensor();
    std::size_t both = gatesWithOneBias() * hiddenSize();
    poplar::Tensor sum =
        popops::add(lowering.graph(), direction.inputBias.slice(0, both),
                    direction.recurrentBias.slice(0, both), lowering.program(),
                    {lowering.debug(*this), "bias"});
    return poplar::concat(
        sum, direction.inputBias.slice(both, direction.inputBias.dim(0)));
  }

  /// Runs all steps and leaves the last states in `direction`. Returns the
  /// hidden states [steps, batch, hidden].
  poplar::Tensor run(Lowering &lowering, const poplar::Tensor &x,
                     Direction &direction) const {
    poplar::Graph &graph = lowering.graph();
    poplar::DebugContext debug = lowering.debug(*this);
    std::size_t count = steps(), rows = batch(), size = hiddenSize();
    poplar::Tensor gates =
        poplin::matMul(graph, x.reshape({count * rows, x.dim(2)}),
                       direction.weights.transpose(), lowering.program(),
                       {debug, "input"}, MatMulOptions);
    if (poplar::Tensor sum = bias(lowering, direction); sum.valid())
      popops::addInPlace(graph, gates, sum, lowering.program(),
                         {debug, "bias"});
    gates = gates.reshape({count, rows, numGates * size});
    poplar::Tensor all = graph.addVariable(
        x.elementType(), {count, rows, size},
        poplar::VariableMappingMethod::LINEAR, {debug, "output"});
    // A backward direction runs forwards over reversed views.
    poplar::Tensor from = direction.backwards ? gates.reverse(0) : gates;
    poplar::Tensor to = direction.backwards ? all.reverse(0) : all;

    poplar::Tensor now =
        graph.addVariable(poplar::UNSIGNED_INT, {1}, {debug, "step"});
    graph.setTileMapping(now, 0);
    popops::zero(graph, now, lowering.program(), debug);
    Sequence body;
    poplar::Tensor slice =
        popops::dynamicSlice(graph, from, now, {0}, {1}, body, debug)
            .squeeze({0});
    States next = step(lowering, body, direction, slice);
    poplar::Tensor output = next.hidden;
    if (hasInput(4)) {
      poplar::Tensor isRunning =
          runningRows(lowering, body, now, direction.backwards);
      keepWhereEnded(lowering, body, isRunning, direction, next);
      output =
          map(lowering, body,
              expr::Select(expr::_1, expr::Const(0, x.elementType()), expr::_2),
              {next.hidden, isRunning});
    }
    popops::dynamicUpdate(graph, to, output.expand({0}), now, {0}, {1}, body,
                          debug);
    body.add(Copy(next.hidden, direction.hidden, false, debug));
    if (next.cell.valid())
      body.add(Copy(next.cell, direction.cell, false, debug));
    popops::mapInPlace(graph, expr::_1 + expr::Const(1u), {now}, body, debug);
    lowering.program().add(
        Repeat(static_cast<std::uint32_t>(count), body, debug));
    return all;
  }

  /// For each row of the batch, true if its sequence includes the step.
  poplar::Tensor runningRows(Lowering &lowering, Sequence &program,
                             const poplar::Tensor &now, bool backwards) const {
    poplar::Tensor lengths = lowering.input(*this, 4);
    Any place = expr::Cast(expr::_1, poplar::INT);
    if (backwards)
      place = expr::Const(static_cast<int>(steps()) - 1) - place;
    return map(lowering, program, expr::Lt(place, expr::_2),
               {now, lengths.reshape({lengths.numElements(), 1})});
  }

  /// Keeps the states of rows whose sequence does not include the step.
  void keepWhereEnded(Lowering &lowering, Sequence &program,
                      const poplar::Tensor &isRunning,
                      const Direction &direction, States &next) const {
    Any kept = expr::Select(expr::_1, expr::_2, expr::_3);
    next.hidden = map(lowering, program, kept,
                      {next.hidden, direction.hidden, isRunning});
    if (next.cell.valid())
      next.cell =
          map(lowering, program, kept, {next.cell, direction.cell, isRunning});
  }

  std::int64_t numGates;
  std::size_t numStates;
};

class Rnn final : public RecurrentOp {
public:
  explicit Rnn(OpSpec spec) : RecurrentOp(std::move(spec), 1, 1) {}

private:
  std::vector<std::string> defaultActivations() const override {
    return {"Tanh"};
  }

  States step(Lowering &lowering, Sequence &program, const Direction &d,
              const poplar::Tensor &gates) const override {
    return {map(lowering, program,
                activated(d, 0, clipped(expr::_1 + expr::_2)),
                {gates, recurrent(lowering, program, d.hidden, d.recurrence)}),
            {}};
  }
};

const RegisterOp<Rnn> rnn("RNN", {1, 7, 14, 22});

class Gru final : public RecurrentOp {
public:
  explicit Gru(OpSpec spec) : RecurrentOp(std::move(spec), 3, 1) {}

private:
  enum Gate : std::size_t { Update, Reset, Hidden };

  std::vector<std::string> defaultActivations() const override {
    return {"Sigmoid", "Tanh"};
  }

  bool resetsAfter() const {
    return attributes().getInt("linear_before_reset", 0) != 0;
  }
  std::int64_t gatesWithOneBias() const override {
    return resetsAfter() ? Hidden : Hidden + 1;
  }

  States step(Lowering &lowering, Sequence &program, const Direction &d,
              const poplar::Tensor &gates) const override {
    std::size_t size = hiddenSize();
    poplar::Tensor product = recurrent(
        lowering, program, d.hidden,
        resetsAfter() ? d.recurrence : d.recurrence.slice(0, 2 * size));
    auto sigmoid = [&](Terms &terms, Gate which) {
      return activated(
          d, 0,
          clipped(terms(gate(gates, which)) + terms(gate(product, which))));
    };
    Terms terms;
    expr::PlaceHolder old = terms(d.hidden);
    Any update = sigmoid(terms, Update);
    Any sum = terms(gate(gates, Hidden));
    if (resetsAfter()) {
      Any linear = terms(gate(product, Hidden));
      if (d.recurrentBias.valid())
        linear = linear + terms(gate(d.recurrentBias, Hidden));
      sum = sum + sigmoid(terms, Reset) * linear;
    } else {
      Terms ofState;
      Any state = ofState(d.hidden) * sigmoid(ofState, Reset);
      sum =
          sum + terms(recurrent(lowering, program,
                                map(lowering, program, state, ofState.tensors),
                                d.recurrence.slice(2 * size, 3 * size)));
    }
    Any candidate = activated(d, 1, clipped(sum));
    return {map(lowering, program, candidate + update * (old - candidate),
                terms.tensors),
            {}};
  }
};

const RegisterOp<Gru> gru("GRU", {1, 3, 7, 14, 22});

class Lstm final : public RecurrentOp {
public:
  explicit Lstm(OpSpec spec) : RecurrentOp(std::move(spec), 4, 2) {}

private:
  // ONNX's order of gates; peepholes are input, output, forget.
  enum Gate : std::size_t { Input, Output, Forget, Cell };

  std::vector<std::string> defaultActivations() const override {
    return {"Sigmoid", "Tanh", "Tanh"};
  }

  States step(Lowering &lowering, Sequence &program, const Direction &d,
              const poplar::Tensor &gates) const override {
    poplar::Tensor product =
        recurrent(lowering, program, d.hidden, d.recurrence);
    auto sum = [&](Terms &terms, Gate which) {
      return Any(terms(gate(gates, which)) + terms(gate(product, which)));
    };
    auto sigmoid = [&](Terms &terms, Gate which, const Any &cell) {
      Any x = sum(terms, which);
      if (d.peepholes.valid())
        x = x + terms(gate(d.peepholes, which)) * cell;
      return activated(d, 0, clipped(x));
    };
    Terms terms;
    Any old = terms(d.cell);
    Any in = sigmoid(terms, Input, old);
    Any forget = attributes().getInt("input_forget", 0) != 0
                     ? Any(expr::Const(1, gates.elementType()) - in)
                     : sigmoid(terms, Forget, old);
    Any candidate = activated(d, 1, clipped(sum(terms, Cell)));
    poplar::Tensor cell =
        map(lowering, program, forget * old + in * candidate, terms.tensors);
    Terms ofOutput;
    Any now = ofOutput(cell);
    Any out = sigmoid(ofOutput, Output, now);
    return {
        map(lowering, program, out * activated(d, 2, now), ofOutput.tensors),
        cell};
  }
};

const RegisterOp<Lstm> lstm("LSTM", {1, 7, 14, 22});

} // namespace

} // namespace populus::popir
