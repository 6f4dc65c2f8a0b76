// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Exp.

#ifndef POPULUS_INCLUDE_POPART_OP_EXP_HPP
#define POPULUS_INCLUDE_POPART_OP_EXP_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class ExpOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(ExpOp, UnaryOp, "ai.onnx", "Exp")
};

} // namespace popart

#endif
