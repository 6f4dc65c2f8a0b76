// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX stores the elements of a tensor either as raw bytes or in one of five
// repeated fields, small types widened. Sizes are checked against the shape.

#include "lib/PopART/Import/TensorData.h"

#include "lib/PopART/Support/Error.h"

#include <cstring>

namespace populus::popir {

namespace {

[[noreturn]] void failSize(const onnx::TensorProto &proto, std::size_t found,
                           std::size_t wanted, const char *unit) {
  failInput("tensor '{}' holds {} {} where its shape needs {}; the model is "
            "damaged",
            proto.name(), found, unit, wanted);
}

TensorInfo importInfo(const onnx::TensorProto &proto) {
  std::optional<DataType> type = fromOnnx(proto.data_type());
  if (!type)
    failUnsupported("tensor '{}' has the element type {}, which is not "
                    "supported",
                    proto.name(),
                    onnx::TensorProto_DataType_Name(proto.data_type()));
  Shape shape(proto.dims().begin(), proto.dims().end());
  if (!checkedNumElements(shape, sizeOf(*type)))
    failInput("tensor '{}' has the impossible shape {}", proto.name(),
              toString(shape));
  return {*type, std::move(shape)};
}

/// Copies a repeated field into elements of type To.
template <class To, class Field>
void copyField(const onnx::TensorProto &proto, const Field &field,
               HostTensor &result) {
  if (field.size() != result.numElements())
    failSize(proto, field.size(), result.numElements(), "elements");
  std::span<To> target = result.as<To>();
  for (int i = 0; i != field.size(); ++i)
    target[i] = static_cast<To>(field.Get(i));
}

void copyTypedData(const onnx::TensorProto &proto, HostTensor &result) {
  switch (result.type()) {
  case DataType::Float:
    return copyField<float>(proto, proto.float_data(), result);
  case DataType::Double:
    return copyField<double>(proto, proto.double_data(), result);
  case DataType::Int64:
    return copyField<std::int64_t>(proto, proto.int64_data(), result);
  case DataType::UInt64:
    return copyField<std::uint64_t>(proto, proto.uint64_data(), result);
  case DataType::UInt32:
    return copyField<std::uint32_t>(proto, proto.uint64_data(), result);
  case DataType::Int32:
    return copyField<std::int32_t>(proto, proto.int32_data(), result);
  case DataType::Int16:
  case DataType::UInt16:
  case DataType::Float16:
  case DataType::BFloat16:
    return copyField<std::uint16_t>(proto, proto.int32_data(), result);
  case DataType::Int8:
  case DataType::UInt8:
  case DataType::Float8E4M3FN:
  case DataType::Float8E4M3FNUZ:
  case DataType::Float8E5M2:
  case DataType::Float8E5M2FNUZ:
  case DataType::Float8E8M0:
    return copyField<std::uint8_t>(proto, proto.int32_data(), result);
  case DataType::Bool:
    return copyField<bool>(proto, proto.int32_data(), result);
  case DataType::Float4E2M1:
  case DataType::Int4:
  case DataType::UInt4:
  case DataType::Int2:
  case DataType::UInt2:
    return; // packed
  }
}

/// True for float16 in PopART's packing: two per number of the field, the first
/// in the lower bits. ONNX has one per number.
bool arePackedHalves(const onnx::TensorProto &proto, const TensorInfo &info) {
  return info.type == DataType::Float16 && info.numElements() > 1 &&
         proto.int32_data_size() == (info.numElements() + 1) / 2;
}

HostTensor importPackedHalves(const onnx::TensorProto &proto, TensorInfo info) {
  HostTensor result(std::move(info));
  std::memcpy(result.bytes().data(), proto.int32_data().data(),
              result.bytes().size());
  return result;
}

/// The byte that holds an element of these bits.
std::byte unpacked(DataType type, unsigned bits) {
  if (type == DataType::Int4)
    return std::byte(Int4(bits).value);
  if (type == DataType::Int2)
    return std::byte(Int2(bits).value);
  return std::byte(bits);
}

/// Unpacks several elements per byte, the first one in the lowest bits.
HostTensor importPacked(const onnx::TensorProto &proto, TensorInfo info) {
  const unsigned bits = storedBits(info.type), perByte = 8 / bits;
  const auto count = static_cast<std::size_t>(info.numElements());
  const std::size_t bytes = (count + perByte - 1) / perByte;
  const std::size_t found = proto.has_raw_data()
                                ? proto.raw_data().size()
                                : std::size_t(proto.int32_data_size());
  if (found != bytes)
    failSize(proto, found, bytes, "bytes");
  HostTensor result(std::move(info));
  for (std::size_t i = 0; i != count; ++i) {
    const std::size_t at = i / perByte;
    const auto byte = static_cast<unsigned char>(
        proto.has_raw_data() ? proto.raw_data()[at]
                             : proto.int32_data(static_cast<int>(at)));
    result.bytes()[i] = unpacked(result.type(), byte >> (i % perByte * bits) &
                                                    ((1U << bits) - 1));
  }
  return result;
}

AttributeValue importAttribute(const onnx::NodeProto &node,
                               const onnx::AttributeProto &attribute) {
  switch (attribute.type()) {
  case onnx::AttributeProto::INT:
    return attribute.i();
  case onnx::AttributeProto::FLOAT:
    return attribute.f();
  case onnx::AttributeProto::STRING:
    return attribute.s();
  case onnx::AttributeProto::INTS:
    return std::vector<std::int64_t>(attribute.ints().begin(),
                                     attribute.ints().end());
  case onnx::AttributeProto::FLOATS:
    return std::vector<float>(attribute.floats().begin(),
                              attribute.floats().end());
  case onnx::AttributeProto::STRINGS:
    return std::vector<std::string>(attribute.strings().begin(),
                                    attribute.strings().end());
  case onnx::AttributeProto::TENSOR:
    return std::make_shared<const HostTensor>(importTensor(attribute.t()));
  default:
    failUnsupported("attribute '{}' of node '{}' ({}) has a type that is not "
                    "supported ({})",
                    attribute.name(), node.name(), node.op_type(),
                    onnx::AttributeProto_AttributeType_Name(attribute.type()));
  }
}

} // namespace

HostTensor importTensor(const onnx::TensorProto &proto) {
  // Compare a shape with the data before allocating: it may be hostile.
  TensorInfo info = importInfo(proto);
  if (storedBits(info.type) < 8)
    return importPacked(proto, std::move(info));
  std::size_t bytes = info.numElements() * sizeOf(info.type);
  if (proto.has_raw_data()) {
    const std::string &raw = proto.raw_data();
    if (raw.size() != bytes)
      failSize(proto, raw.size(), bytes, "bytes");
    auto first = reinterpret_cast<const std::byte *>(raw.data());
    return HostTensor(std::move(info), {first, first + raw.size()});
  }
  if (arePackedHalves(proto, info))
    return importPackedHalves(proto, std::move(info));
  std::size_t elements = proto.float_data_size() + proto.double_data_size() +
                         proto.int32_data_size() + proto.int64_data_size() +
                         proto.uint64_data_size();
  if (elements != static_cast<std::size_t>(info.numElements()))
    failSize(proto, elements, info.numElements(), "elements");
  HostTensor result(std::move(info));
  copyTypedData(proto, result);
  return result;
}

Attributes importAttributes(const onnx::NodeProto &node) {
  Attributes result;
  for (const onnx::AttributeProto &attribute : node.attribute())
    result.set(attribute.name(), importAttribute(node, attribute));
  return result;
}

} // namespace populus::popir
