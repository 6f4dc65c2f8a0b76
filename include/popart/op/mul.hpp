// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Mul.

#ifndef POPULUS_INCLUDE_POPART_OP_MUL_HPP
#define POPULUS_INCLUDE_POPART_OP_MUL_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class MulOp : public BinaryOp {
public:
  POPULUS_BUILTIN_OP(MulOp, BinaryOp, "ai.onnx", "Mul")
};

} // namespace popart

#endif
