// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Protos of ONNX from the values of a program that uses a Builder: elements of
// an initializer, type and shape of a tensor, and attributes.

#ifndef POPULUS_LIB_POPART_INTERFACE_ONNXFILL_H
#define POPULUS_LIB_POPART_INTERFACE_ONNXFILL_H

#include <popart/builder.hpp>

#include <onnx/onnx_pb.h>

#include <string>

namespace popart {
namespace popart_detail {

void fill(onnx::TensorProto &proto, const ConstVoidData &value);

void fill(onnx::ValueInfoProto &proto, const TensorId &id,
          const TensorInfo &info);

/// Fails if an attribute cannot be of the value's type.
void fill(onnx::AttributeProto &proto, const std::string &name,
          const any &value);

} // namespace popart_detail
} // namespace popart

#endif // POPULUS_LIB_POPART_INTERFACE_ONNXFILL_H
