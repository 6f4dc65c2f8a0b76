// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Neg.

#ifndef POPULUS_INCLUDE_POPART_OP_NEGATE_HPP
#define POPULUS_INCLUDE_POPART_OP_NEGATE_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class NegateOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(NegateOp, UnaryOp, "ai.onnx", "Neg")
};

} // namespace popart

#endif
