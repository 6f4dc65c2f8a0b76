// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Dropout.

#ifndef POPULUS_INCLUDE_POPART_OP_DROPOUT_HPP
#define POPULUS_INCLUDE_POPART_OP_DROPOUT_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class DropoutOp : public BuiltinOp {
public:
  POPULUS_BUILTIN_OP(DropoutOp, BuiltinOp, "ai.onnx", "Dropout")
  static InIndex getInIndex() { return 0; }
  static OutIndex getOutIndex() { return 0; }
  static OutIndex getMaskOutIndex() { return 1; }
};

} // namespace popart

#endif
