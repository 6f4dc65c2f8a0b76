// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Sub.

#ifndef POPULUS_INCLUDE_POPART_OP_SUBTRACT_HPP
#define POPULUS_INCLUDE_POPART_OP_SUBTRACT_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class SubtractOp : public BinaryOp {
public:
  POPULUS_BUILTIN_OP(SubtractOp, BinaryOp, "ai.onnx", "Sub")
};

} // namespace popart

#endif
