// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Padding by concatenation, one dimension after the other.

#include <popops/Pad.hpp>

#include <poputil/exceptions.hpp>

#include <algorithm>
#include <functional>
#include <numeric>

using namespace poplar;
using poputil::poplibs_error;

namespace popops {
namespace {

using Amounts = std::vector<std::ptrdiff_t>;

/// Makes a tensor of padding of a shape that goes beside \p edge, the slice of
/// the padded tensor that it touches (invalid where that is empty).
using MakePadding = std::function<Tensor(const std::vector<std::size_t> &shape,
                                         const Tensor &edge)>;

void checkAmounts(const Tensor &t, const Amounts &lower, const Amounts &upper) {
  if (lower.size() != t.rank() || upper.size() != t.rank())
    throw poplibs_error(
        "popops::pad: a tensor of shape " + t.shapeToString() + " needs " +
        std::to_string(t.rank()) + " lower and upper amounts, there are " +
        std::to_string(lower.size()) + " and " + std::to_string(upper.size()));
  for (unsigned i = 0; i != t.rank(); ++i) {
    const std::ptrdiff_t cut = std::max<std::ptrdiff_t>(0, -lower[i]) +
                               std::max<std::ptrdiff_t>(0, -upper[i]);
    if (cut > static_cast<std::ptrdiff_t>(t.dim(i)))
      throw poplibs_error("popops::pad: more is cut off dimension " +
                          std::to_string(i) + " of shape " + t.shapeToString() +
                          " than there is");
  }
}

/// Cuts off negative amounts and makes them 0.
Tensor truncated(Tensor t, Amounts &lower, Amounts &upper) {
  for (unsigned i = 0; i != t.rank(); ++i) {
    const std::size_t begin = std::max<std::ptrdiff_t>(0, -lower[i]);
    const std::size_t end = t.dim(i) - std::max<std::ptrdiff_t>(0, -upper[i]);
    t = t.slice(begin, end, i);
    lower[i] = std::max<std::ptrdiff_t>(0, lower[i]);
    upper[i] = std::max<std::ptrdiff_t>(0, upper[i]);
  }
  return t;
}

Tensor padDims(Tensor t, Amounts lower, Amounts upper,
               const MakePadding &makePadding) {
  checkAmounts(t, lower, upper);
  t = truncated(t, lower, upper);
  for (unsigned i = 0; i != t.rank(); ++i) {
    std::vector<Tensor> parts;
    auto shape = t.shape();
    const std::size_t extent = shape[i];
    if (lower[i] != 0) {
      shape[i] = lower[i];
      parts.push_back(
          makePadding(shape, extent == 0 ? Tensor() : t.slice(0, 1, i)));
    }
    parts.push_back(t);
    if (upper[i] != 0) {
      shape[i] = upper[i];
      parts.push_back(makePadding(
          shape, extent == 0 ? Tensor() : t.slice(extent - 1, extent, i)));
    }
    t = concat(parts, i);
  }
  return t;
}

/// Gives the padding elements the tiles of their neighbours.
void mapLikeEdge(Graph &graph, const Tensor &padding, const Tensor &edge) {
  if (!edge.valid()) {
    graph.setTileMapping(padding, 0);
    return;
  }
  Tensor like = edge;
  for (unsigned i = 0; i != edge.rank(); ++i)
    if (edge.dim(i) != padding.dim(i))
      like = like.broadcast(padding.dim(i) / edge.dim(i), i);
  graph.setTileMapping(padding, graph.getTileMapping(like));
}

/// All of it lies on one tile, so what is large is a part that repeats along
/// the first dimensions.
template <class T>
Tensor paddingOnTileZero(Graph &graph, const poplar::Type &type,
                         const std::vector<std::size_t> &shape, T val) {
  constexpr std::size_t LargestWhole = 16384; // elements
  std::vector<std::size_t> part = shape;
  std::size_t count = std::accumulate(shape.begin(), shape.end(),
                                      std::size_t(1), std::multiplies<>());
  for (std::size_t &extent : part)
    if (count > LargestWhole) {
      count /= extent;
      extent = 1;
    }
  Tensor padding = graph.addConstant<T>(type, part, val, "padding");
  graph.setTileMapping(padding, 0);
  for (unsigned i = 0; i != part.size(); ++i)
    if (part[i] != shape[i])
      padding = padding.broadcast(static_cast<unsigned>(shape[i]), i);
  return padding;
}

template <class T>
Tensor padWithConstant(Graph &graph, const Tensor &t, const Amounts &lower,
                       const Amounts &upper, T val,
                       padding::MappingMethod method) {
  return padDims(
      t, lower, upper,
      [&](const std::vector<std::size_t> &shape, const Tensor &edge) {
        if (method == padding::MappingMethod::ZERO)
          return paddingOnTileZero<T>(graph, t.elementType(), shape, val);
        const Tensor padding =
            graph.addConstant<T>(t.elementType(), shape, val, "padding");
        if (method == padding::MappingMethod::EDGE)
          mapLikeEdge(graph, padding, edge);
        return padding;
      });
}

Amounts oneDim(const Tensor &t, std::ptrdiff_t amount, unsigned dim) {
  if (dim >= t.rank())
    throw poplibs_error("popops::pad: dimension " + std::to_string(dim) +
                        " of a tensor of shape " + t.shapeToString());
  Amounts amounts(t.rank(), 0);
  amounts[dim] = amount;
  return amounts;
}

/// Repeats or reflects the elements at the ends of one dimension.
Tensor extendDim(const Tensor &t, std::size_t lower, std::size_t upper,
                 unsigned dim, padding::Type type) {
  const std::size_t extent = t.dim(dim);
  std::vector<Tensor> parts;
  if (type == padding::Type::EDGE) {
    if (extent == 0)
      throw poplibs_error("popops::pad: there is no edge to repeat in shape " +
                          t.shapeToString());
    if (lower != 0)
      parts.push_back(t.slice(0, 1, dim).broadcast(lower, dim));
    parts.push_back(t);
    if (upper != 0)
      parts.push_back(t.slice(extent - 1, extent, dim).broadcast(upper, dim));
  } else {
    if (lower >= extent || upper >= extent)
      throw poplibs_error("popops::pad: cannot reflect more than " +
                          std::to_string(extent) + " - 1 elements in shape " +
                          t.shapeToString());
    if (lower != 0)
      parts.push_back(t.slice(1, lower + 1, dim).reverse(dim));
    parts.push_back(t);
    if (upper != 0)
      parts.push_back(
          t.slice(extent - 1 - upper, extent - 1, dim).reverse(dim));
  }
  return concat(parts, dim);
}

} // namespace

Tensor pad(Graph &graph, const Tensor &t, const Amounts &lower,
           const Amounts &upper, float val, padding::MappingMethod method) {
  return padWithConstant(graph, t, lower, upper, val, method);
}

Tensor pad(Graph &graph, const Tensor &t, const Amounts &lower,
           const Amounts &upper, int val, padding::MappingMethod method) {
  return padWithConstant(graph, t, lower, upper, val, method);
}

Tensor pad(Graph &, const Tensor &t, const Amounts &lower, const Amounts &upper,
           const Tensor &val, padding::MappingMethod) {
  if (val.numElements() != 1 || val.elementType() != t.elementType())
    throw poplibs_error("popops::pad: the value must be one element of type " +
                        t.elementType().toString());
  return padDims(t, lower, upper,
                 [&](const std::vector<std::size_t> &shape, const Tensor &) {
                   std::size_t count = 1;
                   for (std::size_t extent : shape)
                     count *= extent;
                   return val.reshape({1}).broadcast(count, 0).reshape(shape);
                 });
}

Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t lower,
           std::ptrdiff_t upper, unsigned dim, float val,
           padding::MappingMethod method) {
  return pad(graph, t, oneDim(t, lower, dim), oneDim(t, upper, dim), val,
             method);
}

Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t lower,
           std::ptrdiff_t upper, unsigned dim, int val,
           padding::MappingMethod method) {
  return pad(graph, t, oneDim(t, lower, dim), oneDim(t, upper, dim), val,
             method);
}

Tensor pad(Graph &graph, const Tensor &t, std::ptrdiff_t lower,
           std::ptrdiff_t upper, unsigned dim, const Tensor &val,
           padding::MappingMethod method) {
  return pad(graph, t, oneDim(t, lower, dim), oneDim(t, upper, dim), val,
             method);
}

Tensor pad(const Tensor &t, const Amounts &paddingLower,
           const Amounts &paddingUpper, padding::Type type) {
  Amounts lower = paddingLower, upper = paddingUpper;
  checkAmounts(t, lower, upper);
  Tensor padded = truncated(t, lower, upper);
  for (unsigned i = 0; i != t.rank(); ++i)
    if (lower[i] != 0 || upper[i] != 0)
      padded = extendDim(padded, lower[i], upper[i], i, type);
  return padded;
}

Tensor pad(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper,
           unsigned dim, padding::Type type) {
  return pad(t, oneDim(t, lower, dim), oneDim(t, upper, dim), type);
}

} // namespace popops
