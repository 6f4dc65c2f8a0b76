// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's TensorProto (.pb). A few lines decode protobuf's wire format, so that
// running a program needs no ONNX library.

#include "FileErrors.h"
#include "HostTensor.h"
#include "SmallElements.h"

#include <span>

namespace populus::run {

namespace {

/// One field of a protobuf message.
struct WireField {
  std::uint32_t number;
  std::uint32_t type; // 0 varint, 1 64 bits, 2 bytes, 5 32 bits
  std::uint64_t value = 0;
  std::span<const std::uint8_t> bytes;
};

class WireReader {
public:
  WireReader(std::span<const std::uint8_t> bytes, const std::string &file)
      : bytes(bytes), file(file) {}

  bool atEnd() const { return bytes.empty(); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = take(1)[0];
      value |= std::uint64_t(byte & 0x7f) << shift;
      if ((byte & 0x80) == 0)
        return value;
    }
    fail(file, "not a tensor in ONNX's format");
  }

  WireField field() {
    const std::uint64_t key = varint();
    WireField result{static_cast<std::uint32_t>(key >> 3),
                     static_cast<std::uint32_t>(key & 7),
                     0,
                     {}};
    switch (result.type) {
    case 0:
      result.value = varint();
      break;
    case 1:
      result.bytes = take(8);
      break;
    case 2:
      result.bytes = take(varint());
      break;
    case 5:
      result.bytes = take(4);
      break;
    default:
      fail(file, "not a tensor in ONNX's format");
    }
    return result;
  }

private:
  std::span<const std::uint8_t> take(std::uint64_t count) {
    if (count > bytes.size())
      fail(file, "ends in the middle of a tensor");
    const auto taken = bytes.first(count);
    bytes = bytes.subspan(count);
    return taken;
  }

  std::span<const std::uint8_t> bytes;
  const std::string &file;
};

/// bfloat16, which no device has.
constexpr std::uint64_t BrainFloat = 16;

/// Numbers of TensorProto.DataType.
struct OnnxType {
  std::uint64_t number;
  ElementType type;
  bool isDouble;
};
constexpr OnnxType OnnxTypes[] = {
    {1, ElementType::Float, false},
    {2, ElementType::UnsignedChar, false},
    {3, ElementType::Char, false},
    {4, ElementType::UnsignedShort, false},
    {5, ElementType::Short, false},
    {6, ElementType::Int, false},
    {7, ElementType::LongLong, false},
    {9, ElementType::Bool, false},
    {10, ElementType::Half, false},
    {11, ElementType::Float, true},
    {12, ElementType::UnsignedInt, false},
    {13, ElementType::UnsignedLongLong, false},
    {BrainFloat, ElementType::UnsignedShort, false},
};

/// Field numbers of TensorProto.
enum TensorField : std::uint32_t {
  Dims = 1,
  DataType = 2,
  FloatData = 4,
  Int32Data = 5,
  Int64Data = 7,
  Name = 8,
  RawData = 9,
  DoubleData = 10,
  Uint64Data = 11,
  DataLocation = 14,
};

class TensorProtoReader {
public:
  TensorProtoReader(std::span<const std::uint8_t> bytes,
                    const std::string &file)
      : wire(bytes, file), file(file) {}

  HostTensor read() {
    while (!wire.atEnd())
      readField(wire.field());
    if (isSmallType(dataType))
      return readSmall();
    const OnnxType *found = nullptr;
    for (const OnnxType &type : OnnxTypes)
      if (type.number == dataType)
        found = &type;
    if (!found)
      fail(file,
           "ONNX data type " + std::to_string(dataType) + " is not supported");
    tensor.type = found->type;
    tensor.isDouble = found->isDouble;
    for (std::uint64_t value : integers)
      append(&value, tensor.elementBytes());
    checkSize(tensor, file);
    return dataType == BrainFloat ? fromBrainFloats(std::move(tensor))
                                  : std::move(tensor);
  }

private:
  /// In int32_data, too, each number is a byte.
  HostTensor readSmall() {
    for (std::uint64_t value : integers)
      tensor.data.push_back(static_cast<std::uint8_t>(value));
    const std::size_t bytes = tensor.data.size();
    if (!unpackSmall(tensor, dataType))
      fail(file, "has " + std::to_string(bytes) +
                     " bytes of data, which does not fit its shape");
    return std::move(tensor);
  }

  void append(const void *data, std::size_t bytes) {
    const auto *first = static_cast<const std::uint8_t *>(data);
    tensor.data.insert(tensor.data.end(), first, first + bytes);
  }

  /// Varints, packed in one field or one in each.
  void appendVarints(const WireField &field, std::vector<std::uint64_t> &to) {
    if (field.type == 0) {
      to.push_back(field.value);
      return;
    }
    WireReader packed(field.bytes, file);
    while (!packed.atEnd())
      to.push_back(packed.varint());
  }

  void readField(const WireField &field) {
    switch (field.number) {
    case Dims:
      appendVarints(field, tensor.shape);
      break;
    case DataType:
      dataType = field.value;
      break;
    case Int32Data:
    case Int64Data:
    case Uint64Data:
      appendVarints(field, integers);
      break;
    case FloatData:
    case DoubleData:
    case RawData: // little-endian elements, as they are kept here
      append(field.bytes.data(), field.bytes.size());
      break;
    case Name:
      tensor.name.assign(field.bytes.begin(), field.bytes.end());
      break;
    case DataLocation:
      if (field.value != 0)
        fail(file, "its data are in another file, which is not supported");
      break;
    default:
      break;
    }
  }

  WireReader wire;
  const std::string &file;
  HostTensor tensor;
  std::uint64_t dataType = 0;
  std::vector<std::uint64_t> integers;
};

} // namespace

HostTensor fromBrainFloats(HostTensor tensor) {
  std::vector<std::uint8_t> floats(2 * tensor.data.size());
  for (std::size_t i = 0; i != tensor.data.size(); ++i)
    floats[i / 2 * 4 + 2 + i % 2] = tensor.data[i]; // little-endian
  tensor.data = std::move(floats);
  tensor.type = ElementType::Float;
  return tensor;
}

HostTensor parseOnnxTensor(std::span<const std::uint8_t> bytes,
                           const std::string &file) {
  return TensorProtoReader(bytes, file).read();
}

} // namespace populus::run
