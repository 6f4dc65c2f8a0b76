// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Erf.

#ifndef POPULUS_INCLUDE_POPART_OP_ERF_HPP
#define POPULUS_INCLUDE_POPART_OP_ERF_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class ErfOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(ErfOp, UnaryOp, "ai.onnx", "Erf")
};

} // namespace popart

#endif
