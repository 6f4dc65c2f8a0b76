// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SerializeBatch.h. All operators are put in their new order: whole ones
// move, sliced ones are copied for each slice, or into the body of a loop, and
// the originals are removed at the end.

#include "lib/PopART/Passes/SerializeBatch.h"

#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Control/CallingOp.h"
#include "lib/PopART/Passes/BatchGroups.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

#include <fmt/format.h>

#include <numeric>
#include <set>

namespace populus::popir {

namespace {

using Ops = std::vector<Op *>;

/// The extent of axis 0 of the first input that has one.
std::int64_t batchOf(const Graph &graph, std::int64_t count) {
  for (const Value *input : graph.arguments())
    if (input->info.rank() > 0 && input->info.shape[0] >= count)
      return input->info.shape[0];
  fail(ErrorKind::Usage,
       "batchSerializationSettings.factor is {}, and no input has a batch of "
       "as many elements",
       count);
}

/// Adds a copy of a sliced operator for `elements` batch elements.
class SliceCopy {
public:
  SliceCopy(const Op &op, const SlicedOp &rule, std::int64_t elements)
      : op(op), rule(rule), elements(elements) {}

  std::vector<Value *> addTo(Graph &graph, const std::vector<Value *> &inputs,
                             const std::string &suffix) const {
    if (rule.form == SlicedOp::Reshaped || rule.form == SlicedOp::Expanded) {
      GraphBuilder b(graph, op.name() + suffix, op.placement());
      const Shape shape = shapeOf(0);
      return {rule.form == SlicedOp::Reshaped ? &b.reshape(*inputs[0], shape)
                                              : &b.expand(*inputs[0], shape)};
    }
    OpSpec spec = op.spec();
    spec.name += suffix;
    if (rule.form == SlicedOp::ShapeAttribute)
      spec.attributes.set("input_shape", shapeOf(0));
    Op &copy = graph.addOp(createOp(std::move(spec)), inputs, {});
    const std::vector<TensorInfo> infos = copy.infer();
    for (std::size_t i = 0; i != op.outputs().size(); ++i)
      graph.setOutput(
          copy, i,
          op.hasOutput(i)
              ? &graph.addValue(graph.uniqueName(op.output(i).name + suffix),
                                infos.at(i))
              : nullptr);
    return copy.outputs();
  }

private:
  Shape shapeOf(std::size_t i) const {
    Shape shape = op.output(i).info.shape;
    const BatchAxis &axis = *rule.outputs[i];
    shape[axis.axis] = elements * axis.elements;
    return shape;
  }

  const Op &op;
  const SlicedOp &rule;
  const std::int64_t elements;
};

/// The part of a sum or mean that a slice contributes, in the type in which
/// parts are added: float16 would absorb small ones.
Value &addend(GraphBuilder &b, Value &part, SlicedOp::Combination combination,
              double share) {
  Value &wide = part.info.type == DataType::Float16
                    ? b.cast(part, DataType::Float)
                    : part;
  return combination == SlicedOp::Mean ? b.mul(wide, share) : wide;
}

class BatchSerializer {
public:
  BatchSerializer(Graph &graph, const BatchSlices &slices)
      : graph(graph), slices(slices), batch(batchOf(graph, slices.count)),
        groups(graph, slices, batch) {}

  std::size_t run() {
    checkLoop();
    for (const auto &[turn, lists] : groups.turns())
      for (const Ops &ops : lists)
        emit(ops);
    graph.removeOps([&](const Op &op) { return groups.isSliced(op); });
    return groups.numSliced();
  }

private:
  void checkLoop() const {
    if (slices.usesLoop && batch % slices.count != 0)
      failUnsupported("BatchSerializationMethod::Loop needs slices of the same "
                      "size: a batch of {} cannot be divided by the factor {}",
                      batch, slices.count);
  }

  void emit(const Ops &ops) {
    if (!groups.isSliced(*ops.front()))
      for (Op *op : ops)
        graph.moveBefore(*op, nullptr);
    else if (slices.usesLoop)
      addLoop(ops);
    else
      unroll(ops);
  }

