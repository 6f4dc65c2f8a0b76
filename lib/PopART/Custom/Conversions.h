// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between the types of the interface and those of the compiler.

#ifndef POPULUS_LIB_POPART_CUSTOM_CONVERSIONS_H
#define POPULUS_LIB_POPART_CUSTOM_CONVERSIONS_H

#include "lib/PopART/IR/Attributes.h"
#include "lib/PopART/IR/DataType.h"

#include <popart/attributes.hpp>
#include <popart/op.hpp>

#include <optional>

namespace populus::popir {

popart::TensorInfo toPublic(const TensorInfo &info);
/// Nothing for types that the compiler does not have.
std::optional<TensorInfo> fromPublic(const popart::TensorInfo &info);

/// Without tensors, which programs cannot ask for.
popart::Attributes toPublic(const Attributes &attributes);
Attributes fromPublic(const popart::Attributes &attributes);
/// What an operator says of itself (Op::appendOutlineAttributes).
Attributes attributesOf(const popart::Op &op);

} // namespace populus::popir

#endif
