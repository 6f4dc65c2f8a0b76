// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between variances and inverse standard deviations whose result
// has another type than the operand.

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

Tensor inType(Graph &graph, const Tensor &t, const Type &type, Sequence &prog,
              const DebugContext &dc) {
  return t.elementType() == type ? t : cast(graph, t, type, prog, dc);
}

Tensor convert(Graph &graph, expr::BinaryOpType op, const Tensor &src,
               const Tensor &epsilon, const Type &dstType, Sequence &prog,
               const DebugContext &dc, const OptionFlags &options) {
  const Type type = src.elementType() == FLOAT ? FLOAT : dstType;
  const Tensor result =
      map(graph, op, inType(graph, src, type, prog, dc),
          inType(graph, epsilon, type, prog, dc), prog, dc, options);
  return inType(graph, result, dstType, prog, dc);
}

Tensor convert(Graph &graph, expr::BinaryOpType op, const Tensor &src,
               float epsilon, const Type &dstType, Sequence &prog,
               const DebugContext &dc, const OptionFlags &options) {
  const Type type = src.elementType() == FLOAT ? FLOAT : dstType;
  const Tensor result =
      map(graph, expr::BinaryOp(op, expr::_1, expr::Const(epsilon, type)),
          {inType(graph, src, type, prog, dc)}, prog, dc, options);
  return inType(graph, result, dstType, prog, dc);
}

} // namespace

Tensor varianceToInvStdDev(Graph &graph, const Tensor &src,
                           const Tensor &epsilon, Sequence &prog, Type dstType,
                           const DebugContext &debugContext,
                           const OptionFlags &options) {
  return convert(graph, expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV, src,
                 epsilon, dstType, prog, debugContext, options);
}
Tensor varianceToInvStdDev(Graph &graph, const Tensor &src, float epsilon,
                           Sequence &prog, Type dstType,
                           const DebugContext &debugContext,
                           const OptionFlags &options) {
  return convert(graph, expr::BinaryOpType::VARIANCE_TO_INV_STD_DEV, src,
                 epsilon, dstType, prog, debugContext, options);
}
Tensor invStdDevToVariance(Graph &graph, const Tensor &src,
                           const Tensor &epsilon, Sequence &prog, Type dstType,
                           const DebugContext &debugContext,
                           const OptionFlags &options) {
  return convert(graph, expr::BinaryOpType::INV_STD_DEV_TO_VARIANCE, src,
                 epsilon, dstType, prog, debugContext, options);
}
Tensor invStdDevToVariance(Graph &graph, const Tensor &src, float epsilon,
                           Sequence &prog, Type dstType,
                           const DebugContext &debugContext,
                           const OptionFlags &options) {
  return convert(graph, expr::BinaryOpType::INV_STD_DEV_TO_VARIANCE, src,
                 epsilon, dstType, prog, debugContext, options);
}

} // namespace popops
