// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Ceil.

#ifndef POPULUS_INCLUDE_POPART_OP_CEIL_HPP
#define POPULUS_INCLUDE_POPART_OP_CEIL_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class CeilOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(CeilOp, UnaryOp, "ai.onnx", "Ceil")
};

} // namespace popart

#endif
