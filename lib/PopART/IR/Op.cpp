// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Base implementation of operators: operand access, cloning, and errors that
// name the operator.

#include "lib/PopART/IR/Op.h"

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/KnownValues.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/IR/Sources.h"
#include "lib/PopART/Support/Error.h"

namespace populus::popir {

std::string toString(const OperatorId &id) {
  if (id.domain.empty())
    return fmt::format("{}-{}", id.type, id.version);
  return fmt::format("{}.{}-{}", id.domain, id.type, id.version);
}

Op::Op(OpSpec spec) : opSpec(std::move(spec)) {}
Op::~Op() = default;

bool Op::isBefore(const Op &other) const {
  return OpList::isBefore(*this, other);
}

const Value &Op::input(std::size_t index) const {
  if (!hasInput(index))
    failInput(fmt::format("input {} is missing", index));
  return *operands[index];
}

const Value &Op::output(std::size_t index) const {
  if (!hasOutput(index))
    failInput(fmt::format("output {} is missing", index));
  return *results[index];
}

std::set<std::string> inputsBehind(const Value &tensor) {
  std::set<std::string> names;
  std::set<const Value *> seen = {&tensor};
  std::vector<const Value *> work = {&tensor};
  while (!work.empty()) {
    const Value &next = *work.back();
    work.pop_back();
    if (!next.producer())
      names.insert(next.name);
    else
      for (const Value *input : next.producer()->inputs())
        if (input && !input->isConstant() && seen.insert(input).second)
          work.push_back(input);
  }
  return names;
}

bool isZeros(const Value &value) {
  if (value.isConstant())
    return std::ranges::all_of(value.constant()->bytes(),
                               [](std::byte x) { return x == std::byte{0}; });
  const Op *op = value.producer();
  return op && op->id().domain.empty() && op->id().type == "Expand" &&
         isZeros(op->input(0));
}

void failUnknown(const Value &tensor, const std::string &text) {
  throw UnknownValue(ErrorKind::Unsupported, text, inputsBehind(tensor));
}

const HostTensor &Op::constantInput(std::size_t index,
                                    std::string_view role) const {
  const Value &tensor = input(index);
  std::string problem;
  if (const HostTensor *value = knownValue(*operands[index], &problem))
    return *value;
  if (!problem.empty())
    failUnknown(tensor,
                fmt::format("node {}: its {} '{}' cannot be computed: {}",
                            describe(), role, tensor.name, problem));
  failUnknown(tensor,
              fmt::format("node {}: its {} '{}' has to be a constant, for "
                          "programs for the IPU are planned ahead; it is "
                          "computed when the model runs",
                          describe(), role, tensor.name));
}

Graph &Op::addBody(std::unique_ptr<Graph> body) {
  return *ownGraphs.emplace_back(std::move(body));
}

std::unique_ptr<Op> Op::remake(OpSpec spec) const {
  return createOp(std::move(spec));
}

std::unique_ptr<Op> Op::clone() const {
  std::unique_ptr<Op> copy = remake(opSpec);
  copy->calledGraphs = calledGraphs;
  copy->inPlaceOperand = inPlaceOperand;
  for (const auto &body : ownGraphs)
    cloneInto(*body, copy->addBody(
                         std::make_unique<Graph>(body->module(), body->name)));
  return copy;
}

bool Op::dependsOnValue(std::size_t index) const {
  const TensorInfo &info = input(index).info;
  return !isFloatingPoint(info.type) || info.numElements() == 1 ||
         readsOnHost(index);
}

void Op::differentiate(Gradients &g) const {
  if (!needsInputValues())
    return g.endRest(); // what depends on shapes only stays as it is
  failUnsupported("it has no gradient, and the loss is differentiated by what "
                  "it computes with");
}

bool Op::mayAlias(std::size_t result, std::size_t operand) const {
  if (result == 0 && inPlaceOperand)
    return inPlaceOperand == operand;
  return result != 0 || !ownsResult();
}

std::string Op::describe() const {
  return fmt::format("{} '{}'", toString(id()), name());
}

void Op::failInput(const std::string &text) const {
  popir::failInput("node {}: {}", describe(), text);
}

void Op::failUnsupported(const std::string &text) const {
  popir::failUnsupported("node {}: {}", describe(), text);
}

} // namespace populus::popir
