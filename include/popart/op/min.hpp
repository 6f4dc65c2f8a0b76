// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Min.

#ifndef POPULUS_INCLUDE_POPART_OP_MIN_HPP
#define POPULUS_INCLUDE_POPART_OP_MIN_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class MinOp : public VariadicOp {
public:
  POPULUS_BUILTIN_OP(MinOp, VariadicOp, "ai.onnx", "Min")
};

} // namespace popart

#endif
