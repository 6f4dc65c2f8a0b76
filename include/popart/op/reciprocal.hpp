// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Reciprocal.

#ifndef POPULUS_INCLUDE_POPART_OP_RECIPROCAL_HPP
#define POPULUS_INCLUDE_POPART_OP_RECIPROCAL_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class ReciprocalOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(ReciprocalOp, UnaryOp, "ai.onnx", "Reciprocal")
};

} // namespace popart

#endif
