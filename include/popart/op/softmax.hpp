// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Softmax.

#ifndef POPULUS_INCLUDE_POPART_OP_SOFTMAX_HPP
#define POPULUS_INCLUDE_POPART_OP_SOFTMAX_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class SoftmaxOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(SoftmaxOp, UnaryOp, "ai.onnx", "Softmax")
};

} // namespace popart

#endif
