// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Div.

#ifndef POPULUS_INCLUDE_POPART_OP_DIV_HPP
#define POPULUS_INCLUDE_POPART_OP_DIV_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class DivOp : public BinaryOp {
public:
  POPULUS_BUILTIN_OP(DivOp, BinaryOp, "ai.onnx", "Div")
};

} // namespace popart

#endif
