// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expands recurrent operators to operators for each step: unrolled if there are
// few steps, else as a loop. The input product covers all steps at once. Splits
// into steps and gates have cheap gradients: concatenations.

#include "lib/PopART/Ops/Recurrent/Recurrent.h"

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Ops/Control/CallingOp.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

/// With more steps, emit a loop.
constexpr std::int64_t MostUnrolledSteps = 64;

/// Concatenates values of one shape along a new dimension.
Value &stacked(GraphBuilder &b, const std::vector<Value *> &values,
               std::int64_t axis) {
  std::vector<Value *> parts;
  for (Value *value : values)
    parts.push_back(&b.unsqueeze(*value, {axis}));
  return b.concat(parts, axis);
}

/// One direction.
class Steps {
public:
  Steps(GraphBuilder &builder, const RecurrentForm &form, std::size_t number)
      : outside(builder), op(*form.op), direction(form.directions[number]),
        number(static_cast<std::int64_t>(number)),
        isBatchFirst(form.isBatchFirst), type(op.id().type),
        size(op.inputShape(2)[2]) {}

  /// Runs all steps. Returns the stacked outputs and leaves the last states.
  Value &run(Value &x) {
    const std::int64_t steps = x.info.shape[0], batch = x.info.shape[1];
    recurrence = &b().transpose(parameter(2), {1, 0});
    hidden = &state(5, batch);
    if (type == "LSTM")
      cell = &state(6, batch);
    if (op.hasInput(7))
      peepholes = &parameter(7);
    if (op.hasInput(4))
      lengths = &b().unsqueeze(b().cast(*op.inputs()[4], DataType::Int32), {1});
    Value &given = inputProducts(x);
    return steps <= MostUnrolledSteps ? unroll(given) : loop(given);
  }

  Value *hidden = nullptr, *cell = nullptr;

private:
  GraphBuilder &b() { return inside ? *inside : outside; }

  Value &unroll(Value &given) {
    const Shape &shape = given.info.shape;
    const std::vector<Value *> steps = parts(given, 0, shape[0]);
    std::vector<Value *> outputs(steps.size());
    for (std::int64_t i = 0; i != shape[0]; ++i) {
      const std::int64_t t = direction.isBackwards ? shape[0] - 1 - i : i;
      Value &step = b().reshape(*steps[static_cast<std::size_t>(t)],
                                {shape[1], shape[2]});
      outputs[static_cast<std::size_t>(t)] =
          &run(step, b().scalar(DataType::Int32, static_cast<double>(t)));
    }
    return stacked(b(), outputs, 0);
  }

  /// Runs all steps as a loop over the rows of `given`.
  Value &loop(Value &given) {
    const std::int64_t steps = given.info.shape[0];
    Graph &body = outside.graph().module().addGraphBefore(outside.graph(),
                                                          op.name() + "/step");
    GraphBuilder builder(body, op.name(), op.placement());
    Value &iteration = body.addArgument("iteration", {DataType::Int32, {}});
    std::vector<Value *> operands = {nullptr, nullptr};
    Value *all = &given;
    for (Value **value :
         {&hidden, &cell, &all, &recurrence, &lateBias, &peepholes, &lengths})
      if (*value) {
        operands.push_back(*value);
        *value =
            &body.addArgument(body.uniqueName((*value)->name), (*value)->info);
      }
    inside = &builder;
    Value &t = direction.isBackwards
                   ? b().from(static_cast<double>(steps - 1), iteration)
                   : iteration;
    Value &row = b().op("DynamicSlice", {all, &b().reshape(t, {1})},
                        {{"axes", std::vector<std::int64_t>{0}},
                         {"sizes", std::vector<std::int64_t>{1}}},
                        "ai.graphcore");
    const Shape &shape = all->info.shape;
    Value &output = run(b().reshape(row, {shape[1], shape[2]}), t);
    const std::int64_t numCarried = cell ? 2 : 1;
    for (Value *result : {hidden, cell, &output})
      if (result)
        body.addResult(fmt::format("result{}", body.results().size()), *result);
    inside = nullptr;
    Attributes attributes;
    attributes.set("carried", numCarried);
    attributes.set("trip_count", steps);
    const std::vector<Value *> results =
        b().addOp(makeCallingOp("Loop", "Loop", {&body}, operands.size(),
                                body.results().size(), attributes),
                  operands);
    hidden = results[0];
    if (cell)
      cell = results[1];
    return direction.isBackwards ? reversed(*results.back()) : *results.back();
  }

