// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The evaluator of values that have to be known at compile time
// (IR/KnownValues.h). It computes the operators that a value depends on one
// after the other: by their own rule for constants, or else in a graph of their
// own, which is lowered for the CPU device and run once in this process, so
// that the value equals that of a device. This takes some tens of milliseconds
// an operator, so it is done on demand only.
//
// The device has integers of 32 bits. An operand of 64 bits that does not fit
// is refused; an operator that would compute with such operands is not run.

#include "lib/PopART/IR/KnownValues.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/Lowering/TileProgram.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Target.hpp>

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

namespace {

/// The most elements that an evaluation reads and writes; arithmetic of shapes
/// needs far fewer.
constexpr std::int64_t MostElements = std::int64_t(1) << 24;

/// A pure operator has the same results whenever it runs, and changes nothing
/// else.
bool isPure(const Op &op) {
  if (op.isStateful() || op.hasEffect() || !op.callees().empty())
    return false;
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.hasInput(i) && op.effect(i).modifies)
      return false;
  return true;
}

std::int64_t elementsOf(const std::vector<Value *> &values) {
  std::int64_t elements = 0;
  for (const Value *value : values)
    elements += value ? value->info.numElements() : 0;
  return elements;
}

/// The operators that a value depends on, in order; none if it depends on more
/// than constants.
std::vector<const Op *> operatorsBehind(const Value &value) {
  std::unordered_set<const Op *> found = {value.producer()};
  std::vector<const Op *> work = {value.producer()};
  std::int64_t elements = 0;
  while (!work.empty()) {
    const Op *op = work.back();
    work.pop_back();
    if (!op || !isPure(*op))
      return {};
    elements += elementsOf(op->inputs()) + elementsOf(op->outputs());
    if (elements > MostElements)
      return {};
    for (const Value *input : op->inputs())
      if (input && !input->isConstant() &&
          found.insert(input->producer()).second)
        work.push_back(input->producer());
  }
  std::vector<const Op *> ops(found.begin(), found.end());
  std::ranges::sort(ops,
                    [](const Op *a, const Op *b) { return a->isBefore(*b); });
  return ops;
}

using Known = std::unordered_map<const Value *, HostTensor>;

/// A copy of an operator alone in a graph, whose operands are constants.
Op &copyInto(Graph &graph, const Op &op, const Known &known) {
  std::unordered_map<const Value *, Value *> copies;
  const auto constant = [&](const Value *original) -> Value * {
    if (!original)
      return nullptr;
    Value *&copy = copies[original];
    if (!copy && original->isConstant())
      copy = &graph.addConstant(original->name, original->constant());
    else if (!copy)
      copy = &graph.addConstant(original->name, known.at(original));
    return copy;
  };
  const auto result = [&](const Value *original) {
    return original ? &graph.addValue(original->name, original->info) : nullptr;
  };
  std::vector<Value *> inputs, outputs;
  std::ranges::transform(op.inputs(), std::back_inserter(inputs), constant);
  std::ranges::transform(op.outputs(), std::back_inserter(outputs), result);
  Op &copy = graph.addOp(op.clone(), std::move(inputs), std::move(outputs));
  copy.placement() = {};
  return copy;
}

/// Sums and products of integers of 64 bits would be those of 32. (Other
/// operators of integers have rules for constants.)
bool wrapsOnDevice(const Op &op) {
  const std::string rule = op.attributes().getString("reduction", "none");
  const DataType type = op.output().info.type;
  return (rule == "add" || rule == "mul") &&
         (type == DataType::Int64 || type == DataType::UInt64);
}

/// The results of a module of one graph without arguments.
std::vector<HostTensor> run(const Module &module) {
  TileProgram program =
      lowerModule(module, poplar::Target::createCPUTarget(), ProgramOptions());
  poplar::Engine engine(compileProgram(program));
  engine.load(poplar::Device::createCPUDevice());
  std::vector<HostTensor> results;
  for (const auto &result : module.main().results())
    results.emplace_back(TensorInfo{deviceDataType(result.value->info.type),
                                    result.value->info.shape});
  for (std::size_t i = 0; i != results.size(); ++i) {
    const std::span<std::byte> bytes = results[i].bytes();
    engine.connectStream(module.main().results()[i].name, bytes.data(),
                         bytes.data() + bytes.size());
  }
  engine.run(0);
  for (std::size_t i = 0; i != results.size(); ++i)
    results[i] =
        results[i].convertedTo(module.main().results()[i].value->info.type);
  return results;
}

/// Adds the results of an operator to the values that are known.
void compute(const Op &op, Known &known) {
  Module module("known");
  Graph &graph = module.addGraph("known");
  Op &copy = copyInto(graph, op, known);
  std::optional<std::vector<HostTensor>> results = copy.evaluate();
  if (results) {
    for (std::size_t i = 0; i != op.outputs().size(); ++i)
      if (op.outputs()[i])
        known.insert_or_assign(op.outputs()[i], std::move((*results)[i]));
    return;
  }
  if (wrapsOnDevice(op))
    op.failUnsupported("it computes with integers of 64 bits");
  std::vector<const Value *> values;
  for (std::size_t i = 0; i != op.outputs().size(); ++i)
    if (op.outputs()[i]) {
      graph.addResult(op.outputs()[i]->name, *copy.outputs()[i]);
      values.push_back(op.outputs()[i]);
    }
  std::vector<HostTensor> found = run(module);
  for (std::size_t i = 0; i != values.size(); ++i)
    known.insert_or_assign(values[i], std::move(found[i]));
}

std::optional<HostTensor> evaluate(const Value &value, std::string &problem) {
  const std::vector<const Op *> ops = operatorsBehind(value);
  if (ops.empty())
    return std::nullopt;
  try {
    Known known;
    for (const Op *op : ops)
      compute(*op, known);
    logging::debug(logging::Module::ces, "evaluated '{}'", value.name);
    return std::move(known.at(&value));
  } catch (const Error &error) {
    // For example, a 64-bit integer does not fit on the device.
    logging::info(logging::Module::ces, "'{}' cannot be evaluated: {}",
                  value.name, error.what());
    problem = error.what();
    return std::nullopt;
  }
}

const RegisterEvaluator registration(evaluate);

} // namespace

} // namespace populus::popir
