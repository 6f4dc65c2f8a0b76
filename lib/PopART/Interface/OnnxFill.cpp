// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kind of attribute has one line, which tells the type of a program's
// value and the field of the proto that takes it.

#include "lib/PopART/Interface/OnnxFill.h"

#include "lib/PopART/Interface/BuilderState.h"
#include "lib/PopART/Interface/Elements.h"
#include "lib/PopART/Support/OnnxTypes.h"

namespace popart {
namespace popart_detail {

void fill(onnx::TensorProto &proto, const ConstVoidData &value) {
  proto.set_data_type(session::toOnnx(value.info.dataType()));
  for (std::int64_t extent : value.info.shape())
    proto.add_dims(extent);
  session::setElements(proto, value.data,
                       static_cast<std::size_t>(value.info.nbytes()));
}

void fill(onnx::ValueInfoProto &proto, const TensorId &id,
          const TensorInfo &info) {
  proto.set_name(id);
  onnx::TypeProto::Tensor &type = *proto.mutable_type()->mutable_tensor_type();
  type.set_elem_type(session::toOnnx(info.dataType()));
  type.mutable_shape();
  for (std::int64_t extent : info.shape())
    type.mutable_shape()->add_dim()->set_dim_value(extent);
}

namespace {

template <class T, class Function>
bool ifHolds(const any &value, Function &&function) {
  const T *held = any_cast<T>(&value);
  if (held)
    function(*held);
  return held != nullptr;
}

} // namespace

void fill(onnx::AttributeProto &proto, const std::string &name,
          const any &value) {
  proto.set_name(name);
  auto setInt = [&](std::int64_t i) {
    proto.set_type(onnx::AttributeProto::INT);
    proto.set_i(i);
  };
  auto setFloat = [&](float f) {
    proto.set_type(onnx::AttributeProto::FLOAT);
    proto.set_f(f);
  };
  auto setString = [&](const std::string &s) {
    proto.set_type(onnx::AttributeProto::STRING);
    proto.set_s(s);
  };
  auto setList = [&](auto type, auto add) {
    return [&proto, type, add](const auto &list) {
      proto.set_type(type);
      for (const auto &item : list)
        (proto.*add)(item);
    };
  };
  auto setInts =
      setList(onnx::AttributeProto::INTS, &onnx::AttributeProto::add_ints);
  bool isKnown =
      ifHolds<std::int64_t>(value, setInt) || ifHolds<int>(value, setInt) ||
      ifHolds<bool>(value, setInt) || ifHolds<float>(value, setFloat) ||
      ifHolds<double>(value,
                      [&](double f) { setFloat(static_cast<float>(f)); }) ||
      ifHolds<std::string>(value, setString) ||
      ifHolds<const char *>(value, setString) ||
      ifHolds<std::vector<std::int64_t>>(value, setInts) ||
      ifHolds<std::vector<int>>(value, setInts) ||
      ifHolds<std::vector<float>>(value,
                                  setList(onnx::AttributeProto::FLOATS,
                                          &onnx::AttributeProto::add_floats)) ||
      ifHolds<std::vector<std::string>>(
          value,
          [&](const std::vector<std::string> &list) {
            proto.set_type(onnx::AttributeProto::STRINGS);
            for (const std::string &item : list)
              proto.add_strings(item);
          }) ||
      ifHolds<Subgraph>(value,
                        [&](const Subgraph &subgraph) {
                          proto.set_type(onnx::AttributeProto::GRAPH);
                          *proto.mutable_g() =
                              BuilderState::of(*subgraph.builder).graph();
                        }) ||
      ifHolds<ConstVoidData>(value, [&](const ConstVoidData &data) {
        proto.set_type(onnx::AttributeProto::TENSOR);
        fill(*proto.mutable_t(), data);
      });
  if (!isKnown)
    throw error("the attribute '{}' is of a type that nodes cannot have", name);
}
} // namespace popart_detail
} // namespace popart
