// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator Log.

#ifndef POPULUS_INCLUDE_POPART_OP_LOG_HPP
#define POPULUS_INCLUDE_POPART_OP_LOG_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class LogOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(LogOp, UnaryOp, "ai.onnx", "Log")
};

} // namespace popart

#endif