  /// The rows in the opposite order.
  Value &reversed(Value &x) {
    return b().op("Slice",
                  {&x, &b().ints({-1}), &b().ints({-x.info.shape[0] - 1}),
                   &b().ints({0}), &b().ints({-1})});
  }

  std::int64_t numGates() const { return op.inputShape(2)[1] / size; }

  /// The part of an input for this direction, without its dimension.
  Value &parameter(std::size_t index) {
    Value &all = *op.inputs()[index];
    Shape shape(all.info.shape.begin() + 1, all.info.shape.end());
    return b().reshape(b().slice(all, 0, number, number + 1), shape);
  }

  Value &state(std::size_t index, std::int64_t batch) {
    const Shape shape = {batch, size};
    if (!op.hasInput(index))
      return b().expand(b().scalar(op.input(0).info.type, 0), shape);
    Value &all = *op.inputs()[index];
    return b().reshape(b().slice(all, isBatchFirst ? 1 : 0, number, number + 1),
                       shape);
  }

  std::vector<Value *> parts(Value &x, std::int64_t axis, std::int64_t count) {
    if (count == 1)
      return {&x};
    return b().results("Split", {&x}, static_cast<std::size_t>(count),
                       {{"axis", axis}, {"num_outputs", count}});
  }

  bool resetsAfter() const {
    return type == "GRU" &&
           op.attributes().getInt("linear_before_reset", 0) != 0;
  }

  /// Input products plus biases: [steps, batch, gates].
  Value &inputProducts(Value &x) {
    const Shape &shape = x.info.shape;
    Value *products =
        &b().matMul(b().reshape(x, {shape[0] * shape[1], shape[2]}),
                    b().transpose(parameter(1), {1, 0}));
    if (op.hasInput(3)) {
      const std::vector<Value *> halves = parts(parameter(3), 0, 2);
      Value *recurrent = halves[1];
      if (resetsAfter()) { // the last gate's is added to the product of the
                           // state
        lateBias = &b().slice(*recurrent, 0, 2 * size, 3 * size);
        recurrent =
            &b().pad(b().slice(*recurrent, 0, 0, 2 * size), {0}, {size});
      }
      products = &b().add(*products, b().add(*halves[0], *recurrent));
    }
    return b().reshape(*products, {shape[0], shape[1], numGates() * size});
  }

  /// One step, at place t of the sequence; its output.
  Value &run(Value &given, Value &t) {
    Value *oldHidden = hidden, *oldCell = cell;
    if (type == "LSTM")
      stepLstm(given);
    else if (type == "GRU")
      stepGru(given);
    else
      hidden = &activated(0, b().add(given, b().matMul(*hidden, *recurrence)));
    if (!lengths)
      return *hidden;
    Value &isRunning = b().op("Less", {&t, lengths});
    Value &none = b().scalar(hidden->info.type, 0);
    Value &output = b().select(isRunning, *hidden, none);
    hidden = &b().select(isRunning, *hidden, *oldHidden);
    if (cell)
      cell = &b().select(isRunning, *cell, *oldCell);
    return output;
  }

  void stepLstm(Value &given) {
    // ONNX's order of gates; peepholes are input, output, forget.
    const std::vector<Value *> gates =
        parts(b().add(given, b().matMul(*hidden, *recurrence)), 1, 4);
    std::vector<Value *> ofGates;
    if (peepholes)
      ofGates = parts(*peepholes, 0, 3);
    auto sigmoid = [&](std::size_t gate, Value &seen) -> Value & {
      Value *x = gates[gate];
      if (!ofGates.empty())
        x = &b().add(*x, b().mul(seen, *ofGates[gate]));
      return activated(0, *x);
    };
    Value &in = sigmoid(0, *cell);
    Value &forget = op.attributes().getInt("input_forget", 0) != 0
                        ? b().from(1, in)
                        : sigmoid(2, *cell);
    Value &candidate = activated(1, *gates[3]);
    cell = &b().add(b().mul(forget, *cell), b().mul(in, candidate));
    Value &out = sigmoid(1, *cell);
    hidden = &b().mul(out, activation(2, *cell));
  }

