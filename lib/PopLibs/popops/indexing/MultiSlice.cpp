// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many slices along one dimension, with and without groups: a form without
// groups is one group.

#include "lib/PopLibs/popops/indexing/SliceOperands.h"
#include "lib/PopLibs/popops/indexing/TableAccess.h"
#include "lib/PopLibs/poputil/Log.h"

#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace poplar::program;
using poputil::poplibs_error;

namespace popops {
namespace {

using Sizes = std::vector<std::size_t>;

/// Operands with a leading dimension of groups.
class Grouped {
public:
  Grouped(Graph &graph, const Tensor &t, const Tensor &offsets,
          const Sizes &dims, const Sizes &sizes, Sequence &prog,
          const OptionFlags &options, const DebugContext &debugContext,
          const char *function)
      : graph(graph), t(t), function(function), prog(prog),
        debugContext(debugContext) {
    const SliceOptions parsed = parseSliceOptions(options);
    checkOneDim(dims, sizes, function);
    const Sizes shape = t.shape();
    checkSlice(Sizes(shape.begin() + 1, shape.end()), dims, sizes, function);
    dim = dims[0] + 1;
    size = sizes[0];
    if (offsets.rank() < 2 || offsets.dim(0) != t.dim(0) ||
        (offsets.rank() == 3 && offsets.dim(2) != 1) || offsets.rank() > 3)
      throw poplibs_error(std::string(function) + ": offsets of shape " +
                          offsets.shapeToString() + " for " +
                          std::to_string(t.dim(0)) +
                          " groups; it must be [groups, offsets, 1]");
    indices = asIndices(offsets).reshape({offsets.dim(0), offsets.dim(1)});
    if (parsed.remapOutOfBoundIndices && indices.numElements() != 0)
      indices = remapped();
  }

  Tensor slice() const {
    Sizes shape = rolled(t, 1).shape();
    shape[1] = size;
    shape.insert(shape.begin() + 1, indices.dim(1));
    return readRows(graph, table(), indices, size, prog, debugContext)
        .reshape(shape)
        .dimRoll(2, dim + 1);
  }

  void update(const Tensor &s) const {
    writeRows(graph, table(), rowsOf(s), indices, prog, debugContext);
  }
  void update(const Tensor &s, Operation op) const {
    combineRows(graph, table(), rowsOf(s), indices, op, prog, debugContext);
  }

private:
  Graph &graph;
  const Tensor t;
  const char *function;
  Sequence &prog;
  const DebugContext &debugContext;
  Tensor indices;
  unsigned dim;
  std::size_t size;

  Tensor rolled(const Tensor &tensor, unsigned place) const {
    return tensor.dimRoll(dim + place - 1, place);
  }
  std::size_t width() const {
    std::size_t product = 1;
    for (unsigned i = 1; i != t.rank(); ++i)
      product *= i == dim ? 1 : t.dim(i);
    return product;
  }
  Tensor table() const {
    return rolled(t, 1).reshape({t.dim(0), t.dim(dim), width()});
  }
  Tensor rowsOf(const Tensor &s) const {
    Sizes shape = t.shape();
    shape[dim] = size;
    shape.insert(shape.begin() + 1, indices.dim(1));
    if (s.shape() != shape || s.elementType() != t.elementType())
      throw poplibs_error(
          std::string(function) + ": slices of shape " + s.shapeToString() +
          " and type " + s.elementType().toString() +
          " do not go into a tensor of shape " + t.shapeToString() +
          " and type " + t.elementType().toString());
    return rolled(s, 2).reshape({t.dim(0), indices.dim(1), size, width()});
  }
  Tensor remapped() const {
    namespace pe = popops::expr;
    const pe::Const end(static_cast<unsigned>(t.dim(dim)));
    return map(graph, pe::Select(pe::_1, pe::Const(0u), pe::_1 < end),
               {indices}, prog, {debugContext, "Remap"});
  }
};

/// s multiplied by \p scale, unless that is known to be 1.
Tensor scaled(Graph &graph, const Tensor &s, const Tensor &scale,
              Sequence &prog, const DebugContext &debugContext) {
  if (scale.numElements() != 1)
    throw poplibs_error("popops::multiUpdateAdd: the scale has shape " +
                        scale.shapeToString() + ", not one element");
  double value;
  if (scale.getConstantValue(&value) && value == 1)
    return s;
  const Tensor factor =
      scale.elementType() == s.elementType()
          ? scale
          : cast(graph, scale, s.elementType(), prog, debugContext);
  return mul(graph, s, factor.reshape({}), prog, {debugContext, "Scale"});
}

} // namespace

Tensor groupedMultiSlice(Graph &graph, const Tensor &t, const Tensor &offsets,
                         const Sizes &dims, const Sizes &sizes, Sequence &prog,
                         const SlicePlan &, const OptionFlags &options,
                         const DebugContext &debugContext) {
  poputil::logCall("popops::groupedMultiSlice", {&t, &offsets}, debugContext);
  const DebugContext dc(debugContext, "MultiSlice");
  return Grouped(graph, t, offsets, dims, sizes, prog, options, dc,
                 "popops::multiSlice")
      .slice();
}

Tensor multiSlice(Graph &graph, const Tensor &t, const Tensor &offsets,
                  const Sizes &dims, const Sizes &sizes, Sequence &prog,
                  const SlicePlan &plan, const OptionFlags &options,
                  const DebugContext &debugContext) {
  return groupedMultiSlice(graph, t.expand({0}), offsets.expand({0}), dims,
                           sizes, prog, plan, options, debugContext)
      .squeeze({0});
}

namespace {

void checkKnownOffsets(const Tensor &t, ArrayRef<unsigned> offsets,
                       std::size_t dim, const char *function) {
  checkSlice(t.shape(), {dim}, {t.rank() > dim ? t.dim(dim) : 0}, function);
  for (unsigned offset : offsets)
    if (offset >= t.dim(dim))
      throw poplibs_error(std::string(function) + ": offset " +
                          std::to_string(offset) + " of dimension " +
                          std::to_string(dim) + ", which has size " +
                          std::to_string(t.dim(dim)));
}

} // namespace

Tensor multiSlice(Graph &graph, const Tensor &t, ArrayRef<unsigned> offsets,
                  std::size_t dim, Sequence &prog,
                  const DebugContext &debugContext,
                  const OptionFlags &options) {
  parseSliceOptions(options);
  checkKnownOffsets(t, offsets, dim, "popops::multiSlice");
  std::vector<Tensor> slices;
  for (const Tensor &slice : t.slices(offsets, dim))
    slices.push_back(slice.expand({0}));
  if (slices.empty())
    return t.slice(0, std::min<std::size_t>(1, t.dim(dim)), dim)
        .expand({0})
        .slice(0, 0);
  const Tensor view = concat(slices);
  const Tensor out = graph.clone(view, {debugContext, "MultiSlice"});
  prog.add(Copy(view, out, false, debugContext));
  return out;
}

void groupedMultiUpdate(Graph &graph, const Tensor &t, const Tensor &s,
                        const Tensor &offsets, const Sizes &dims,
                        const Sizes &sizes, Sequence &prog, const SlicePlan &,
                        const OptionFlags &options,
                        const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "MultiUpdate");
  Grouped(graph, t, offsets, dims, sizes, prog, options, dc,
          "popops::multiUpdate")
      .update(s);
}