  /// The first batch element of a slice; slices differ by one at most.
  std::int64_t begin(std::int64_t slice) const {
    return slice * batch / slices.count;
  }

  // ---- What is needed beyond the slices
  // --------------------------------------

  /// True if anything reads the value otherwise than by the slices that its
  /// group computes.
  bool isNeededWhole(const Value &value) const {
    return value.isGraphResult() ||
           std::ranges::any_of(value.uses(), [&](const Use &use) {
             return !isReadBySlices(value, use);
           });
  }
  bool isReadBySlices(const Value &value, const Use &use) const {
    if (!groups.isSliced(*use.user) ||
        !groups.takesSlice(*use.user, use.operand))
      return false;
    return !slices.usesLoop ||
           inGroup.contains(value.producer()) == inGroup.contains(use.user);
  }

  /// Lets a value that has been put together take the place of the original.
  void replace(Value &original, Value &whole) {
    const std::string name = original.name;
    for (const Use &use : std::vector<Use>(original.uses()))
      if (!groups.isSliced(*use.user) || !isReadBySlices(original, use))
        graph.setInput(*use.user, use.operand, &whole);
    for (std::size_t i = 0; i != graph.results().size(); ++i)
      if (graph.results()[i].value == &original)
        graph.setResult(i, whole);
    graph.rename(original, graph.uniqueName(name + "/slices"));
    graph.rename(whole, name);
  }

  GraphBuilder builderFor(const Op &op) {
    return GraphBuilder(graph, op.name(), op.placement());
  }

  // ---- Copies for each slice
  // --------------------------------------------------

  void unroll(const Ops &ops) {
    for (std::int64_t slice = 0; slice != slices.count; ++slice)
      for (const Op *op : ops)
        addCopy(*op, slice);
    for (const Op *op : ops)
      for (Value *value : op->outputs())
        if (value && isNeededWhole(*value))
          replace(*value, putTogether(*value));
  }

  void addCopy(const Op &op, std::int64_t slice) {
    const SlicedOp &rule = groups.ruleOf(op);
    std::vector<Value *> inputs;
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      inputs.push_back(op.hasInput(i) ? &operandOf(op, i, slice) : nullptr);
    const std::vector<Value *> outputs =
        SliceCopy(op, rule, begin(slice + 1) - begin(slice))
            .addTo(graph, inputs, fmt::format("/slice{}", slice));
    for (std::size_t i = 0; i != op.outputs().size(); ++i) {
      if (!op.hasOutput(i))
        continue;
      std::vector<Value *> &known = parts[&op.output(i)];
      if (rule.outputs[i])
        known.push_back(outputs[i]);
      else
        addToSum(op, rule, *outputs[i], slice, known);
    }
  }

  void addToSum(const Op &op, const SlicedOp &rule, Value &part,
                std::int64_t slice, std::vector<Value *> &sum) {
    GraphBuilder b = builderFor(op);
    const double share = static_cast<double>(begin(slice + 1) - begin(slice)) /
                         static_cast<double>(batch);
    Value &term = addend(b, part, rule.combination, share);
    sum = {sum.empty() ? &term : &b.add(*sum.front(), term)};
  }

  Value &operandOf(const Op &op, std::size_t i, std::int64_t slice) {
    Value &value = *op.inputs()[i];
    const std::optional<BatchAxis> &axis = groups.ruleOf(op).inputs[i];
    if (!axis)
      return value;
    if (const Op *producer = value.producer();
        producer && groups.isSliced(*producer))
      return *parts.at(&value)[static_cast<std::size_t>(slice)];
    Value *&known = cuts[{&value, axis->axis, axis->elements, slice}];
    if (!known) {
      GraphBuilder b = builderFor(op);
      known = &b.slice(value, static_cast<std::int64_t>(axis->axis),
                       begin(slice) * axis->elements,
                       begin(slice + 1) * axis->elements);
    }
    return *known;
  }

