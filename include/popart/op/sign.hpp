// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Sign.

#ifndef POPULUS_INCLUDE_POPART_OP_SIGN_HPP
#define POPULUS_INCLUDE_POPART_OP_SIGN_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class SignOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(SignOp, UnaryOp, "ai.onnx", "Sign")
};

} // namespace popart

#endif
