// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All forms are views of the operands, except for an input whose padding must
// be stored.

#include "lib/PopLibs/poplin/planning/MatrixForm.h"

#include "lib/PopLibs/poplin/planning/ConvSegments.h"
#include "lib/PopLibs/popops/movement/TransposedCopy.h"

#include <poplar/Program.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

namespace poplin {
namespace {

/// Returns the dimension with all used padding as part of the input, so that
/// results and taps begin at its first element.
ConvDim withPadding(ConvDim dim) {
  dim.origin = 0;
  dim.input =
      (dim.output - 1) * dim.stride + (dim.kernel - 1) * dim.dilation + 1;
  return dim;
}

bool isPointwise(const ConvDim &dim) {
  return dim.kernel == 1 && dim.origin == 0 &&
         (dim.output - 1) * dim.stride < dim.input;
}

ConvDim withOneTap(const ConvDim &dim) {
  ConvDim result;
  result.input = result.output = dim.output;
  return result;
}

/// The elements of a dimension that tap \p tap meets.
Tensor elementsOfTap(const Tensor &t, unsigned dim, const ConvDim &d,
                     std::size_t tap) {
  const std::size_t begin = tap * d.dilation;
  return t.slice(begin, begin + (d.output - 1) * d.stride + 1, dim)
      .subSample(d.stride, dim);
}

} // namespace

MatrixForm::MatrixForm(const ConvShape &original, KernelFold fold)
    : unpadded(original), padded(original), original(original), fold(fold),
      flattens(fold == KernelFold::All ||
               (isPointwise(original.y) && isPointwise(original.x))) {
  if (fold != KernelFold::None)
    unpadded.inChannels *= original.y.kernel;
  if (fold == KernelFold::All)
    unpadded.inChannels *= original.x.kernel;
  if (fold == KernelFold::Rows)
    unpadded.y = withOneTap(original.y);
  if (flattens) {
    unpadded.batch = 1;
    unpadded.y.output = original.batch * original.y.output * original.x.output;
    unpadded.y = withOneTap(unpadded.y);
    unpadded.x = ConvDim();
  }
  padded = unpadded;
  for (ConvDim *dim : {&padded.y, &padded.x})
    if (!commonTap(*dim))
      *dim = withPadding(*dim);
}

/// Returns for each channel and folded tap the elements that the tap uses.
Tensor MatrixForm::taps(const Tensor &in) const {
  std::vector<Tensor> rows;
  for (std::size_t y = 0; y != original.y.kernel; ++y)
    rows.push_back(tapsOfRow(elementsOfTap(in, 3, original.y, y)));
  return concat(rows, 3).flatten(2, 4);
}

/// The same of a row of the kernel, with the taps in a dimension before the
/// rows.
Tensor MatrixForm::tapsOfRow(const Tensor &row) const {
  if (fold == KernelFold::Rows)
    return row.expand({3});
  std::vector<Tensor> columns;
  for (std::size_t x = 0; x != original.x.kernel; ++x)
    columns.push_back(elementsOfTap(row, 4, original.x, x).expand({3}));
  return concat(columns, 3);
}

Tensor MatrixForm::input(Graph &graph, const Tensor &in, Sequence &prog,
                         const DebugContext &dc) const {
  Tensor t = in;
  if (fold != KernelFold::None) {
    const ConvDim y = withPadding(original.y);
    const ConvDim x =
        fold == KernelFold::All ? withPadding(original.x) : original.x;
    const bool isPadded =
        original.y.origin != 0 || x.origin != original.x.origin ||
        y.input > original.y.input || x.input > original.x.input;
    if (isPadded) {
      t = graph.addVariable(in.elementType(),
                            {original.batch, original.groups,
                             original.inChannels, y.input, x.input},
                            {dc, "Padded"});
      poputil::mapTensorLinearly(graph, t);
      copyAndPad(graph, in, t, t,
                 {insideOf(3, original.y, y), insideOf(4, original.x, x)},
                 {0, 1, 2, 3, 4}, 0, prog, dc);
    }
    t = taps(t);
  } else if (flattens) {
    t = elementsOfTap(elementsOfTap(t, 3, original.y, 0), 4, original.x, 0);
  }
  if (flattens)
    t = t.dimShuffle({1, 2, 0, 3, 4}).flatten(2, 5).expand({0, 3});
  return t;
}

Tensor MatrixForm::weights(const Tensor &t) const {
  switch (fold) {
  case KernelFold::None:
    return t;
  case KernelFold::Rows:
    return t.flatten(2, 4).expand({3});
  case KernelFold::All:
    return t.flatten(2, 5).expand({3, 3});
  }
  return t;
}

Tensor MatrixForm::originalWeights(const Tensor &t) const {
  return t.reshape({original.groups, original.outChannels, original.inChannels,
                    original.y.kernel, original.x.kernel});
}

Tensor MatrixForm::originalResult(const Tensor &t) const {
  if (!flattens)
    return t;
  return t
      .reshape({original.groups * original.outChannels, original.batch,
                original.y.output, original.x.output})
      .dimShuffle({1, 0, 2, 3});
}

Inside insideOf(unsigned dim, const ConvDim &before, const ConvDim &after) {
  using Place = std::ptrdiff_t;
  const Place first = after.origin - before.origin; // of before's elements
  const Place extent = before.input, limit = after.input;
  const Place from = std::clamp<Place>(-first, 0, extent);
  const Place begin = std::clamp<Place>(first, 0, limit);
  return {dim, static_cast<std::size_t>(from), static_cast<std::size_t>(begin),
          static_cast<std::size_t>(std::min(extent - from, limit - begin))};
}

void copyAndPad(Graph &graph, Tensor t, Tensor padded, const Tensor &variable,
                const std::vector<Inside> &parts,
                const std::vector<unsigned> &order, double spareMemory,
                Sequence &prog, const DebugContext &dc) {
  for (const Inside &part : parts) {
    t = t.slice(part.from, part.from + part.size, part.dim);
    padded = padded.slice(part.begin, part.begin + part.size, part.dim);
  }
  // Zero the whole variable: the padding alone would be many small pieces.
  if (t.numElements() != variable.numElements())
    popops::zero(graph, variable, prog, {dc, "Padding"});
  popops::addTransposedCopy(graph, t.dimShuffle(order),
                            padded.dimShuffle(order), spareMemory, prog,
                            {dc, "Regroup"});
}

} // namespace poplin
