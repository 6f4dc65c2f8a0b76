// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Tanh.

#ifndef POPULUS_INCLUDE_POPART_OP_TANH_HPP
#define POPULUS_INCLUDE_POPART_OP_TANH_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class TanhOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(TanhOp, UnaryOp, "ai.onnx", "Tanh")
};

} // namespace popart

#endif
