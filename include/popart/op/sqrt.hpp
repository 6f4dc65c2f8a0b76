// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Sqrt.

#ifndef POPULUS_INCLUDE_POPART_OP_SQRT_HPP
#define POPULUS_INCLUDE_POPART_OP_SQRT_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class SqrtOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(SqrtOp, UnaryOp, "ai.onnx", "Sqrt")
};

} // namespace popart

#endif
