// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about all elements of a tensor.

#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/NaN.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;

namespace popops {
namespace {

Tensor any(Graph &graph, const Tensor &t, Sequence &prog,
           const DebugContext &debugContext) {
  return reduce(graph, t.flatten(), {0}, {Operation::LOGICAL_OR}, prog,
                debugContext);
}

} // namespace

Tensor allTrue(Graph &graph, Tensor A, Sequence &prog,
               const DebugContext &debugContext) {
  if (A.elementType() != BOOL)
    throw poputil::poplibs_error("popops::allTrue: a tensor of type " +
                                 A.elementType().toString() +
                                 "; it must have type bool");
  return reduce(graph, A.flatten(), {0}, {Operation::LOGICAL_AND}, prog,
                {debugContext, "AllTrue"});
}

Tensor hasNaN(Graph &graph, const Tensor &src, Sequence &prog,
              const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "HasNaN");
  return any(graph, map(graph, expr::IsNaN(expr::_1), {src}, prog, dc), prog,
             dc);
}

Tensor hasNaNOrInf(Graph &graph, const Tensor &src, Sequence &prog,
                   const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "HasNaNOrInf");
  return any(graph,
             map(graph, expr::Not(expr::IsFinite(expr::_1)), {src}, prog, dc),
             prog, dc);
}

Tensor checkAccuracyWhenCast(Graph &graph, const Tensor &input,
                             const Type &outputType, double tolerance,
                             Sequence &prog, const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "CheckAccuracy");
  const Tensor there = cast(graph, input, outputType, prog, dc);
  const auto real = [](const expr::Expr &e) { return expr::Cast(e, FLOAT); };
  const Tensor close =
      map(graph,
          expr::Lte(expr::Abs(real(expr::_1) - real(expr::_2)),
                    expr::Abs(real(expr::_1)) * expr::Const(tolerance, FLOAT)),
          {input, there}, prog, dc);
  return allTrue(graph, close, prog, dc);
}

} // namespace popops
