// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Cast.

#ifndef POPULUS_INCLUDE_POPART_OP_CAST_HPP
#define POPULUS_INCLUDE_POPART_OP_CAST_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class CastOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(CastOp, UnaryOp, "ai.onnx", "Cast")
};

} // namespace popart

#endif
