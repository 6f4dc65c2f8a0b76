// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lowering of custom operators: an Opx of the user's program adds the operator
// to the tile program. It reads operands and sets results through OpxState.

#include "lib/PopART/Custom/CustomOp.h"
#include "lib/PopART/Custom/Registry.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <fmt/format.h>
#include <popart/popx/opx.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/TileMapping.hpp>

#include <map>

namespace popart::popx {

/// An operator during lowering: the compiler's state, and operands and results
/// as tensors.
struct OpxState {
  populus::popir::Lowering &lowering;
  const populus::popir::CustomOp &op;
  std::map<int, poplar::Tensor> inputs, outputs;
};

class OpxAccess {
public:
  static void set(Opx &opx, OpxState &state) { opx.state = &state; }
};

} // namespace popart::popx

namespace populus::popir {

using popart::popx::OpxState;

namespace {

/// An Opx, and the objects that it refers to.
struct Lowered {
  Lowered(Lowering &lowering, const CustomOp &op,
          std::unique_ptr<CustomInstance> made,
          const popart::popx::OpxManager::OpxFactoryFunc &factory)
      : instance(std::move(made)), ir(instance->ir, lowering.graph()),
        device(ir), state{lowering, op, {}, {}},
        opx(factory(instance->op.get(), &device)) {
    popart::popx::OpxAccess::set(*opx, state);
  }

  std::unique_ptr<CustomInstance> instance;
  popart::popx::IrLowering ir;
  popart::popx::Devicex device;
  OpxState state;
  std::unique_ptr<popart::popx::Opx> opx;
};

} // namespace

static const popart::popx::OpxManager::OpxFactoryFunc &
opxOf(const CustomOp &op, const popart::OperatorIdentifier &opid) {
  const CustomDefinition *custom = findCustom(opid);
  if (!custom || !custom->opx)
    op.failUnsupported(fmt::format("Could not create opx for '{}.{}:{}': no "
                                   "OpxCreator names it",
                                   opid.domain, opid.type, opid.version));
  return custom->opx;
}

/// A seed that differs from those of other operators.
static poplar::Tensor ownSeed(Lowering &lowering, const Op &op) {
  const Lowering::Randomness random = lowering.randomness({});
  const poplar::Tensor key = popops::map(
      lowering.graph(),
      popops::expr::_1 + popops::expr::Const(random.modifier * 0x9E3779B9U),
      {random.seed.slice(0, 1)}, lowering.program(), lowering.debug(op));
  return poplar::concat(key, random.seed.slice(1, 2));
}

void CustomOp::lower(Lowering &lowering) const {
  translated([&] {
    Lowered lowered(lowering, *this, instance(), opxOf(*this, opid));
    OpxState &state = lowered.state;
    for (std::size_t i = 0; i != inputs().size(); ++i)
      if (hasInput(i))
        state.inputs[static_cast<int>(i)] = lowering.input(*this, i);
    const popart::Op &op = *lowered.instance->op;
    if (op.requiresRandomSeed())
      state.inputs[op.getSeedInIndex()] = ownSeed(lowering, *this);
    lowered.opx->grow(lowering.program());
    for (std::size_t i = 0; i != outputs().size(); ++i) {
      if (!hasOutput(i))
        continue;
      const auto found = state.outputs.find(static_cast<int>(i));
      if (found == state.outputs.end())
        failInput(fmt::format("its Opx sets no result {} (setOutTensor)", i));
      if (found->second.shape() != toPoplar(output(i).info.shape))
        failInput(fmt::format(
            "its Opx sets result {} of shape {}, and setup() says {}", i,
            found->second.shapeToString(), toString(output(i).info.shape)));
      lowering.setOutput(*this, found->second, i);
    }
    return true;
  });
}

poplar::Tensor CustomOp::createInput(Lowering &lowering,
                                     std::size_t index) const {
  using Type = popart::popx::InputCreatorType;
  return translated([&] {
    Lowered lowered(lowering, *this, instance(), opxOf(*this, opid));
    const auto place = static_cast<int>(index);
    const Type type = lowered.opx->getInputCreatorType(place);
    return type == Type::CanCreate || type == Type::CanCreateOrUnwind
               ? lowered.opx->createInputTensor(
                     place, poplar::DebugNameAndId(input(index).name))
               : poplar::Tensor();
  });
}

} // namespace populus::popir

