// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How models that programs make or get back hold the elements of a tensor. One
// that has raw bytes keeps to them. Else, as in PopART, whose programs read the
// fields: in the field of their type where ONNX has one as wide; halves in that
// of int32, two in each number; smaller integers and bools there, too, each in
// a number of its own; other types as raw bytes.

#ifndef POPULUS_LIB_POPART_INTERFACE_ELEMENTS_H
#define POPULUS_LIB_POPART_INTERFACE_ELEMENTS_H

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <cstring>

namespace popart::session {

template <class Field>
void setField(Field &field, const void *elements, std::size_t size) {
  using Element = typename Field::value_type;
  const auto *begin = static_cast<const Element *>(elements);
  field.Clear();
  field.Add(begin, begin + size / sizeof(Element));
}

template <class Element, class Field>
void setWidened(Field &field, const void *elements, std::size_t size) {
  const auto *begin = static_cast<const Element *>(elements);
  field.Clear();
  field.Add(begin, begin + size / sizeof(Element));
}

/// Two in each number, the first one in the lower bits.
inline void setHalves(onnx::TensorProto &tensor, const void *elements,
                      std::size_t size) {
  auto &field = *tensor.mutable_int32_data();
  field.Clear();
  field.Resize(static_cast<int>((size + 3) / 4), 0);
  if (size != 0)
    std::memcpy(field.mutable_data(), elements, size);
}

/// `size` is in bytes. The tensor has its type already.
inline void setElements(onnx::TensorProto &tensor, const void *elements,
                        std::size_t size) {
  if (tensor.has_raw_data())
    return tensor.set_raw_data(elements, size);
  switch (tensor.data_type()) {
  case onnx::TensorProto::FLOAT:
    return setField(*tensor.mutable_float_data(), elements, size);
  case onnx::TensorProto::INT32:
    return setField(*tensor.mutable_int32_data(), elements, size);
  case onnx::TensorProto::INT64:
    return setField(*tensor.mutable_int64_data(), elements, size);
  case onnx::TensorProto::DOUBLE:
    return setField(*tensor.mutable_double_data(), elements, size);
  case onnx::TensorProto::FLOAT16:
    return setHalves(tensor, elements, size);
  case onnx::TensorProto::UINT32:
    return setWidened<std::uint32_t>(*tensor.mutable_uint64_data(), elements,
                                     size);
  case onnx::TensorProto::UINT64:
    return setField(*tensor.mutable_uint64_data(), elements, size);
  case onnx::TensorProto::INT8:
    return setWidened<std::int8_t>(*tensor.mutable_int32_data(), elements,
                                   size);
  case onnx::TensorProto::UINT8:
  case onnx::TensorProto::BOOL:
    return setWidened<std::uint8_t>(*tensor.mutable_int32_data(), elements,
                                    size);
  case onnx::TensorProto::INT16:
    return setWidened<std::int16_t>(*tensor.mutable_int32_data(), elements,
                                    size);
  case onnx::TensorProto::UINT16:
    return setWidened<std::uint16_t>(*tensor.mutable_int32_data(), elements,
                                     size);
  default:
    tensor.set_raw_data(elements, size);
  }
}

} // namespace popart::session

#endif
