// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reductions that users call: they arrange the input as a matrix and apply
// what surrounds the reduction proper (scale, update, change of type).

#include "lib/PopLibs/popops/elementwise/MapInto.h"
#include "lib/PopLibs/popops/movement/MemoryOrder.h"
#include "lib/PopLibs/popops/reduction/ReduceStages.h"
#include "lib/PopLibs/poputil/Log.h"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Operation.hpp>
#include <popops/Reduce.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <limits>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

using Dims = std::vector<std::size_t>;

void checkOptions(const OptionFlags &options) {
  bool half = false;
  const auto type = poplibs::OptionHandler::createWithEnum(
      half, std::vector<std::pair<std::string, bool>>{{"half", true},
                                                      {"float", false}});
  poplibs::OptionSpec(
      {{"accumType.interTile", type}, {"accumType.inVertex", type}})
      .parse(options);
}

std::string nameOf(Operation op) {
  std::ostringstream text;
  text << op;
  return text.str();
}

bool isSum(Operation op) {
  return op == Operation::ADD || op == Operation::SQUARE_ADD;
}

bool isScalable(Operation op) { return isSum(op) || op == Operation::LOG_ADD; }

void checkParams(const ReduceParams &params) {
  if ((params.useScale || params.update) && !isScalable(params.op))
    throw poplibs_error("popops::reduce: scale and update are for ADD, "
                        "SQUARE_ADD and LOG_ADD, not for " +
                        nameOf(params.op));
  if (params.useScale &&
      (params.scale.elementType() != FLOAT || params.scale.numElements() != 1))
    throw poplibs_error("popops::reduce: the scale must be one element of "
                        "type float, it has type " +
                        params.scale.elementType().toString() + " and shape " +
                        params.scale.shapeToString());
}

/// By dimension: true if it is reduced.
std::vector<bool> reducedDims(const Tensor &in, const Dims &dims) {
  std::vector<bool> reduced(in.rank(), false);
  for (std::size_t dim : dims) {
    if (dim >= in.rank())
      throw poplibs_error("popops::reduce: dimension " + std::to_string(dim) +
                          " of a tensor of shape " + in.shapeToString());
    reduced[dim] = true;
  }
  return reduced;
}

Dims keptShape(const Tensor &in, const std::vector<bool> &reduced) {
  Dims shape;
  for (unsigned i = 0; i != in.rank(); ++i)
    if (!reduced[i])
      shape.push_back(in.dim(i));
  return shape;
}

/// The input as a matrix whose inner dimension is innermost in memory too. The
/// order of reduced dimensions is free; they go by their strides.
ReduceMatrix arrange(const Tensor &in, const std::vector<bool> &reduced) {
  std::vector<unsigned> kept, gone;
  std::size_t rows = 1, columns = 1;
  for (unsigned i = 0; i != in.rank(); ++i) {
    if (!reduced[i])
      kept.push_back(i);
    (reduced[i] ? columns : rows) *= in.dim(i);
  }
  bool byColumns = false;
  for (unsigned i : memoryOrder(in)) {
    if (reduced[i])
      gone.push_back(i);
    if (in.dim(i) != 1)
      byColumns = !reduced[i];
  }
  ReduceMatrix matrix;
  matrix.byColumns = byColumns && columns != 1;
  std::vector<unsigned> order = matrix.byColumns ? gone : kept;
  const auto &rest = matrix.byColumns ? kept : gone;
  order.insert(order.end(), rest.begin(), rest.end());
  if (matrix.byColumns)
    std::swap(rows, columns);
  matrix.in = in.dimShuffle(order).reshape({rows, columns});
  return matrix;
}

/// Result of reducing no elements.
double identity(Operation op, const Type &type) {
  const bool real = type == FLOAT || type == HALF;
  const double infinity = std::numeric_limits<double>::infinity();
  switch (op) {
  case Operation::MUL:
  case Operation::LOGICAL_AND:
    return 1;
  case Operation::MAX:
    return real ? -infinity : type == INT ? std::numeric_limits<int>::min() : 0;
  case Operation::MIN:
    return real ? infinity
           : type == INT
               ? static_cast<double>(std::numeric_limits<int>::max())
               : static_cast<double>(std::numeric_limits<unsigned>::max());
  case Operation::LOG_ADD:
    return -infinity;
  default:
    return 0;
  }
}

void fillWith(Graph &graph, const Tensor &t, double value, ComputeSet cs) {
  const Type type = t.elementType();
  const auto mapping = graph.getTileMapping(t);
  if (type == BOOL)
    fill<bool>(graph, t, mapping, cs, value != 0);
  else if (type == INT)
    fill<int>(graph, t, mapping, cs, static_cast<int>(value));
  else if (type == UNSIGNED_INT)
    fill<unsigned>(graph, t, mapping, cs, static_cast<unsigned>(value));
  else
    fill<float>(graph, t, mapping, cs, static_cast<float>(value));
}

