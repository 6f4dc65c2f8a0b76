// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Add.

#ifndef POPULUS_INCLUDE_POPART_OP_ADD_HPP
#define POPULUS_INCLUDE_POPART_OP_ADD_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class AddOp : public BinaryOp {
public:
  POPULUS_BUILTIN_OP(AddOp, BinaryOp, "ai.onnx", "Add")
};

} // namespace popart

#endif
