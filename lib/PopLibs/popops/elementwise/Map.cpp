// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of popops::map: a new tensor, one in place, one that the caller
// has, several at once, or a vertex of the caller's compute set. Evaluation.h
// does the work.

#include "lib/PopLibs/popops/elementwise/ConstantTypes.h"
#include "lib/PopLibs/popops/elementwise/ElementWiseVertices.h"
#include "lib/PopLibs/popops/elementwise/Evaluation.h"
#include "lib/PopLibs/popops/elementwise/FusedVertices.h"
#include "lib/PopLibs/popops/elementwise/MapInto.h"
#include "lib/PopLibs/poputil/Log.h"

#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <optional>

using namespace poplar;
using namespace poplar::program;
using namespace popops::expr;
using poputil::poplibs_error;

namespace popops {
namespace {

void checkWritable(const Tensor &out, const char *function) {
  if (!out.isParallelWriteable())
    throw poplibs_error(std::string(function) +
                        ": the tensor to be written, of shape " +
                        out.shapeToString() +
                        ", has constant elements or some that appear twice");
}

void logMap(const char *function, const std::vector<Tensor> &ts,
            const DebugContext &dc) {
  if (!ts.empty())
    poputil::logCall(function, {&ts.front()}, dc);
}

void evaluateInto(Graph &graph, const Expr &expr, const std::vector<Tensor> &ts,
                  const Tensor &out, Sequence &prog, const DebugContext &dc,
                  const OptionFlags &options, const char *function) {
  logMap(function, ts, dc);
  checkWritable(out, function);
  evaluateTo(graph, expr, ts, out, prog, dc, options);
}

const Tensor &first(const std::vector<Tensor> &ts) {
  if (ts.empty())
    throw poplibs_error("popops::mapInPlace: there is no tensor to write to");
  return ts.front();
}

} // namespace

void outputGeneratedCodelet(const Target &target, const Expr &expr,
                            const std::vector<Tensor> &ts,
                            const OptionFlags &options, std::ostream &os) {
  refuseQuarters(ts);
  // Only a graph knows the operations that have vertices.
  Graph graph(target);
  addCodelets(graph);
  const auto fused =
      generatesCodelets(options)
          ? fuseExpression(graph, withConstantTypes(expr, ts), ts)
          : std::nullopt;
  if (!fused)
    throw poplibs_error("popops::outputGeneratedCodelet: no codelet is "
                        "generated for " +
                        expr.name(ts) +
                        ", which is done one operation at a time");
  os << fusedSource(*fused);
}

void mapInto(Graph &graph, const Expr &expr, const std::vector<Tensor> &ts,
             const Tensor &out, ComputeSet cs, const DebugContext &dc) {
  refuseQuarters(ts);
  const auto fused = fuseExpression(graph, withConstantTypes(expr, ts), ts);
  if (fused && canAddFusedOp(graph, *fused, out)) {
    addFusedOp(graph, *fused, out, cs);
    return;
  }
  const auto tensorOf = [&](const Expr &arg) {
    if (arg.getKind() != ExprKind::PLACEHOLDER)
      throw poplibs_error("popops: " + expr.name() +
                          " takes more than one step, which a compute set "
                          "does not have; pass a program");
    return ts.at(static_cast<const PlaceHolder &>(arg).getIndex() - 1);
  };
  if (expr.getKind() == ExprKind::UNARY) {
    const auto &op = static_cast<const UnaryOp &>(expr);
    addUnaryOp(graph, op.getOpType(), tensorOf(op.getArg()), out, cs);
    return;
  }
  if (expr.getKind() != ExprKind::BINARY)
    tensorOf(expr); // Says that it is none.
  const auto &op = static_cast<const BinaryOp &>(expr);
  const auto operand = [&](const Expr &arg) {
    Operand result;
    result.tensor = tensorOf(arg);
    result.type = result.tensor.elementType();
    return result;
  };
  addBinaryOp(graph, op.getOpType(), operand(op.getLHS()), operand(op.getRHS()),
              out, cs, dc);
}

Tensor map(Graph &graph, const Expr &expr, const std::vector<Tensor> &ts,
           Sequence &prog, const DebugContext &dc, const OptionFlags &options) {
  logMap("popops::map", ts, dc);
  return evaluate(graph, expr, ts, prog, dc, options);
}

Tensor map(Graph &graph, UnaryOpType op, const Tensor &t, Sequence &prog,
           const DebugContext &dc, const OptionFlags &options) {
  return map(graph, UnaryOp(op, _1), {t}, prog, dc, options);
}

Tensor map(Graph &graph, BinaryOpType op, const Tensor &a, const Tensor &b,
           Sequence &prog, const DebugContext &dc, const OptionFlags &options) {
  return map(graph, BinaryOp(op, _1, _2), {a, b}, prog, dc, options);
}

Tensor map(Graph &graph, TernaryOpType op, const Tensor &a, const Tensor &b,
           const Tensor &c, Sequence &prog, const DebugContext &dc,
           const OptionFlags &options) {
  return map(graph, TernaryOp(op, _1, _2, _3), {a, b, c}, prog, dc, options);
}

std::vector<Tensor> map(Graph &graph, const std::vector<Any> &exprs,
                        const std::vector<Tensor> &ts, Sequence &prog,
                        const DebugContext &dc, const OptionFlags &options) {
  std::vector<Tensor> results;
  for (const Any &expr : exprs)
    results.push_back(map(graph, expr, ts, prog, dc, options));
  return results;
}

void mapInPlace(Graph &graph, const Expr &expr, const std::vector<Tensor> &ts,
                Sequence &prog, const DebugContext &dc,
                const OptionFlags &options) {
  evaluateInto(graph, expr, ts, first(ts), prog, dc, options,
               "popops::mapInPlace");
}

void mapInPlace(Graph &graph, UnaryOpType op, const Tensor &t, Sequence &prog,
                const DebugContext &dc, const OptionFlags &options) {
  mapInPlace(graph, UnaryOp(op, _1), {t}, prog, dc, options);
}

void mapInPlace(Graph &graph, BinaryOpType op, const Tensor &a, const Tensor &b,
                Sequence &prog, const DebugContext &dc,
                const OptionFlags &options) {
  mapInPlace(graph, BinaryOp(op, _1, _2), {a, b}, prog, dc, options);
}

void mapInPlace(Graph &graph, TernaryOpType op, const Tensor &a,
                const Tensor &b, const Tensor &c, Sequence &prog,
                const DebugContext &dc, const OptionFlags &options) {
  mapInPlace(graph, TernaryOp(op, _1, _2, _3), {a, b, c}, prog, dc, options);
}

namespace {

/// All results are there before any of the operands is overwritten.
void evaluateAllInto(Graph &graph, const std::vector<Any> &exprs,
                     const std::vector<Tensor> &ts,
                     const std::vector<Tensor> &outs, Sequence &prog,
                     const DebugContext &dc, const OptionFlags &options,
                     const char *function) {
  if (exprs.size() > outs.size())
    throw poplibs_error(std::string(function) + ": " +
                        std::to_string(exprs.size()) + " expressions, but " +
                        std::to_string(outs.size()) + " tensors for results");
  const auto results = map(graph, exprs, ts, prog, dc, options);
  for (std::size_t i = 0; i != results.size(); ++i) {
    checkWritable(outs[i], function);
    prog.add(Copy(results[i], outs[i], false, dc));
  }
}

} // namespace

void mapInPlace(Graph &graph, const std::vector<Any> &exprs,
                const std::vector<Tensor> &ts, Sequence &prog,
                const DebugContext &dc, const OptionFlags &options) {
  evaluateAllInto(graph, exprs, ts, ts, prog, dc, options,
                  "popops::mapInPlace");
}

void mapWithOutput(Graph &graph, const std::vector<Any> &exprs,
                   const std::vector<Tensor> &ts,
                   const std::vector<Tensor> &outs, Sequence &prog,
                   const DebugContext &dc, const OptionFlags &options) {
  evaluateAllInto(graph, exprs, ts, outs, prog, dc, options,
                  "popops::mapWithOutput");
}

void mapWithOutput(Graph &graph, const Expr &expr,
                   const std::vector<Tensor> &ts, const Tensor &out,
                   Sequence &prog, const DebugContext &dc,
                   const OptionFlags &options) {
  evaluateInto(graph, expr, ts, out, prog, dc, options,
               "popops::mapWithOutput");
}

void mapWithOutput(Graph &graph, UnaryOpType op, const Tensor &t,
                   const Tensor &out, Sequence &prog, const DebugContext &dc,
                   const OptionFlags &options) {
  mapWithOutput(graph, UnaryOp(op, _1), {t}, out, prog, dc, options);
}

void mapWithOutput(Graph &graph, BinaryOpType op, const Tensor &a,
                   const Tensor &b, const Tensor &out, Sequence &prog,
                   const DebugContext &dc, const OptionFlags &options) {
  mapWithOutput(graph, BinaryOp(op, _1, _2), {a, b}, out, prog, dc, options);
}

void mapWithOutput(Graph &graph, TernaryOpType op, const Tensor &a,
                   const Tensor &b, const Tensor &c, const Tensor &out,
                   Sequence &prog, const DebugContext &dc,
                   const OptionFlags &options) {
  mapWithOutput(graph, TernaryOp(op, _1, _2, _3), {a, b, c}, out, prog, dc,
                options);
}

} // namespace popops
