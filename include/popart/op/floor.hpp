// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Floor.

#ifndef POPULUS_INCLUDE_POPART_OP_FLOOR_HPP
#define POPULUS_INCLUDE_POPART_OP_FLOOR_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class FloorOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(FloorOp, UnaryOp, "ai.onnx", "Floor")
};

} // namespace popart

#endif
