// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Sin.

#ifndef POPULUS_INCLUDE_POPART_OP_SIN_HPP
#define POPULUS_INCLUDE_POPART_OP_SIN_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class SinOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(SinOp, UnaryOp, "ai.onnx", "Sin")
};

} // namespace popart

#endif
