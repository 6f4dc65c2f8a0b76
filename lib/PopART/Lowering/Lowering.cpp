// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creation of variables and constants for the tensors of the IR.

#include "lib/PopART/Lowering/Lowering.h"

#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"

#include <poputil/TileMapping.hpp>

namespace popart {

std::optional<poplar::Type> deviceType(DataType type) {
  switch (type) {
  case DataType::Float:
    return poplar::FLOAT;
  case DataType::Int32:
    return poplar::INT;
  case DataType::UInt32:
    return poplar::UNSIGNED_INT;
  case DataType::Bool:
    return poplar::BOOL;
  default:
    return std::nullopt;
  }
}

std::vector<std::size_t> toPoplar(const Shape &shape) {
  return std::vector<std::size_t>(shape.begin(), shape.end());
}

static poplar::Type requireDeviceType(const Tensor &tensor) {
  std::optional<poplar::Type> type = deviceType(tensor.info.type);
  if (!type)
    failUnsupported("tensor '{}' has the type {}, which the device does not "
                    "have",
                    tensor.name, name(tensor.info.type));
  return *type;
}

poplar::DebugContext Lowering::debug(const Op &op) const {
  return poplar::DebugContext(op.name());
}

poplar::Tensor Lowering::input(const Op &op, std::size_t index) {
  return get(op.input(index));
}

poplar::Tensor Lowering::get(const Tensor &tensor) {
  auto found = values.find(&tensor);
  if (found != values.end())
    return found->second;
  if (!tensor.isConstant())
    fail(ErrorKind::Internal, "tensor '{}' is read before it is computed",
         tensor.name);
  return createVariable(tensor);
}

void Lowering::setOutput(const Op &op, poplar::Tensor value,
                         std::size_t index) {
  set(op.output(index), std::move(value));
}

void Lowering::set(const Tensor &tensor, poplar::Tensor value) {
  if (value.shape() != toPoplar(tensor.info.shape))
    fail(ErrorKind::Internal, "tensor '{}' was lowered with shape {} for {}",
         tensor.name, value.shapeToString(), toString(tensor.info.shape));
  logging::debug(logging::Module::opx, "tensor '{}': {}", tensor.name,
                 value.shapeToString());
  values.insert_or_assign(&tensor, std::move(value));
}

poplar::Tensor Lowering::createByReader(const Tensor &tensor) {
  for (const Op *reader : tensor.consumers)
    for (std::size_t i = 0; i != reader->inputs().size(); ++i)
      if (reader->inputs()[i] == &tensor)
        if (poplar::Tensor created = reader->createInput(*this, i);
            created.valid())
          return created;
  return poplar::Tensor();
}

namespace {

struct SetInitialValue {
  poplar::Graph &graph;
  const poplar::Tensor &target;

  template <class T> void operator()(std::span<const T> elements) const {
    graph.setInitialValue(
        target, poplar::ArrayRef<T>(elements.data(), elements.size()));
  }
};

/// Calls `function` with the elements as the device's type.
template <class Function>
void withDeviceElements(const HostTensor &value, Function &&function) {
  switch (value.type()) {
  case DataType::Float:
    return function(value.as<float>());
  case DataType::Int32:
    return function(value.as<std::int32_t>());
  case DataType::UInt32:
    return function(value.as<std::uint32_t>());
  case DataType::Bool:
    return function(value.as<bool>());
  default:
    failUnsupported("a constant has the type {}, which the device does not "
                    "have",
                    name(value.type()));
  }
}

} // namespace

poplar::Tensor Lowering::createVariable(const Tensor &tensor) {
  poplar::Type type = requireDeviceType(tensor);
  poplar::Tensor variable = createByReader(tensor);
  if (!variable.valid()) {
    variable =
        poplarGraph.addVariable(type, toPoplar(tensor.info.shape), tensor.name);
    poputil::mapTensorLinearly(poplarGraph, variable);
  }
  if (tensor.isConstant() && variable.numElements() != 0)
    withDeviceElements(*tensor.value, SetInitialValue{poplarGraph, variable});
  set(tensor, variable);
  return variable;
}

poplar::Tensor Lowering::addConstant(const HostTensor &value,
                                     const poplar::DebugContext &debug) {
  poplar::Tensor constant;
  withDeviceElements(value, [&](auto elements) {
    using T = std::remove_const_t<typename decltype(elements)::element_type>;
    constant = poplarGraph.addConstant(
        *deviceType(value.type()), toPoplar(value.shape()),
        poplar::ArrayRef<T>(elements.data(), elements.size()), debug);
  });
  poplarGraph.setTileMapping(constant, 0);
  return constant;
}

} // namespace popart
