// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Transpose.

#ifndef POPULUS_INCLUDE_POPART_OP_TRANSPOSE_HPP
#define POPULUS_INCLUDE_POPART_OP_TRANSPOSE_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class TransposeOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(TransposeOp, UnaryOp, "ai.onnx", "Transpose")
};

} // namespace popart

#endif