  void stepGru(Value &given) {
    const std::vector<Value *> inputs = parts(given, 1, 3);
    const bool isLinearFirst = resetsAfter();
    Value &matrix =
        isLinearFirst ? *recurrence : b().slice(*recurrence, 1, 0, 2 * size);
    const std::vector<Value *> products =
        parts(b().matMul(*hidden, matrix), 1, isLinearFirst ? 3 : 2);
    Value &update = activated(0, b().add(*inputs[0], *products[0]));
    Value &reset = activated(0, b().add(*inputs[1], *products[1]));
    Value *late = nullptr;
    if (isLinearFirst) {
      late = lateBias ? &b().add(*products[2], *lateBias) : products[2];
      late = &b().mul(reset, *late);
    } else {
      late = &b().matMul(b().mul(reset, *hidden),
                         b().slice(*recurrence, 1, 2 * size, 3 * size));
    }
    Value &candidate = activated(1, b().add(*inputs[2], *late));
    hidden = &b().add(candidate, b().mul(update, b().sub(*hidden, candidate)));
  }

  /// Clamps to [-clip, clip] and applies an activation function.
  Value &activated(std::size_t which, Value &x) {
    if (!op.attributes().has("clip"))
      return activation(which, x);
    const double limit = op.attributes().getFloat("clip", 0);
    return activation(which,
                      b().op("Clip", {&x, &b().scalar(x.info.type, -limit),
                                      &b().scalar(x.info.type, limit)}));
  }

  Value &activation(std::size_t which, Value &x) {
    const Activation &f = direction.activations[which];
    if (f.type == "Affine")
      return b().add(b().mul(x, f.alpha), f.beta);
    if (f.type == "ScaledTanh")
      return b().mul(b().op("Tanh", {&b().mul(x, f.beta)}), f.alpha);
    Attributes attributes;
    if (f.alpha != 0)
      attributes.set("alpha", static_cast<float>(f.alpha));
    if (f.beta != 0)
      attributes.set("beta", static_cast<float>(f.beta));
    return b().opLike(f.type, {&x}, std::move(attributes));
  }

  GraphBuilder &outside;
  /// The builder of the loop's graph during its construction.
  GraphBuilder *inside = nullptr;
  const Op &op;
  const RecurrentForm::Direction &direction;
  const std::int64_t number;
  const bool isBatchFirst;
  const std::string type;
  const std::int64_t size;
  Value *recurrence = nullptr, *lateBias = nullptr, *peepholes = nullptr;
  /// Sequence lengths [batch, 1], if they differ.
  Value *lengths = nullptr;
};

} // namespace

std::vector<Value *> recurrentSteps(GraphBuilder &b,
                                    const RecurrentForm &form) {
  Value &given = *form.op->inputs()[0];
  Value &x = form.isBatchFirst ? b.transpose(given, {1, 0, 2}) : given;
  const std::int64_t stateAxis = form.isBatchFirst ? 1 : 0;
  std::vector<Value *> outputs, hidden, cells;
  for (std::size_t i = 0; i != form.directions.size(); ++i) {
    Steps direction(b, form, i);
    outputs.push_back(&direction.run(x));
    hidden.push_back(direction.hidden);
    if (direction.cell)
      cells.push_back(direction.cell);
  }
  Value &all = stacked(b, outputs, 1); // [steps, directions, batch, hidden]
  std::vector<Value *> results = {
      form.isBatchFirst ? &b.transpose(all, {2, 0, 1, 3}) : &all,
      &stacked(b, hidden, stateAxis)};
  if (!cells.empty())
    results.push_back(&stacked(b, cells, stateAxis));
  return results;
}

} // namespace populus::popir