/// The type that the vertices of the last stage can write; others are cast.
Type nativeType(Operation op, const Type &in, const Type &wanted) {
  const bool real =
      (in == FLOAT || in == HALF) && (wanted == FLOAT || wanted == HALF);
  const bool arithmetic = isSum(op) || op == Operation::MUL;
  return real && arithmetic ? wanted : in;
}

/// The reduction alone, to a new tensor of one dimension or to \p out.
Tensor reduceOnly(Graph &graph, const Tensor &in,
                  const std::vector<bool> &reduced, Operation op,
                  const Type &type, const Tensor &out, Stages &stages,
                  const DebugContext &debugContext) {
  const ReduceMatrix matrix = arrange(in, reduced);
  if (matrix.in.numElements() != 0)
    return reduceMatrix(graph, matrix, op, type, out, stages, debugContext);
  const Tensor result =
      out.valid()
          ? out
          : graph.addVariable(type, {matrix.kept()},
                              VariableMappingMethod::LINEAR, debugContext);
  if (result.numElements() != 0) {
    stages.push_back(graph.addComputeSet({debugContext, "Fill"}));
    fillWith(graph, result, identity(op, type), stages.back());
  }
  return result;
}

Tensor reduceOnly(Graph &graph, const Tensor &in,
                  const std::vector<bool> &reduced, Operation op,
                  const Type &type, const Tensor &out, Sequence &prog,
                  const DebugContext &debugContext) {
  Stages stages;
  const Tensor result =
      reduceOnly(graph, in, reduced, op, type, out, stages, debugContext);
  for (const ComputeSet &stage : stages)
    prog.add(Execute(stage, debugContext));
  return result;
}

/// Computes log(sum(exp(in))). The largest element is subtracted first to avoid
/// overflow. If it is infinite, it is the result.
Tensor reduceLogAdd(Graph &graph, const Tensor &in,
                    const std::vector<bool> &reduced, Sequence &prog,
                    const DebugContext &debugContext) {
  namespace pe = popops::expr;
  const Type type = in.elementType();
  const Tensor largest = reduceOnly(graph, in, reduced, Operation::MAX, type,
                                    {}, prog, {debugContext, "Max"});
  const Tensor shift =
      map(graph, pe::Select(pe::_1, pe::Const(0.0, type), pe::IsFinite(pe::_1)),
          {largest}, prog, {debugContext, "Shift"});
  Dims shape = in.shape();
  for (unsigned i = 0; i != in.rank(); ++i)
    if (reduced[i])
      shape[i] = 1;
  const Tensor terms =
      map(graph, pe::Exp(pe::_1 - pe::_2), {in, shift.reshape(shape)}, prog,
          {debugContext, "Exp"});
  const Tensor sum = reduceOnly(graph, terms, reduced, Operation::ADD, type, {},
                                prog, {debugContext, "Sum"});
  mapInPlace(graph,
             pe::Select(pe::Log(pe::_1) + pe::_2, pe::_2, pe::IsFinite(pe::_2)),
             {sum, largest}, prog, {debugContext, "Log"});
  return sum;
}

/// a = log(exp(a) + exp(b)).
void logAddInPlace(Graph &graph, const Tensor &a, const Tensor &b,
                   Sequence &prog, const DebugContext &debugContext) {
  const Tensor both = concat(a.expand({0}), b.expand({0}));
  std::vector<bool> reduced(both.rank(), false);
  reduced[0] = true;
  prog.add(Copy(
      reduceLogAdd(graph, both, reduced, prog, debugContext).reshape(a.shape()),
      a, false, debugContext));
}

/// Nothing is combined, for all reduced dimensions are of size 1.
bool keepsElements(const Tensor &in, const std::vector<bool> &reduced,
                   Operation op) {
  for (unsigned i = 0; i != in.rank(); ++i)
    if (reduced[i] && in.dim(i) != 1)
      return false;
  return op != Operation::SQUARE_ADD && in.numElements() != 0;
}

/// To a new tensor, or to \p out.
Tensor copyOrCast(Graph &graph, const Tensor &in, const Type &type,
                  const Tensor &out, Sequence &prog,
                  const DebugContext &debugContext) {
  if (!out.valid())
    return cast(graph, in, type, prog, debugContext);
  if (in.elementType() == type)
    prog.add(Copy(in, out, false, debugContext));
  else
    castWithOutput(graph, in, out, prog, debugContext);
  return out;
}

