// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Identity.

#ifndef POPULUS_INCLUDE_POPART_OP_IDENTITY_HPP
#define POPULUS_INCLUDE_POPART_OP_IDENTITY_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class IdentityOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(IdentityOp, UnaryOp, "ai.onnx", "Identity")
};

} // namespace popart

#endif
