// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds single operators, and tracks the budget.

#include "lib/PopART/Import/Folding.h"

#include "lib/PopART/Support/Log.h"

#include <algorithm>

namespace populus::popir {

namespace {

/// Results of up to this size, such as shapes, are always folded.
constexpr std::uint64_t AlwaysFolded = 4096;

/// The limit of a constant's size.
constexpr std::uint64_t LargestConstant = std::uint64_t(1) << 31;

std::uint64_t bytesOf(const Op &op) {
  std::uint64_t bytes = 0;
  for (const Value *output : op.outputs())
    if (output)
      bytes += static_cast<std::uint64_t>(output->info.numElements()) *
               sizeOf(output->info.type);
  return bytes;
}

std::uint64_t elementsOf(const Op &op) {
  std::uint64_t elements = 0;
  for (const auto *tensors : {&op.inputs(), &op.outputs()})
    for (const Value *tensor : *tensors)
      if (tensor && (tensors == &op.outputs() || op.needsInputValues()))
        elements += static_cast<std::uint64_t>(tensor->info.numElements());
  return elements;
}

} // namespace

bool ConstantFolder::isAffordable(const Op &op) const {
  std::uint64_t bytes = bytesOf(op);
  if (!op.runsOnDevice()) {
    if (bytes > LargestConstant)
      op.failUnsupported(fmt::format(
          "its result of {} bytes is too large for a constant", bytes));
    return true;
  }
  return bytes <= AlwaysFolded ||
         (bytes <= budget.resultBytes &&
          spentBytes + bytes <= budget.totalBytes &&
          spentElements + elementsOf(op) <= budget.totalElements);
}

void ConstantFolder::fold(Graph &graph, Op &op) {
  bool isConstant = std::ranges::all_of(op.inputs(), [](const Value *input) {
    return !input || input->isConstant();
  });
  if (!isConstant && op.needsInputValues())
    return;
  if (!isAffordable(op)) {
    logging::info(logging::Module::ces,
                  "{} is computed on the device: its result of {} bytes is "
                  "beyond the budget for folding",
                  op.describe(), bytesOf(op));
    return;
  }
  std::optional<std::vector<HostTensor>> values = op.evaluate();
  if (!values)
    return;
  logging::debug(logging::Module::ces, "folded {}", op.describe());
  spentBytes += bytesOf(op);
  spentElements += elementsOf(op);
  // A copy, because makeConstant edits the list of outputs.
  std::vector<Value *> outputs = op.outputs();
  for (std::size_t i = 0; i != outputs.size(); ++i)
    if (outputs[i])
      graph.makeConstant(*outputs[i], std::make_shared<const HostTensor>(
                                          std::move((*values)[i])));
}

void ConstantFolder::foldUsers(Graph &graph, Value &constant) {
  for (Op *user : constant.users()) {
    const std::vector<Value *> outputs = user->outputs();
    fold(graph, *user);
    for (Value *output : outputs)
      if (output && output->isConstant() && !output->producer())
        foldUsers(graph, *output);
  }
}

void dropFolded(Graph &graph) {
  graph.removeOps([](const Op &op) {
    return !op.hasEffect() &&
           std::ranges::all_of(op.outputs(),
                               [](const Value *output) { return !output; });
  });
  graph.removeUnusedValues();
}

} // namespace populus::popir