  Value &putTogether(const Value &value) {
    GraphBuilder b = builderFor(*value.producer());
    const std::vector<Value *> &all = parts.at(&value);
    if (const auto axis = groups.axisOf(value))
      return b.concat(all, static_cast<std::int64_t>(axis->axis));
    return b.cast(*all.front(), value.info.type);
  }

  // ---- A loop
  // -----------------------------------------------------------------

  void addLoop(const Ops &ops);

  Graph &graph;
  const BatchSlices &slices;
  const std::int64_t batch;
  const BatchGroups groups;
  /// By original value, its slices, or its sum so far.
  std::unordered_map<const Value *, std::vector<Value *>> parts;
  /// By value, axis, elements and slice, the part that has been cut out.
  std::map<std::tuple<const Value *, std::size_t, std::int64_t, std::int64_t>,
           Value *>
      cuts;
  /// The operators of the loop that is being made.
  std::set<const Op *> inGroup;
};

/// The body of a loop over slices, and its operands and results.
class SliceLoop {
public:
  SliceLoop(Graph &graph, const BatchSlices &slices, std::int64_t batch,
            const BatchGroups &groups)
      : graph(graph), count(slices.count), elements(batch / slices.count),
        groups(groups),
        body(graph.module().addGraphBefore(graph, graph.name + "_slices")),
        iteration(body.addArgument("slice", {DataType::Int32, {}})) {}

  /// The values of `wanted`, put together behind the loop.
  std::vector<Value *> add(const Ops &ops, const std::vector<Value *> &wanted) {
    for (const Value *value : wanted)
      if (!groups.axisOf(*value))
        addSum(*value);
    for (const Op *op : ops)
      addCopy(*op);
    for (Value *sum : sums)
      body.addResult(sum->name, *sum);
    for (const Value *value : wanted)
      if (groups.axisOf(*value))
        body.addResult(value->name, *known.at(value));
    return results(*ops.front(), wanted);
  }

private:
  static DataType sumType(const Value &value) {
    return value.info.type == DataType::Float16 ? DataType::Float
                                                : value.info.type;
  }

  /// A sum is carried from slice to slice, and begins with zeros.
  void addSum(const Value &value) {
    const TensorInfo info{sumType(value), value.info.shape};
    GraphBuilder b(graph, value.producer()->name(),
                   value.producer()->placement());
    operands.push_back(&b.expand(b.scalar(info.type, 0), info.shape));
    sumOf[&value] = sums.size();
    sums.push_back(
        &body.addArgument(body.uniqueName("sum/" + value.name), info));
  }

  void addCopy(const Op &op) {
    const SlicedOp &rule = groups.ruleOf(op);
    std::vector<Value *> inputs;
    for (std::size_t i = 0; i != op.inputs().size(); ++i)
      inputs.push_back(op.hasInput(i) ? &operandOf(op, i, rule.inputs[i])
                                      : nullptr);
    const std::vector<Value *> outputs =
        SliceCopy(op, rule, elements).addTo(body, inputs, "");
    for (std::size_t i = 0; i != op.outputs().size(); ++i) {
      if (!op.hasOutput(i))
        continue;
      known[&op.output(i)] = outputs[i];
      if (const auto sum = sumOf.find(&op.output(i)); sum != sumOf.end()) {
        GraphBuilder b(body, op.name(), op.placement());
        Value *&sofar = sums[sum->second];
        sofar = &b.add(*sofar, addend(b, *outputs[i], rule.combination,
                                      1 / static_cast<double>(count)));
      }
    }
  }

  Value &operandOf(const Op &op, std::size_t i,
                   const std::optional<BatchAxis> &axis) {
    Value &value = *op.inputs()[i];
    if (const auto found = known.find(&value); found != known.end())
      return *found->second;
    Value &whole = passedIn(value);
    if (!axis)
      return whole;
    Value *&cut = cuts[{&value, axis->axis, axis->elements}];
    if (!cut)
      cut = &cutOut(op, whole, *axis);
    return *cut;
  }

