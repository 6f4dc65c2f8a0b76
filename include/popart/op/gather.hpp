// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Gather.

#ifndef POPULUS_INCLUDE_POPART_OP_GATHER_HPP
#define POPULUS_INCLUDE_POPART_OP_GATHER_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class GatherOp : public BuiltinOp {
public:
  POPULUS_BUILTIN_OP(GatherOp, BuiltinOp, "ai.onnx", "Gather")
  static InIndex dataInIndex() { return 0; }
  static InIndex indicesInIndex() { return 1; }
  static OutIndex outIndex() { return 0; }
};

} // namespace popart

#endif
