// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Gelu.

#ifndef POPULUS_INCLUDE_POPART_OP_GELU_HPP
#define POPULUS_INCLUDE_POPART_OP_GELU_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class GeluOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(GeluOp, UnaryOp, "ai.graphcore", "Gelu")
};

} // namespace popart

#endif
