// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Reshape.

#ifndef POPULUS_INCLUDE_POPART_OP_RESHAPE_HPP
#define POPULUS_INCLUDE_POPART_OP_RESHAPE_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class ReshapeOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(ReshapeOp, UnaryOp, "ai.onnx", "Reshape")
};

} // namespace popart

#endif
