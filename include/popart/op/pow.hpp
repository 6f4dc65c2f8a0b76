// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Pow.

#ifndef POPULUS_INCLUDE_POPART_OP_POW_HPP
#define POPULUS_INCLUDE_POPART_OP_POW_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class PowOp : public BinaryOp {
public:
  POPULUS_BUILTIN_OP(PowOp, BinaryOp, "ai.onnx", "Pow")
};

} // namespace popart

#endif