void multiUpdate(Graph &graph, const Tensor &t, const Tensor &s,
                 const Tensor &offsets, const Sizes &dims, const Sizes &sizes,
                 Sequence &prog, const SlicePlan &plan,
                 const OptionFlags &options, const DebugContext &debugContext) {
  groupedMultiUpdate(graph, t.expand({0}), s.expand({0}), offsets.expand({0}),
                     dims, sizes, prog, plan, options, debugContext);
}

void groupedMultiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s,
                           const Tensor &offsets, const Tensor &scale,
                           const Sizes &dims, const Sizes &sizes,
                           Sequence &prog, const SlicePlan &,
                           const OptionFlags &options,
                           const DebugContext &debugContext) {
  const DebugContext dc(debugContext, "MultiUpdateAdd");
  Grouped(graph, t, offsets, dims, sizes, prog, options, dc,
          "popops::multiUpdateAdd")
      .update(scaled(graph, s, scale, prog, dc), Operation::ADD);
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s,
                    const Tensor &offsets, const Tensor &scale,
                    const Sizes &dims, const Sizes &sizes, Sequence &prog,
                    const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  groupedMultiUpdateAdd(graph, t.expand({0}), s.expand({0}),
                        offsets.expand({0}), scale, dims, sizes, prog, plan,
                        options, debugContext);
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s,
                    ArrayRef<unsigned> offsets, const Tensor &scale,
                    std::size_t dim, Sequence &prog,
                    const DebugContext &debugContext,
                    const OptionFlags &options) {
  checkKnownOffsets(t, offsets, dim, "popops::multiUpdateAdd");
  const DebugContext dc(debugContext, "MultiUpdateAdd");
  const Tensor known = graph.addConstant(UNSIGNED_INT, {offsets.size(), 1},
                                         offsets, {dc, "offsets"});
  poputil::mapTensorLinearly(graph, known);
  multiUpdateAdd(graph, t, s, known, scale, {dim}, {1}, prog, SlicePlan(),
                 options, debugContext);
}

#define POPULUS_DEFINE_MULTIUPDATE(NAME, OP)                                   \
  void groupedMulti##NAME(Graph &graph, const Tensor &t, const Tensor &s,      \
                          const Tensor &offsets, const Sizes &dims,            \
                          const Sizes &sizes, Sequence &prog,                  \
                          const SlicePlan &, const OptionFlags &options,       \
                          const DebugContext &debugContext) {                  \
    const DebugContext dc(debugContext, "Multi" #NAME);                        \
    Grouped(graph, t, offsets, dims, sizes, prog, options, dc,                 \
            "popops::multi" #NAME)                                             \
        .update(s, Operation::OP);                                             \
  }                                                                            \
  void multi##NAME(Graph &graph, const Tensor &t, const Tensor &s,             \
                   const Tensor &offsets, const Sizes &dims,                   \
                   const Sizes &sizes, Sequence &prog, const SlicePlan &plan,  \
                   const OptionFlags &options,                                 \
                   const DebugContext &debugContext) {                         \
    groupedMulti##NAME(graph, t.expand({0}), s.expand({0}),                    \
                       offsets.expand({0}), dims, sizes, prog, plan, options,  \
                       debugContext);                                          \
  }
POPULUS_DEFINE_MULTIUPDATE(UpdateMax, MAX)
POPULUS_DEFINE_MULTIUPDATE(UpdateMin, MIN)
POPULUS_DEFINE_MULTIUPDATE(UpdateMul, MUL)
#undef POPULUS_DEFINE_MULTIUPDATE

} // namespace popops
