// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts floating-point operations of the mathematical definition, not of the
// kernel: two for each multiply-add, one for each element of an elementwise
// operator. Other operators have no count.

#include "lib/PopART/Lowering/OperatorRecord.h"

#include "lib/PopART/Lowering/TrainingPhases.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace populus::popir {

namespace {

double elementsOf(const Shape &shape) {
  double product = 1;
  for (auto extent : shape)
    product *= static_cast<double>(extent);
  return product;
}

std::uint64_t bytesOf(const TensorInfo &info) {
  return static_cast<std::uint64_t>(info.numElements()) *
         std::min<std::size_t>(sizeOf(info.type), 4);
}

double flopsOf(const Op &op);

/// Operations of a fused operator: the sum over its body.
double flopsOfBodies(const Op &op) {
  double sum = 0;
  for (const auto &body : op.bodies())
    for (const Op *part : body->ops())
      sum += flopsOf(*part);
  return sum;
}

double flopsOf(const Op &op) {
  if (!op.bodies().empty())
    return flopsOfBodies(op);
  if (!op.hasOutput(0) || !op.hasInput(0))
    return 0;
  const std::string &type = op.id().type;
  const double output = elementsOf(op.output().info.shape);
  const auto weightsFor = [&](std::size_t axis) {
    const Shape &weights = op.inputShape(1);
    return elementsOf(weights) / static_cast<double>(weights[axis]);
  };
  const bool hasMatrix = op.hasInput(1) && !op.inputShape(1).empty();
  if (type == "Conv" && hasMatrix)
    return 2 * output * weightsFor(0);
  if (type == "ConvTranspose" && hasMatrix)
    return 2 * elementsOf(op.inputShape(0)) * weightsFor(0);
  if (type == "MatMul" && !op.inputShape(0).empty())
    return 2 * output * static_cast<double>(op.inputShape(0).back());
  if (type == "Gemm" && !op.output().info.shape.empty())
    return 2 * output * elementsOf(op.inputShape(0)) /
           static_cast<double>(op.output().info.shape[0]);
  return op.isElementwise() ? output : 0;
}

} // namespace

report::Recorded recordOperators(const Module &module) {
  report::Recorded recorded;
  const TrainingPhases phases(module);
  std::unordered_map<const Op *, std::uint32_t> numbers;
  for (const Graph &graph : module.graphs())
    for (const Op *op : graph.ops()) {
      numbers.emplace(op, static_cast<std::uint32_t>(numbers.size()));
      report::Operator &entry = *recorded.add_operators();
      entry.set_name(op->name());
      entry.set_kind(op->id().type);
      entry.set_phase(phases.of(*op));
      entry.set_flops(flopsOf(*op));
      for (const Value *input : op->inputs())
        if (input)
          entry.set_input_bytes(entry.input_bytes() + bytesOf(input->info));
      for (const Value *output : op->outputs())
        if (output)
          entry.set_output_bytes(entry.output_bytes() + bytesOf(output->info));
      if (op->hasOutput(0))
        entry.set_element_bytes(static_cast<std::uint32_t>(
            std::min<std::size_t>(sizeOf(op->output().info.type), 4)));
      entry.set_is_view(!op->ownsResult() && op->hasInput(0) &&
                        op->mayAlias(0, 0) && !op->inPlace());
    }
  for (const auto &[op, number] : numbers)
    for (const Value *input : op->inputs())
      if (input && input->producer())
        recorded.mutable_operators(static_cast<int>(number))
            ->add_sources(numbers.at(input->producer()));
  return recorded;
}

} // namespace populus::popir
