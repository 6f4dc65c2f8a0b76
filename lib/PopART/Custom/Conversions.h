// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between types of the public interface and of the compiler.

#ifndef POPULUS_LIB_POPART_CUSTOM_CONVERSIONS_H
#define POPULUS_LIB_POPART_CUSTOM_CONVERSIONS_H

#include "lib/PopART/IR/Attributes.h"
#include "lib/PopART/IR/DataType.h"

#include <popart/attributes.hpp>
#include <popart/op.hpp>

#include <optional>

namespace populus::popir {

popart::TensorInfo toPublic(const TensorInfo &info);
/// Nothing for types that the compiler lacks.
std::optional<TensorInfo> fromPublic(const popart::TensorInfo &info);

/// Leaves out tensors, which the interface cannot express.
popart::Attributes toPublic(const Attributes &attributes);
Attributes fromPublic(const popart::Attributes &attributes);
/// The attributes that an operator reports (Op::appendOutlineAttributes).
Attributes attributesOf(const popart::Op &op);

} // namespace populus::popir

#endif
