// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To the mirror and back.

#include "lib/PopART/Custom/Mirror.h"

#include "lib/PopART/Custom/Builtins.h"
#include "lib/PopART/Custom/Conversions.h"
#include "lib/PopART/Custom/CustomOp.h"
#include "lib/PopART/IR/Module.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/Verifier.h"
#include "lib/PopART/Support/Error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace populus::popir {

// ---- To the mirror
// -----------------------------------------------------------

Mirror::Mirror(Graph &real, const std::set<std::string> &anchors)
    : real(real), anchors(anchors), image(ir, real.name) {
  for (const GraphResult &result : real.results())
    this->anchors.insert(result.value->name);
  for (const Value *argument : real.arguments())
    image.addInput(argument->name, toPublic(argument->info));
  for (Op *op : real.ops())
    add(*op);
  for (const GraphResult &result : real.results())
    image.markAsOutput(tensorOf(*result.value).id);
}

popart::Tensor &Mirror::tensorOf(const Value &value) {
  using Type = popart::TensorType;
  if (popart::Tensor *found = image.find(value.name))
    return *found;
  const auto isArgument = std::ranges::count(real.arguments(), &value) != 0
                              ? Type::Stream
                              : Type::ActGrad;
  popart::Tensor &tensor =
      image.tensor(value.name, value.isConstant() ? Type::Const
                               : value.variable() ? Type::Variable
                                                  : isArgument);
  tensor.info = toPublic(value.info);
  if (value.isConstant())
    tensor.setTensorData(tensor.info, value.constant()->bytes().data());
  if (anchors.contains(value.name))
    tensor.setAnchored();
  return tensor;
}

std::unique_ptr<popart::Op>
Mirror::standInOf(const Op &op, const popart::Op::Settings &settings) {
  if (const auto *custom = dynamic_cast<const CustomOp *>(&op)) {
    std::unique_ptr<popart::Op> copy = custom->programOp();
    copy->settings = settings;
    return copy;
  }
  return makeStandIn(toPublic(op.id()), settings, toPublic(op.attributes()));
}

void Mirror::add(Op &op) {
  popart::Op::Settings settings(image, op.name());
  if (op.placement().ipu)
    settings.vgraphId = *op.placement().ipu;
  const popart::OpId id = image.moveIntoGraph(standInOf(op, settings));
  popart::Op &standIn = *image.getOp(id);
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.hasInput(i))
      standIn.connectInTensor(static_cast<int>(i), tensorOf(op.input(i)).id);
  for (std::size_t i = 0; i != op.outputs().size(); ++i)
    if (op.hasOutput(i))
      standIn.connectOutTensor(static_cast<int>(i), tensorOf(op.output(i)).id);
  known[id] = &op;
}

// ---- And back
// ----------------------------------------------------------------

Value &Mirror::valueOf(const popart::Tensor &tensor) {
  if (const auto found = replaced.find(tensor.id); found != replaced.end())
    return *found->second;
  Value *value = real.findValue(tensor.id);
  if (!value)
    throw popart::error("no operator computes the tensor '{}'", tensor.id);
  return *value;
}

/// The first place of a graph where all operands are known.
static Op *placeFor(Graph &graph, const std::vector<Value *> &operands) {
  const Op *last = nullptr;
  for (const Value *operand : operands)
    if (const Op *producer = operand ? operand->producer() : nullptr;
        producer && (!last || last->isBefore(*producer)))
      last = producer;
  return last ? OpList::after(*last) : graph.ops().front();
}

void Mirror::addToReal(popart::Op &made) {
  std::vector<Value *> operands(
      static_cast<std::size_t>(made.input->maxIndex() + 1), nullptr);
  for (const auto &[index, tensor] : made.input->tensorMap())
    operands[static_cast<std::size_t>(index)] = &valueOf(*tensor);
  Placement placement;
  if (made.hasVirtualGraphId())
    placement.ipu = made.getVirtualGraphId();
  GraphBuilder b(real, "", placement, placeFor(real, operands));
  connectResults(made, b.addOp(makeReal(made, edgesOf(made)), operands));
}

void Mirror::connectResults(popart::Op &made,
                            const std::vector<Value *> &values) {
  for (const auto &[index, tensor] : made.output->tensorMap()) {
    Value &value = *values.at(static_cast<std::size_t>(index));
    Value *old = real.findValue(tensor->id);
    if (!old) {
      real.rename(value, tensor->id);
      continue;
    }
    if (old->info != value.info)
      throw popart::error("{} gives '{}' as {}, and it was {}", made.str(),
                          tensor->id, toString(value.info),
                          toString(old->info));
    real.replaceUses(*old, value);
    replaced[tensor->id] = &value;
  }
}

void Mirror::reconnect(popart::Op &standIn, Op &op) {
  for (const auto &[index, tensor] : standIn.output->tensorMap()) {
    const auto place = static_cast<std::size_t>(index);
    if (!op.hasOutput(place) || op.output(place).name != tensor->id)
      throw popart::error("the results of {} were changed; make another "
                          "operator in its place",
                          standIn.str());
  }
  for (std::size_t i = 0; i != op.inputs().size(); ++i) {
    const popart::Tensor *tensor = standIn.input->tensor(static_cast<int>(i));
    if (!tensor && op.hasInput(i))
      throw popart::error("{} has lost its operand {}", standIn.str(), i);
    if (tensor && (!op.hasInput(i) || &valueOf(*tensor) != op.inputs()[i]))
      real.setInput(op, i, &valueOf(*tensor));
  }
}

void Mirror::removeGone() {
  std::set<const Op *> gone;
  for (const auto &[id, op] : known)
    if (!image.getOps().contains(id))
      gone.insert(op);
  for (const Op *op : gone)
    for (const Value *result : op->outputs()) {
      const bool isUsed =
          result && (std::ranges::any_of(result->users(),
                                         [&](const Op *user) {
                                           return !gone.contains(user);
                                         }) ||
                     std::ranges::any_of(real.results(),
                                         [&](const GraphResult &returned) {
                                           return returned.value == result;
                                         }));
      if (isUsed)
        throw popart::error("{} was removed, and its result '{}' is still used",
                            op->describe(), result->name);
    }
  real.removeOps([&](const Op &op) { return gone.contains(&op); });
}

void Mirror::writeBack(const std::string &who) {
  try {
    for (popart::Op *op : image.getOpSchedule())
      if (!known.contains(op->id))
        addToReal(*op);
    for (const auto &[id, op] : known)
      if (const auto standIn = image.getOps().find(id);
          standIn != image.getOps().end())
        reconnect(*standIn->second, *op);
    removeGone();
  } catch (const popart::error &error) {
    failInput("{}: {}", who, error.what());
  }
  for (const auto &[name, value] : replaced)
    real.rename(*value, name);
  if (const std::vector<std::string> problems = verify(real.module());
      !problems.empty())
    failInput("{} leaves a graph that makes no sense: {}", who,
              fmt::join(problems, "; "));
}

} // namespace populus::popir
