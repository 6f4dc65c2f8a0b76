// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The evaluator of values that have to be known at compile time
// (IR/KnownValues.h). It copies the operators that a value depends on into a
// separate graph, lowers it for the CPU device, and runs it once in this
// process, so that the value equals that of a device. This takes some tens of
// milliseconds, so it is done on demand only.

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

/// Copies operators into a graph that returns the copy of `value`.
void copyInto(Graph &graph, const std::vector<const Op *> &ops,
              const Value &value) {
  std::unordered_map<const Value *, Value *> copies;
  const auto copyOf = [&](const Value *original) -> Value * {
    if (!original)
      return nullptr;
    Value *&copy = copies[original];
    if (!copy)
      copy = original->isConstant()
                 ? &graph.addConstant(original->name, original->constant())
                 : &graph.addValue(original->name, original->info);
    return copy;
  };
  for (const Op *op : ops) {
    std::vector<Value *> inputs, outputs;
    std::ranges::transform(op->inputs(), std::back_inserter(inputs), copyOf);
    std::ranges::transform(op->outputs(), std::back_inserter(outputs), copyOf);
    graph.addOp(op->clone(), std::move(inputs), std::move(outputs))
        .placement() = {};
  }
  graph.addResult(value.name, *copyOf(&value));
}

/// Runs a module of one graph, without arguments and with one result.
HostTensor run(const Module &module) {
  const Value &value = *module.main().results().front().value;
  TileProgram program =
      lowerModule(module, poplar::Target::createCPUTarget(), ProgramOptions());
  poplar::Engine engine(compileProgram(program));
  engine.load(poplar::Device::createCPUDevice());
  HostTensor result({deviceDataType(value.info.type), value.info.shape});
  std::span<std::byte> bytes = result.bytes();
  engine.connectStream(value.name, bytes.data(), bytes.data() + bytes.size());
  engine.run(0);
  return result.convertedTo(value.info.type);
}

std::optional<HostTensor> evaluate(const Value &value) {
  const std::vector<const Op *> ops = operatorsBehind(value);
  if (ops.empty())
    return std::nullopt;
  Module module("known");
  copyInto(module.addGraph("known"), ops, value);
  try {
    HostTensor result = run(module);
    logging::debug(logging::Module::ces, "evaluated '{}'", value.name);
    return result;
  } catch (const Error &error) {
    // For example, a 64-bit integer does not fit on the device.
    logging::info(logging::Module::ces, "'{}' cannot be evaluated: {}",
                  value.name, error.what());
    return std::nullopt;
  }
}

const RegisterEvaluator registration(evaluate);

} // namespace

} // namespace populus::popir
