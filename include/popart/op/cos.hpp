// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Cos.

#ifndef POPULUS_INCLUDE_POPART_OP_COS_HPP
#define POPULUS_INCLUDE_POPART_OP_COS_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class CosOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(CosOp, UnaryOp, "ai.onnx", "Cos")
};

} // namespace popart

#endif
