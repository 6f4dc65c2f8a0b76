// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The casts before and behind a product of quarters.

#include "lib/PopLibs/poplin/operands/QuarterOperands.h"

#include "lib/PopLibs/popops/elementwise/QuarterCast.h"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <string>

using namespace poplar;
using namespace poplar::program;

namespace poplin {

namespace {

void checkTypes(const Tensor &a, const Tensor &b, const Type &outputType,
                const char *function) {
  if (a.elementType() != QUARTER || b.elementType() != QUARTER ||
      outputType != HALF)
    throw poputil::poplibs_error(
        std::string(function) + ": operands of types " +
        a.elementType().toString() + " and " + b.elementType().toString() +
        " with a result of type " + outputType.toString() +
        "; if one operand is quarter, both must be, and the result is half");
}

} // namespace

QuarterOperands::QuarterOperands(Graph &graph, const Tensor &a, const Tensor &b,
                                 const Type &outputType, Sequence &prog,
                                 const char *function,
                                 const DebugContext &debugContext)
    : graph(graph), prog(prog), debugContext(debugContext, "quarter") {
  checkTypes(a, b, outputType, function);
  scale = popops::productOfScales(graph, a, b, prog, this->debugContext);
  this->a = popops::castUnscaled(graph, a, prog, this->debugContext);
  this->b = popops::castUnscaled(graph, b, prog, this->debugContext);
}

Tensor QuarterOperands::scaled(const Tensor &sum) const {
  using namespace popops::expr;
  return popops::map(graph, Cast(_1 * _2, HALF), {sum, scale}, prog,
                     debugContext);
}

} // namespace poplin
