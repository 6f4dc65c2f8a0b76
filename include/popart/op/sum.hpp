// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Sum.

#ifndef POPULUS_INCLUDE_POPART_OP_SUM_HPP
#define POPULUS_INCLUDE_POPART_OP_SUM_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class SumOp : public VariadicOp {
public:
  POPULUS_BUILTIN_OP(SumOp, VariadicOp, "ai.onnx", "Sum")
};

} // namespace popart

#endif
