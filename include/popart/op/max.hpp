// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Max.

#ifndef POPULUS_INCLUDE_POPART_OP_MAX_HPP
#define POPULUS_INCLUDE_POPART_OP_MAX_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class MaxOp : public VariadicOp {
public:
  POPULUS_BUILTIN_OP(MaxOp, VariadicOp, "ai.onnx", "Max")
};

} // namespace popart

#endif
