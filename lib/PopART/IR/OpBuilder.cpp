// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators made one by one.

#include "lib/PopART/IR/OpBuilder.h"

#include "lib/PopART/IR/OpTable.h"

#include <algorithm>
#include <numeric>

namespace populus::popir {

static Attributes attributesOf(OpBuilder::Given given) {
  Attributes attributes;
  for (const auto &[name, value] : given)
    attributes.set(name, value);
  return attributes;
}

Value &OpBuilder::op(const std::string &type, std::vector<Value *> inputs,
                     Given given, const std::string &domain) {
  return opLike(type, std::move(inputs), attributesOf(given), domain);
}

Value &OpBuilder::opLike(const std::string &type, std::vector<Value *> inputs,
                         Attributes attributes, const std::string &domain) {
  return *make({domain, type}, std::move(inputs), std::move(attributes), 1)
              .front();
}

std::vector<Value *> OpBuilder::results(const std::string &type,
                                        std::vector<Value *> inputs,
                                        std::size_t count, Given given,
                                        const std::string &domain) {
  return make({domain, type}, std::move(inputs), attributesOf(given), count);
}

Value &OpBuilder::constant(HostTensor value) {
  return makeConstant(std::move(value));
}

Value &OpBuilder::scalar(DataType type, double value) {
  return constant(HostTensor::scalar(type, value));
}

Value &OpBuilder::ints(const std::vector<std::int64_t> &values) {
  return constant(HostTensor::ofInts(values));
}

Value &OpBuilder::cast(Value &x, DataType type) {
  if (x.info.type == type)
    return x;
  return op("Cast", {&x}, {{"to", std::int64_t(toOnnx(type))}});
}

Value &OpBuilder::reshape(Value &x, const Shape &shape) {
  if (x.info.shape == shape)
    return x;
  return op("Reshape", {&x, &ints(shape)}, {{"allowzero", std::int64_t(1)}});
}

Value &OpBuilder::transpose(Value &x, const std::vector<std::int64_t> &order) {
  return op("Transpose", {&x}, {{"perm", order}});
}

Value &OpBuilder::expand(Value &x, const Shape &shape) {
  if (x.info.shape == shape)
    return x;
  return op("Expand", {&x, &ints(shape)});
}

Value &OpBuilder::unsqueeze(Value &x, const std::vector<std::int64_t> &axes) {
  return op("Unsqueeze", {&x, &ints(axes)});
}

Value &OpBuilder::slice(Value &x, std::int64_t axis, std::int64_t begin,
                        std::int64_t end) {
  if (begin == 0 && end == x.info.shape[axis])
    return x;
  return op("Slice", {&x, &ints({begin}), &ints({end}), &ints({axis})});
}

Value &OpBuilder::pad(Value &x, const std::vector<std::int64_t> &lower,
                      const std::vector<std::int64_t> &upper) {
  std::vector<std::int64_t> amounts = lower;
  amounts.insert(amounts.end(), upper.begin(), upper.end());
  if (std::ranges::all_of(amounts, [](std::int64_t n) { return n == 0; }))
    return x;
  return op("Pad", {&x, &ints(amounts)});
}

Value &OpBuilder::concat(std::vector<Value *> parts, std::int64_t axis) {
  if (parts.size() == 1)
    return *parts.front();
  return op("Concat", std::move(parts), {{"axis", axis}});
}

Value &OpBuilder::reduce(const std::string &type, Value &x,
                         const std::vector<std::int64_t> &axes) {
  return op(type, {&x, &ints(axes)}, {{"keepdims", std::int64_t(1)}});
}

Value &OpBuilder::reduceAll(const std::string &type, Value &x) {
  std::vector<std::int64_t> axes(x.info.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  return op(type, {&x, &ints(axes)}, {{"keepdims", std::int64_t(0)}});
}

// ---- Into a graph -----------------------------------------------------------

namespace {

/// Larger results are computed on the device, not folded.
constexpr std::int64_t LargestFolded = 1024;

/// Constant-folds an operator if its results are small.
std::optional<std::vector<HostTensor>> folded(const Op &op) {
  for (const Value *input : op.inputs())
    if (input && !input->isConstant())
      return std::nullopt;
  for (const Value *output : op.outputs())
    if (output->info.numElements() > LargestFolded)
      return std::nullopt;
  return op.evaluate();
}

} // namespace

Op &GraphBuilder::append(std::unique_ptr<Op> op, std::vector<Value *> inputs,
                         std::optional<std::size_t> count) {
  Op &added = target.addOp(std::move(op), std::move(inputs), {}, next);
  const std::vector<TensorInfo> infos = added.infer();
  for (std::size_t i = 0; i != count.value_or(infos.size()); ++i)
    target.setOutput(
        added, i,
        &target.addValue(target.uniqueName(added.name()), infos.at(i)));
  return added;
}

std::vector<Value *> GraphBuilder::make(OperatorId id,
                                        std::vector<Value *> inputs,
                                        Attributes attributes,
                                        std::size_t count) {
  OpSpec spec;
  spec.id = newestOf(id.domain, id.type);
  spec.name = stem.empty() ? id.type : stem + '/' + id.type;
  spec.attributes = std::move(attributes);
  spec.numInputs = inputs.size();
  spec.numOutputs = count;
  spec.placement = place;
  Op &op = append(createOp(std::move(spec)), std::move(inputs), count);
  const std::vector<Value *> outputs = op.outputs();
  if (std::optional<std::vector<HostTensor>> values = folded(op)) {
    for (std::size_t i = 0; i != count; ++i)
      target.makeConstant(*outputs[i], std::make_shared<const HostTensor>(
                                           std::move((*values)[i])));
    target.erase(op);
  }
  return outputs;
}

std::vector<Value *> GraphBuilder::addOp(std::unique_ptr<Op> op,
                                         std::vector<Value *> inputs) {
  op->placement() = place;
  if (!stem.empty())
    op->setName(stem + '/' + op->name());
  return append(std::move(op), std::move(inputs), std::nullopt).outputs();
}

Value &GraphBuilder::makeConstant(HostTensor value) {
  return target.addConstant(
      target.uniqueName(stem.empty() ? "constant" : stem + "/constant"),
      std::move(value));
}

} // namespace populus::popir