namespace popart::popx {

const Ir &Devicex::ir() const { return irLowering.ir(); }
std::uint32_t Devicex::getReplicationFactor() const {
  return irLowering.getReplicationFactor();
}
std::uint32_t Devicex::getGlobalReplicationFactor() const {
  return irLowering.getGlobalReplicationFactor();
}

poplar::Type popType(DataType type) {
  switch (type) {
  case DataType::FLOAT:
    return poplar::FLOAT;
  case DataType::FLOAT16:
    return poplar::HALF;
  case DataType::BOOL:
    return poplar::BOOL;
  case DataType::UINT32:
  case DataType::UINT64:
    return poplar::UNSIGNED_INT;
  case DataType::INT8:
  case DataType::UINT8:
  case DataType::INT16:
  case DataType::UINT16:
  case DataType::INT32:
  case DataType::INT64:
    return poplar::INT;
  default:
    throw error("{} is not a type of the device", getDataTypeName(type));
  }
}

poplar::Type popType(const TensorInfo &info) {
  return popType(info.dataType());
}

void Opx::grow(poplar::program::Sequence &) const {
  throw error("adding poplar::Tensors not implemented for {}", op_p->opid);
}

poplar::Tensor Opx::createInput(InIndex index,
                                const poplar::DebugNameAndId &) const {
  throw error("Opx for {} cannot create operand {}", op_p->opid, index);
}

view::RegMap Opx::unwindRegion(InIndex in, OutIndex out) const {
  return op_p->bwdRegMap(in, out);
}

static std::vector<std::size_t> sizes(const Shape &shape) {
  return std::vector<std::size_t>(shape.begin(), shape.end());
}

std::vector<std::size_t> Opx::inShapeSzt(InIndex index) const {
  return sizes(inShape(index));
}
std::vector<std::size_t> Opx::outShapeSzt(OutIndex index) const {
  return sizes(outShape(index));
}

poplar::Graph &Opx::graph() const { return state->lowering.graph(); }
poplar::Graph &Opx::topLevelGraph() const {
  return state->lowering.wholeGraph();
}

static const poplar::Tensor &find(const std::map<int, poplar::Tensor> &tensors,
                                  int index, const Op &op, const char *role) {
  const auto found = tensors.find(index);
  if (found == tensors.end())
    throw error("the Opx of {} asks for {} {}, which is not there", op.str(),
                role, index);
  return found->second;
}

const poplar::Tensor &Opx::getInTensor(InIndex index) const {
  return find(state->inputs, index, *op_p, "operand");
}

const poplar::Tensor &Opx::getOutTensor(OutIndex index) const {
  return find(state->outputs, index, *op_p, "result");
}

void Opx::setOutTensor(OutIndex index, const poplar::Tensor &tensor) const {
  state->outputs[index] = tensor;
}

poplar::Tensor Opx::get(const TensorId &id) const {
  for (const auto &item : op_p->input->tensorMap())
    if (item.second->id == id)
      return getInTensor(item.first);
  for (const auto &item : op_p->output->tensorMap())
    if (item.second->id == id)
      return getOutTensor(item.first);
  throw error("'{}' is no operand and no result of {}", id, op_p->str());
}

void Opx::insert(const TensorId &id, const poplar::Tensor &tensor) const {
  for (const auto &item : op_p->output->tensorMap())
    if (item.second->id == id)
      return setOutTensor(item.first, tensor);
  throw error("'{}' is no result of {}", id, op_p->str());
}

static std::string nameOf(const Op &op, const std::string &name) {
  return name.empty() ? op.name() : op.name() + "/" + name;
}

poplar::DebugNameAndId Opx::getDebugNameAndId(const std::string &name) const {
  return poplar::DebugNameAndId(nameOf(*op_p, name));
}

poplar::DebugContext Opx::debugContext(const std::string &name) const {
  return poplar::DebugContext(nameOf(*op_p, name));
}

std::string Opx::debugPrefix(const std::string &name) const {
  return nameOf(*op_p, name);
}

poplar::Tensor Opx::cloneNcopy(poplar::program::Sequence &program,
                               const TensorId &id) const {
  return cloneNcopy(program, get(id));
}

poplar::Tensor Opx::cloneNcopy(poplar::program::Sequence &program,
                               const poplar::Tensor &tensor,
                               const std::string &name) const {
  const poplar::Tensor copy =
      graph().clone(tensor, debugContext(name.empty() ? "clone" : name));
  program.add(poplar::program::Copy(tensor, copy, false, debugContext("copy")));
  return copy;
}

poplar::Tensor Opx::broadcast(const std::vector<std::int64_t> &shape,
                              const TensorId &id) const {
  return broadcast(shape, get(id));
}

poplar::Tensor Opx::broadcast(const std::vector<std::int64_t> &shape,
                              poplar::Tensor tensor) const {
  poputil::broadcastToMatch(tensor, sizes(shape));
  return tensor;
}

poplar::Tensor Opx::getConst(const poplar::Type &type,
                             const std::vector<std::size_t> &shape,
                             double value, const std::string &name) const {
  poplar::Tensor constant =
      graph().addConstant(type, shape, value, debugContext(name));
  poputil::mapTensorLinearly(graph(), constant);
  return constant;
}

poplar::Tensor Opx::getScalarVariable(const poplar::Type &type,
                                      const std::string &name) const {
  poplar::Tensor variable = graph().addVariable(type, {}, debugContext(name));
  graph().setTileMapping(variable, 0);
  return variable;
}

poplar::Tensor Opx::getZerosTensor(const std::vector<std::size_t> &shape,
                                   const poplar::Type &type,
                                   const std::string &name) const {
  return getConst(type, shape, 0, name);
}

void Opx::failVerify(const Op *op) const {
  throw error("Cannot create opx for '{}': the operator is of another class or "
              "has another identifier than the Opx wants",
              op->str());
}

} // namespace popart::popx
