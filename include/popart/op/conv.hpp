// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Conv.

#ifndef POPULUS_INCLUDE_POPART_OP_CONV_HPP
#define POPULUS_INCLUDE_POPART_OP_CONV_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class ConvOp : public BuiltinOp {
public:
  POPULUS_BUILTIN_OP(ConvOp, BuiltinOp, "ai.onnx", "Conv")
  static InIndex getDataInIndex() { return 0; }
  static InIndex getWeightsInIndex() { return 1; }
  static InIndex getBiasInIndex() { return 2; }
  static OutIndex getOutIndex() { return 0; }
};

} // namespace popart

#endif