/// The reduction of any operation without scale and update.
Tensor reduceToType(Graph &graph, const Tensor &in,
                    const std::vector<bool> &reduced, Operation op,
                    const Type &outType, const Tensor &out, Sequence &prog,
                    const DebugContext &debugContext) {
  if (keepsElements(in, reduced, op))
    return copyOrCast(graph, in.flatten(), outType, out, prog, debugContext);
  const Type type = nativeType(op, in.elementType(), outType);
  if (op == Operation::LOG_ADD) {
    const Tensor sum = reduceLogAdd(graph, in, reduced, prog, debugContext);
    return cast(graph, sum, outType, prog, debugContext);
  }
  if (type == outType)
    return reduceOnly(graph, in, reduced, op, type, out, prog, debugContext);
  const Tensor result =
      reduceOnly(graph, in, reduced, op, type, {}, prog, debugContext);
  return cast(graph, result, outType, prog, debugContext);
}

void mapIfUnmapped(Graph &graph, const Tensor &out) {
  bool complete = false;
  graph.getTileMapping(out, &complete);
  if (!complete)
    poputil::mapTensorLinearly(graph, out);
}

void scaleAndAdd(Graph &graph, const Tensor &sum, const ReduceParams &params,
                 const Tensor &out, Sequence &prog,
                 const DebugContext &debugContext) {
  const bool logarithms = params.op == Operation::LOG_ADD;
  if (params.useScale)
    mapInPlace(graph,
               logarithms ? expr::BinaryOpType::ADD
                          : expr::BinaryOpType::MULTIPLY,
               sum, params.scale.reshape({}), prog, {debugContext, "Scale"});
  const Tensor result =
      cast(graph, sum, out.elementType(), prog, {debugContext, "Cast"});
  if (params.update && logarithms)
    logAddInPlace(graph, out, result, prog, {debugContext, "Update"});
  else if (params.update)
    addInPlace(graph, out, result, prog, {debugContext, "Update"});
  else
    prog.add(Copy(result, out, false, debugContext));
}

/// By dimension: true if it is reduced. Checks that the output matches.
std::vector<bool> checkedDims(const Tensor &in, const Tensor &out,
                              const Dims &dims, const ReduceParams &params,
                              const OptionFlags &options) {
  checkOptions(options);
  checkParams(params);
  const auto reduced = reducedDims(in, dims);
  if (keptShape(in, reduced) != out.shape())
    throw poplibs_error("popops::reduce: reducing shape " + in.shapeToString() +
                        " does not give shape " + out.shapeToString() +
                        " of the output");
  return reduced;
}

/// The type of a sum that is scaled or added to the output afterwards.
Type unscaledType(const Tensor &in, const ReduceParams &params) {
  return params.useScale && in.elementType() == HALF ? FLOAT : in.elementType();
}

ComputeSet addStage(Graph &graph, Stages &stages, const DebugContext &dc) {
  stages.push_back(graph.addComputeSet(dc));
  return stages.back();
}

/// \p t as \p type, from another stage where that differs.
Tensor castInStage(Graph &graph, const Tensor &t, const Type &type,
                   Stages &stages, const DebugContext &debugContext) {
  if (t.elementType() == type)
    return t;
  const DebugContext dc(debugContext, "Cast");
  return cast(graph, t, type, addStage(graph, stages, dc), dc);
}

/// The same as scaleAndAdd for LOG_ADD.
void scaleAndAddInStages(Graph &graph, Tensor sum, const ReduceParams &params,
                         const Tensor &out, Stages &stages,
                         const DebugContext &dc) {
  const Type type = out.elementType();
  if (params.useScale) {
    const bool last = !params.update && sum.elementType() == type;
    const Tensor scaled = last ? out : sum;
    mapInto(graph, expr::_1 * expr::_2, {sum, params.scale.reshape({})}, scaled,
            addStage(graph, stages, {dc, "Scale"}), dc);
    if (last)
      return;
  }
  if (!params.update) {
    cast(graph, sum, out, addStage(graph, stages, {dc, "Cast"}));
    return;
  }
  const Tensor addend = castInStage(graph, sum, type, stages, dc);
  mapInto(graph, expr::_1 + expr::_2, {out, addend}, out,
          addStage(graph, stages, {dc, "Update"}), dc);
}

} // namespace

