// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Sigmoid.

#ifndef POPULUS_INCLUDE_POPART_OP_SIGMOID_HPP
#define POPULUS_INCLUDE_POPART_OP_SIGMOID_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class SigmoidOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(SigmoidOp, UnaryOp, "ai.onnx", "Sigmoid")
};

} // namespace popart

#endif
