// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator LeakyRelu.

#ifndef POPULUS_INCLUDE_POPART_OP_LEAKYRELU_HPP
#define POPULUS_INCLUDE_POPART_OP_LEAKYRELU_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class LeakyReluOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(LeakyReluOp, UnaryOp, "ai.onnx", "LeakyRelu")
};

} // namespace popart

#endif
