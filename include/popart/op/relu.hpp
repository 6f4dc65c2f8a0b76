// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Relu.

#ifndef POPULUS_INCLUDE_POPART_OP_RELU_HPP
#define POPULUS_INCLUDE_POPART_OP_RELU_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class ReluOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(ReluOp, UnaryOp, "ai.onnx", "Relu")
};

} // namespace popart

#endif
