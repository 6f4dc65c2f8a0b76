// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Abs.

#ifndef POPULUS_INCLUDE_POPART_OP_ABS_HPP
#define POPULUS_INCLUDE_POPART_OP_ABS_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class AbsOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(AbsOp, UnaryOp, "ai.onnx", "Abs")
};

} // namespace popart

#endif
