// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all operators share: access to their tensors, and errors that name them.

#include "lib/PopART/IR/Op.h"

#include "lib/PopART/Support/Error.h"

#include <poplar/Tensor.hpp>

namespace popart {

std::string toString(const OperatorId &id) {
  if (id.domain.empty())
    return fmt::format("{}-{}", id.type, id.version);
  return fmt::format("{}.{}-{}", id.domain, id.type, id.version);
}

Op::Op(OpSpec spec) : opSpec(std::move(spec)) {}
Op::~Op() = default;

const Tensor &Op::input(std::size_t index) const {
  if (!hasInput(index))
    failInput(fmt::format("input {} is missing", index));
  return *inputTensors[index];
}

const Tensor &Op::output(std::size_t index) const {
  if (!hasOutput(index))
    failInput(fmt::format("output {} is missing", index));
  return *outputTensors[index];
}

/// The inputs of the graph that a tensor is computed from.
static std::set<std::string> inputsBehind(const Tensor &tensor) {
  std::set<std::string> names;
  std::set<const Tensor *> seen = {&tensor};
  std::vector<const Tensor *> work = {&tensor};
  while (!work.empty()) {
    const Tensor &next = *work.back();
    work.pop_back();
    if (!next.producer)
      names.insert(next.name);
    else
      for (const Tensor *input : next.producer->inputs())
        if (input && !input->isConstant() && seen.insert(input).second)
          work.push_back(input);
  }
  return names;
}

void failUnknown(const Tensor &tensor, const std::string &text) {
  throw UnknownValue(ErrorKind::Unsupported, text, inputsBehind(tensor));
}

const HostTensor &Op::constantInput(std::size_t index,
                                    std::string_view role) const {
  const Tensor &tensor = input(index);
  if (!tensor.isConstant())
    failUnknown(tensor,
                fmt::format("node {}: its {} '{}' has to be a constant, for "
                            "programs for the IPU are planned ahead; it is "
                            "computed when the model runs",
                            describe(), role, tensor.name));
  return *tensor.value;
}

poplar::Tensor Op::createInput(Lowering &, std::size_t) const {
  return poplar::Tensor();
}

bool Op::dependsOnValue(std::size_t index) const {
  const TensorInfo &info = input(index).info;
  return !isFloatingPoint(info.type) || info.numElements() == 1 ||
         readsOnHost(index);
}

std::string Op::describe() const {
  return fmt::format("{} '{}'", toString(id()), name());
}

void Op::failInput(const std::string &text) const {
  popart::failInput("node {}: {}", describe(), text);
}

void Op::failUnsupported(const std::string &text) const {
  popart::failUnsupported("node {}: {}", describe(), text);
}

} // namespace popart
