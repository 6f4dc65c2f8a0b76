// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Concat.

#ifndef POPULUS_INCLUDE_POPART_OP_CONCAT_HPP
#define POPULUS_INCLUDE_POPART_OP_CONCAT_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class ConcatOp : public VariadicOp {
public:
  POPULUS_BUILTIN_OP(ConcatOp, VariadicOp, "ai.onnx", "Concat")
};

} // namespace popart

#endif