void reduceWithOutput(Graph &graph, const Tensor &in, const Tensor &out,
                      const Dims &dims, const ReduceParams &params,
                      std::vector<ComputeSet> &css,
                      const DebugContext &debugContext,
                      const OptionFlags &options) {
  const auto reduced = checkedDims(in, out, dims, params, options);
  if (params.op == Operation::LOG_ADD || out.intersectsWith(in))
    throw poplibs_error("popops::reduce: " +
                        (params.op == Operation::LOG_ADD
                             ? nameOf(params.op)
                             : std::string("an output that overlaps the "
                                           "input")) +
                        " needs more than compute sets; pass a program");
  mapIfUnmapped(graph, out);
  const Tensor flat = out.flatten();
  const bool plain = !params.useScale && !params.update;
  const Type type =
      plain ? nativeType(params.op, in.elementType(), out.elementType())
            : nativeType(params.op, in.elementType(), unscaledType(in, params));
  const bool direct = plain && type == out.elementType();
  const Tensor sum = reduceOnly(graph, in, reduced, params.op, type,
                                direct ? flat : Tensor(), css, debugContext);
  if (!direct)
    scaleAndAddInStages(graph, sum, params, flat, css, debugContext);
}

Tensor reduce(Graph &graph, const Tensor &in, const Type &outType,
              const Dims &dims, const ReduceParams &params,
              std::vector<ComputeSet> &css, const DebugContext &debugContext,
              const OptionFlags &options) {
  checkParams(params);
  if (params.update)
    throw poplibs_error("popops::reduce: an update needs an output tensor; "
                        "use reduceWithOutput");
  const Tensor out =
      graph.addVariable(outType, keptShape(in, reducedDims(in, dims)),
                        VariableMappingMethod::LINEAR, debugContext);
  reduceWithOutput(graph, in, out, dims, params, css, debugContext, options);
  return out;
}

Tensor reduce(Graph &graph, const Tensor &in, const Dims &dims,
              const ReduceParams &params, std::vector<ComputeSet> &css,
              const DebugContext &debugContext, const OptionFlags &options) {
  return reduce(graph, in, in.elementType(), dims, params, css, debugContext,
                options);
}

void reduceWithOutput(Graph &graph, const Tensor &in, const Tensor &out,
                      const Dims &dims, const ReduceParams &params,
                      Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &options) {
  const auto reduced = checkedDims(in, out, dims, params, options);
  mapIfUnmapped(graph, out);
  const Tensor flat = out.flatten();
  const bool plain = !params.useScale && !params.update &&
                     !out.intersectsWith(in) && params.op != Operation::LOG_ADD;
  if (plain) {
    const Tensor result =
        reduceToType(graph, in, reduced, params.op, out.elementType(), flat,
                     prog, debugContext);
    if (!(result == flat))
      prog.add(Copy(result, flat, false, debugContext));
    return;
  }
  const Tensor sum =
      reduceToType(graph, in, reduced, params.op, unscaledType(in, params), {},
                   prog, debugContext);
  scaleAndAdd(graph, sum, params, flat, prog, debugContext);
}

Tensor reduce(Graph &graph, const Tensor &in, const Type &outType,
              const Dims &dims, const ReduceParams &params, Sequence &prog,
              const DebugContext &debugContext, const OptionFlags &options) {
  poputil::logCall("popops::reduce", {&in}, debugContext);
  checkOptions(options);
  checkParams(params);
  const auto reduced = reducedDims(in, dims);
  const Dims shape = keptShape(in, reduced);
  if (params.update)
    throw poplibs_error("popops::reduce: an update needs an output tensor; "
                        "use reduceWithOutput");
  if (params.useScale) {
    const Tensor out = graph.addVariable(
        outType, shape, VariableMappingMethod::LINEAR, debugContext);
    reduceWithOutput(graph, in, out, dims, params, prog, debugContext, options);
    return out;
  }
  return reduceToType(graph, in, reduced, params.op, outType, {}, prog,
                      debugContext)
      .reshape(shape);
}

Tensor reduce(Graph &graph, const Tensor &in, const Dims &dims,
              const ReduceParams &params, Sequence &prog,
              const DebugContext &debugContext, const OptionFlags &options) {
  return reduce(graph, in, in.elementType(), dims, params, prog, debugContext,
                options);
}

void reduceMany(Graph &graph, const std::vector<SingleReduceOp> &reductions,
                std::vector<Tensor> &outputs, Sequence &prog,
                const DebugContext &debugContext, const OptionFlags &options) {
  if (!outputs.empty() && outputs.size() != reductions.size())
    throw poplibs_error(
        "popops::reduceMany: " + std::to_string(reductions.size()) +
        " reductions, " + std::to_string(outputs.size()) + " outputs");
  outputs.resize(reductions.size());
  for (std::size_t i = 0; i != reductions.size(); ++i) {
    const SingleReduceOp &op = reductions[i];
    const DebugContext dc(debugContext, op.debugName);
    if (outputs[i].valid())
      reduceWithOutput(graph, op.in, outputs[i], op.dims, op.params, prog, dc,
                       options);
    else
      outputs[i] =
          reduce(graph, op.in, op.useOutType ? op.outType : op.in.elementType(),
                 op.dims, op.params, prog, dc, options);
  }
}

} // namespace popops
