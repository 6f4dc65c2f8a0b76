// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PopART's operator LogSoftmax.

#ifndef POPULUS_INCLUDE_POPART_OP_LOGSOFTMAX_HPP
#define POPULUS_INCLUDE_POPART_OP_LOGSOFTMAX_HPP

#include <popart/op/builtin.hpp>

namespace popart {

class LogSoftmaxOp : public UnaryOp {
public:
  POPULUS_BUILTIN_OP(LogSoftmaxOp, UnaryOp, "ai.onnx", "LogSoftmax")
};

} // namespace popart

#endif
