// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Custom operators in the IR: shapes, gradients, memory effects. Their lowering
// is in CustomLowering.cpp.

#include "lib/PopART/Custom/CustomOp.h"

#include "lib/PopART/Custom/Conversions.h"
#include "lib/PopART/Custom/Registry.h"
#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/Support/Error.h"

#include <algorithm>

namespace populus::popir {

std::unique_ptr<Op> createCustomOp(OpSpec spec) {
  return std::make_unique<CustomOp>(std::move(spec));
}

CustomOp::CustomOp(OpSpec newSpec, std::shared_ptr<const popart::Op> prototype)
    : DeviceOp(std::move(newSpec)), opid(id().domain, id().type, id().version),
      prototype(std::move(prototype)) {}

std::unique_ptr<Op> makeReal(const popart::Op &made, const Edges &edges) {
  const CustomDefinition *custom = findCustom(made.opid);
  const bool isOurs = made.opid.domain == popart::Domain::ai_graphcore &&
                      !(custom && custom->opx);
  const auto *builtin = dynamic_cast<const popart::BuiltinOp *>(&made);
  if (builtin && (builtin->standard() == made.opid || isOurs)) {
    std::unique_ptr<Op> op = makeFromStandIn(*builtin, edges);
    if (!op)
      throw popart::error("there is no operator {}", made.opid);
    return op;
  }
  OpSpec spec;
  spec.id = fromPublic(made.opid);
  spec.name = made.name().empty() ? spec.id.type : made.name();
  spec.attributes = attributesOf(made);
  spec.numInputs = edges.inputs;
  spec.numOutputs = edges.outputs;
  return std::make_unique<CustomOp>(std::move(spec), made.clone());
}

std::unique_ptr<Op> CustomOp::remake(OpSpec spec) const {
  return std::make_unique<CustomOp>(std::move(spec), prototype);
}

/// The operands' types have to be among those that the definition lists.
void CustomOp::checkTypes() const {
  const CustomDefinition *custom = findCustom(opid);
  if (!custom || prototype)
    return;
  const auto &wanted = custom->definition.inputs;
  for (std::size_t i = 0; i != std::min(wanted.size(), inputs().size()); ++i) {
    const auto &types = wanted[i].supportedTensors;
    if (hasInput(i) && !types.empty() &&
        std::ranges::count(types, toPublic(input(i).info).dataType()) == 0)
      failInput(fmt::format("its operand '{}' is {}, which its definition does "
                            "not list",
                            wanted[i].name, toString(input(i).info)));
  }
}

void CustomOp::connect(CustomInstance &instance) const {
  popart::Op &op = *instance.op;
  op.settings.graph = std::ref(instance.graph);
  for (std::size_t i = 0; i != inputs().size(); ++i)
    if (hasInput(i) && !op.hasInput(static_cast<int>(i)))
      op.connectInTensor(static_cast<int>(i), input(i).name);
  if (op.requiresRandomSeed() && !op.hasInput(op.getSeedInIndex())) {
    popart::Tensor &seed = instance.graph.tensor(name() + "/seed");
    seed.info.set(popart::DataType::UINT32, {2});
    op.connectInTensor(op.getSeedInIndex(), seed.id);
  }
  const std::size_t count = std::max(outputs().size(), spec().numOutputs);
  for (std::size_t i = 0; i != count; ++i)
    op.createAndConnectOutTensor(
        static_cast<int>(i),
        hasOutput(i) ? output(i).name : fmt::format("{}:{}", name(), i));
  op.setup();
}

std::unique_ptr<CustomInstance> CustomOp::instance() const {
  auto result = std::make_unique<CustomInstance>();
  std::vector<popart::Tensor *> operands;
  for (const Value *input : inputs()) {
    operands.push_back(nullptr);
    if (!input)
      continue;
    popart::Tensor &tensor = result->graph.tensor(
        input->name, input->isConstant() ? popart::TensorType::Const
                     : input->variable() ? popart::TensorType::Variable
                                         : popart::TensorType::ActGrad);
    tensor.info = toPublic(input->info);
    if (input->isConstant())
      tensor.setTensorData(tensor.info, input->constant()->bytes().data());
    operands.back() = &tensor;
  }
  translated([&] {
    popart::Op::Settings settings(result->graph, name());
    settings.vgraphId =
        placement().ipu ? nonstd::optional<popart::VGraphId>(*placement().ipu)
                        : nonstd::nullopt;
    if (prototype) {
      result->op = prototype->clone();
      result->op->disconnectAllInputs();
      result->op->disconnectAllOutputs();
      result->op->settings.name = name();
    } else {
      const popart::Attributes given = toPublic(attributes());
      const std::vector<popart::TensorId> results;
      result->op = findCustom(opid)->factory(
          popart::OpCreatorInfo(opid, settings, given, operands, results));
    }
    connect(*result);
    return true;
  });
  return result;
}

std::vector<TensorInfo> CustomOp::infer() const {
  checkTypes();
  last = instance();
  std::vector<TensorInfo> infos;
  for (int i = 0; last->op->hasOutput(i); ++i) {
    const auto info = fromPublic(last->op->outInfo(i));
    if (!info || !last->op->outInfo(i).isSet())
      failInput(
          fmt::format("its setup() gives result {} no type and shape", i));
    infos.push_back(*info);
  }
  return infos;
}

const popart::Op &CustomOp::known() const {
  if (!last)
    last = instance();
  return *last->op;
}

OperandEffect CustomOp::effect(std::size_t operand) const {
  return {true, known().modifiesIndex(static_cast<int>(operand))};
}

bool CustomOp::needsFloat32(std::size_t operand) const {
  const CustomDefinition *custom = findCustom(opid);
  if (!custom || operand >= custom->definition.inputs.size())
    return false;
  const auto &types = custom->definition.inputs[operand].supportedTensors;
  return !types.empty() &&
         std::ranges::count(types, popart::DataType::FLOAT16) == 0;
}

bool CustomOp::hasEffect() const { return known().hasSideEffect(); }
bool CustomOp::isStateful() const { return known().requiresRandomSeed(); }
bool CustomOp::isIdentity() const { return known().canBeReplacedByIdentity(); }

double CustomOp::codeValue() const {
  return known().getSubgraphValue() >= popart::Op::getHighSubgraphValue() ? 1
                                                                          : 0.1;
}

// ---- Gradients --------------------------------------------------------------

namespace {

/// The operands of a gradient operator.
std::vector<Value *> operandsOf(Gradients &g, const popart::Op &forward,
                                const popart::Op &gradient) {
  std::vector<Value *> operands;
  for (const popart::GradInOutMapper &from : gradient.gradInputInfo()) {
    const auto place = static_cast<std::size_t>(from.iGrad);
    const auto index = static_cast<std::size_t>(from.iNonGrad);
    operands.resize(std::max(operands.size(), place + 1));
    if (from.type == popart::GradOpInType::GradOut)
      operands[place] = &g.dy(index);
    else if (from.type == popart::GradOpInType::Out)
      operands[place] = &g.y(index);
    else if (forward.requiresRandomSeed() &&
             from.iNonGrad == forward.getSeedInIndex())
      g.forward().failUnsupported("its gradient reads its random seed");
    else if (g.forward().hasInput(index))
      operands[place] = &g.x(index);
  }
  return operands;
}

} // namespace

void CustomOp::differentiate(Gradients &g) const {
  translated([&] {
    last = instance();
    for (const std::unique_ptr<popart::Op> &made : last->op->getGradOps()) {
      const std::map<int, int> &operandOf = made->gradOutToNonGradIn();
      Edges edges;
      for (const auto &[result, operand] : operandOf)
        edges.outputs = std::max<std::size_t>(edges.outputs, result + 1);
      std::vector<Value *> operands = operandsOf(g, *last->op, *made);
      edges.inputs = operands.size();
      made->settings.name = made->opid.type;
      const std::vector<Value *> results =
          g.addOp(makeReal(*made, edges), operands);
      for (const auto &[result, operand] : operandOf)
        if (g.forward().hasInput(operand))
          g.set(operand, *results.at(result));
    }
    g.endRest(); // of others its program says that there is none
    return true;
  });
}

} // namespace populus::popir
