// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Storage of a tensor's elements in models that programs build or get back. A
// tensor with raw bytes keeps them. Otherwise the field is PopART's choice,
// because programs read it: the field of the same type if ONNX has one of this
// width; int32_data for float16 (two per number), and for small integers and
// bools (one per number); raw bytes for other types.

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

/// Packs two float16 per number, the first in the lower bits.
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