  Value &cutOut(const Op &op, Value &whole, const BatchAxis &axis) {
    GraphBuilder b(body, op.name(), op.placement());
    const std::int64_t size = elements * axis.elements;
    Value &index = b.reshape(b.mul(iteration, static_cast<double>(size)), {1});
    return b.op("DynamicSlice", {&whole, &index},
                {{"axes", std::vector<std::int64_t>{static_cast<std::int64_t>(
                              axis.axis)}},
                 {"sizes", std::vector<std::int64_t>{size}}},
                "ai.graphcore");
  }

  /// A value of the graph around the loop.
  Value &passedIn(Value &value) {
    if (value.variable())
      return body.useVariable(*value.variable());
    Value *&argument = arguments[&value];
    if (!argument && value.isConstant())
      argument =
          &body.addConstant(body.uniqueName(value.name), value.constant());
    if (!argument) {
      argument = &body.addArgument(body.uniqueName(value.name), value.info);
      invariants.push_back(&value);
    }
    return *argument;
  }

  std::vector<Value *> results(const Op &first,
                               const std::vector<Value *> &wanted) {
    std::vector<Value *> all = {nullptr, nullptr};
    all.insert(all.end(), operands.begin(), operands.end());
    all.insert(all.end(), invariants.begin(), invariants.end());
    Attributes attributes;
    attributes.set("carried", static_cast<std::int64_t>(sums.size()));
    attributes.set("trip_count", count);
    GraphBuilder b(graph, "batch", first.placement());
    const std::vector<Value *> given =
        b.addOp(makeCallingOp("Loop", "Loop", {&body}, all.size(),
                              wanted.size(), attributes),
                all);
    std::vector<Value *> found;
    std::size_t stack = sums.size();
    for (const Value *value : wanted) {
      const auto axis = groups.axisOf(*value);
      found.push_back(axis
                          ? &unstacked(b, *given[stack++], *value, *axis)
                          : &b.cast(*given[sumOf.at(value)], value->info.type));
    }
    return found;
  }

  /// The rows of a stack, one behind the other along the axis of slices.
  static Value &unstacked(GraphBuilder &b, Value &stack, const Value &value,
                          const BatchAxis &axis) {
    std::vector<std::int64_t> order(stack.info.shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + 1,
                order.begin() + 1 + static_cast<std::ptrdiff_t>(axis.axis));
    Value &sorted = axis.axis == 0 ? stack : b.transpose(stack, order);
    return b.reshape(sorted, value.info.shape);
  }

  Graph &graph;
  const std::int64_t count, elements;
  const BatchGroups &groups;
  Graph &body;
  Value &iteration;
  /// By value of the graph, the copy of the body.
  std::unordered_map<const Value *, Value *> known, arguments;
  std::map<std::tuple<const Value *, std::size_t, std::int64_t>, Value *> cuts;
  std::unordered_map<const Value *, std::size_t> sumOf;
  /// Arguments, then results.
  std::vector<Value *> sums;
  /// The loop's operands: beginnings of sums, and what it reads.
  std::vector<Value *> operands, invariants;
};

void BatchSerializer::addLoop(const Ops &ops) {
  inGroup = {ops.begin(), ops.end()};
  std::vector<Value *> wanted;
  for (const Op *op : ops)
    for (Value *value : op->outputs())
      if (value && isNeededWhole(*value))
        wanted.push_back(value);
  const std::vector<Value *> wholes =
      SliceLoop(graph, slices, batch, groups).add(ops, wanted);
  for (std::size_t i = 0; i != wanted.size(); ++i)
    replace(*wanted[i], *wholes[i]);
}

} // namespace

std::size_t serializeBatch(Module &module, const BatchSlices &slices) {
  if (slices.count < 2)
    return 0;
  return BatchSerializer(module.main(), slices).run();
}

} // namespace populus::popir
