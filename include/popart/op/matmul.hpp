// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator MatMul.

#ifndef POPULUS_INCLUDE_POPART_OP_MATMUL_HPP
#define POPULUS_INCLUDE_POPART_OP_MATMUL_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class MatMulOp : public BuiltinOp {
public:
  POPULUS_BUILTIN_OP(MatMulOp, BuiltinOp, "ai.onnx", "MatMul")
  static InIndex getLhsInIndex() { return 0; }
  static InIndex getRhsInIndex() { return 1; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart

#endif
