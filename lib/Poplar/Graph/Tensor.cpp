// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The public Tensor: argument checks, with messages that say which tensor and
// which dimension, and then an operation on the box of a TensorView.

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/Quarters.h"
#include "lib/Poplar/Support/Types.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <tuple>

namespace poplar {

using core::Access;
using core::Dim;
using core::Run;
using core::TensorView;

namespace {

const TensorView &viewOf(const Tensor &tensor) { return Access::view(tensor); }

[[noreturn]] void fail(const Tensor &tensor, const std::string &operation,
                       const std::string &problem) {
  throw poplar_error(operation + " of tensor " + tensor.getDebugStr() + ": " +
                     problem);
}

void checkDim(const Tensor &tensor, std::size_t dimension,
              const char *operation) {
  if (dimension >= tensor.rank())
    fail(tensor, operation,
         "there is no dimension " + std::to_string(dimension));
}

std::string text(ArrayRef<std::size_t> shape) {
  std::string result = "{";
  for (std::size_t i = 0; i != shape.size(); ++i) {
    if (i != 0)
      result += ',';
    result += std::to_string(shape[i]);
  }
  return result + '}';
}

Tensor withDims(const TensorView &view, std::vector<Dim> dims) {
  TensorView result = view;
  result.dims = std::move(dims);
  return Access::tensor(std::move(result));
}

} // namespace

Tensor::Tensor() = default;
Tensor::Tensor(const Tensor &other) = default;
Tensor::Tensor(Tensor &&other) noexcept = default;
Tensor &Tensor::operator=(const Tensor &other) & = default;
Tensor &Tensor::operator=(Tensor &&other) & noexcept = default;
Tensor::~Tensor() = default;
Tensor::Tensor(std::shared_ptr<const TensorView> view)
    : view(std::move(view)) {}

bool Tensor::valid() const { return view != nullptr; }
Type Tensor::elementType() const { return viewOf(*this).type; }
std::vector<std::size_t> Tensor::shape() const { return viewOf(*this).shape(); }
unsigned Tensor::rank() const { return viewOf(*this).rank(); }
std::size_t Tensor::numElements() const { return viewOf(*this).numElements(); }

std::size_t Tensor::dim(unsigned i) const {
  checkDim(*this, i, "dim");
  return view->dims[i].size;
}

std::string Tensor::shapeToString() const { return text(shape()); }

std::string Tensor::getDebugStr() const {
  if (!valid())
    return "<no tensor>";
  if (!view->isGraphAlive())
    return "<tensor of a graph that was destroyed>";
  std::ostringstream out;
  out << elementType() << shapeToString() << " of";
  constexpr std::size_t MostNames = 4;
  std::set<std::uint32_t> seen;
  view->forEachRun([&](const Run &run) {
    if (seen.insert(run.variable).second && seen.size() <= MostNames)
      out << " '" << view->graph->variables[run.variable].name << "'";
  });
  if (seen.size() > MostNames)
    out << " and " << seen.size() - MostNames << " more";
  return out.str();
}

std::string Tensor::getVarStr() const {
  const TensorView &elements = Access::view(*this);
  std::string names;
  std::set<std::uint32_t> seen;
  elements.forEachRun([&](const Run &run) {
    if (seen.insert(run.variable).second)
      names += (names.empty() ? "" : ",") +
               elements.graph->variables[run.variable].name;
  });
  return names;
}

void Tensor::dump() const { std::cerr << getDebugStr() << '\n'; }
std::ostream &Tensor::output(std::ostream &out) const {
  return out << getDebugStr();
}
std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  return tensor.output(out);
}

// ---- Selection --------------------------------------------------------------

Tensor Tensor::operator[](std::size_t i) const & {
  checkDim(*this, 0, "indexing");
  if (i >= dim(0))
    fail(*this, "indexing", "there is no index " + std::to_string(i));
  TensorView result = *view;
  result.offset += static_cast<std::int64_t>(i) * result.dims[0].stride;
  result.dims.erase(result.dims.begin());
  return Access::tensor(std::move(result));
}

Tensor Tensor::operator[](std::size_t i) && {
  const Tensor &self = *this;
  return self[i];
}

static void checkRange(const Tensor &tensor, std::size_t begin, std::size_t end,
                       unsigned dimension) {
  if (begin > end || end > tensor.dim(dimension))
    fail(tensor, "slice",
         '[' + std::to_string(begin) + ',' + std::to_string(end) +
             ") is not a range of dimension " + std::to_string(dimension));
}

Tensor Tensor::slice(std::size_t begin, std::size_t end,
                     unsigned dimension) const {
  checkDim(*this, dimension, "slice");
  checkRange(*this, begin, end, dimension);
  TensorView result = *view;
  Dim &sliced = result.dims[dimension];
  result.offset += static_cast<std::int64_t>(begin) * sliced.stride;
  sliced.size = end - begin;
  return Access::tensor(std::move(result));
}

Tensor Tensor::slice(const Interval &region, unsigned dimension) const {
  return slice(region.begin(), region.end(), dimension);
}

Tensor Tensor::slice(ArrayRef<std::size_t> begin,
                     ArrayRef<std::size_t> end) const {
  if (begin.size() != end.size() || begin.size() > rank())
    fail(*this, "slice",
         "the bounds " + text(begin) + " and " + text(end) +
             " need one entry for each dimension");
  Tensor result = *this;
  for (unsigned i = 0; i != begin.size(); ++i)
    result = result.slice(begin[i], end[i], i);
  return result;
}

std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals,
                                   unsigned dimension) const {
  std::vector<Tensor> result;
  result.reserve(intervals.size());
  for (const Interval &interval : intervals)
    result.push_back(slice(interval, dimension));
  return result;
}

/// Concatenates intervals of a one-dimensional tensor without a tensor for
/// each: there may be as many intervals as elements.
static Tensor joinIntervals(const Tensor &tensor,
                            ArrayRef<Interval> intervals) {
  const TensorView &view = Access::view(tensor);
  const Dim &dim = view.dims.front();
  core::RunList list;
  std::size_t count = 0;
  for (const Interval &interval : intervals) {
    checkRange(tensor, interval.begin(), interval.end(), 0);
    count += interval.size();
    view.base->walk(view.offset + static_cast<std::int64_t>(interval.begin()) *
                                      dim.stride,
                    dim.stride, interval.size(),
                    [&](const core::Run &run) { list.append(run); });
  }
  TensorView result(view.graph, view.type, list.take(), {&count, 1});
  result.metadata = view.metadata;
  return Access::tensor(std::move(result));
}

std::vector<Tensor>
Tensor::slices(const std::vector<std::vector<Interval>> &intervals,
               unsigned dimension) const {
  checkDim(*this, dimension, "slice");
  std::vector<Tensor> result;
  result.reserve(intervals.size());
  for (const std::vector<Interval> &group : intervals)
    if (group.empty())
      result.push_back(slice(0, 0, dimension));
    else if (rank() == 1)
      result.push_back(joinIntervals(*this, group));
    else
      result.push_back(concat(slices(group, dimension), dimension));
  return result;
}

std::vector<Tensor> Tensor::slices(ArrayRef<unsigned> indices,
                                   unsigned dimension) const {
  std::vector<Tensor> result;
  for (unsigned i : indices)
    result.push_back(slice(i, i + 1, dimension));
  return result;
}

Tensor Tensor::index(ArrayRef<std::size_t> indices) const {
  Tensor result = *this;
  for (std::size_t i : indices)
    result = result[i];
  return result;
}

Tensor Tensor::subSample(unsigned stride, unsigned dimension) const {
  checkDim(*this, dimension, "subSample");
  if (stride == 0)
    fail(*this, "subSample", "the stride is 0");
  TensorView result = *view;
  Dim &sampled = result.dims[dimension];
  sampled.size = (sampled.size + stride - 1) / stride;
  sampled.stride *= stride;
  return Access::tensor(std::move(result));
}

// ---- Rearrangement ----------------------------------------------------------

Tensor Tensor::flatten() const {
  const std::size_t size = numElements();
  return reshape(ArrayRef<std::size_t>(&size, 1));
}

Tensor Tensor::flatten(unsigned dimBegin, unsigned dimEnd) const {
  if (dimBegin > dimEnd || dimEnd > rank())
    fail(*this, "flatten", "the range of dimensions is not one of its");
  std::size_t size = 1;
  for (unsigned i = dimBegin; i != dimEnd; ++i)
    size *= dim(i);
  return reshapePartial(dimBegin, dimEnd, ArrayRef<std::size_t>(&size, 1));
}

Tensor Tensor::reshape(ArrayRef<std::size_t> shape) const {
  std::size_t size = 1;
  for (std::size_t extent : shape)
    size *= extent;
  if (size != numElements())
    fail(*this, "reshape",
         "the shape " + text(shape) + " has another number of elements");
  return Access::tensor(view->reshaped({shape.data(), shape.size()}));
}

Tensor Tensor::reshapePartial(unsigned beginIndex, unsigned endIndex,
                              ArrayRef<std::size_t> newDims) const {
  if (beginIndex > endIndex || endIndex > rank())
    fail(*this, "reshapePartial", "the range of dimensions is not one of its");
  const std::vector<std::size_t> old = shape();
  std::vector<std::size_t> result(old.begin(), old.begin() + beginIndex);
  result.insert(result.end(), newDims.begin(), newDims.end());
  result.insert(result.end(), old.begin() + endIndex, old.end());
  return reshape(result);
}

Tensor Tensor::dimShuffle(ArrayRef<unsigned> permutation) const {
  std::vector<bool> seen(rank());
  std::vector<Dim> dims;
  for (unsigned i : permutation) {
    if (i >= rank() || seen[i])
      fail(*this, "dimShuffle", "the list of dimensions is no permutation");
    seen[i] = true;
    dims.push_back(view->dims[i]);
  }
  if (dims.size() != rank())
    fail(*this, "dimShuffle", "the list of dimensions is not complete");
  return withDims(*view, std::move(dims));
}

Tensor Tensor::dimShufflePartial(ArrayRef<unsigned> source,
                                 ArrayRef<unsigned> destination) const {
  const unsigned none = ~0u;
  std::vector<unsigned> permutation(rank(), none);
  std::vector<bool> moved(rank());
  if (source.size() != destination.size())
    fail(*this, "dimShufflePartial", "the two lists differ in length");
  for (std::size_t i = 0; i != source.size(); ++i) {
    checkDim(*this, source[i], "dimShufflePartial");
    checkDim(*this, destination[i], "dimShufflePartial");
    if (moved[source[i]] || permutation[destination[i]] != none)
      fail(*this, "dimShufflePartial", "a dimension is named twice");
    moved[source[i]] = true;
    permutation[destination[i]] = source[i];
  }
  unsigned next = 0;
  for (unsigned &place : permutation) {
    if (place != none)
      continue;
    while (moved[next])
      ++next;
    place = next++;
  }
  return dimShuffle(permutation);
}

Tensor Tensor::dimRoll(unsigned dimIdx, unsigned newIdx) const {
  return dimShufflePartial(ArrayRef<unsigned>(&dimIdx, 1),
                           ArrayRef<unsigned>(&newIdx, 1));
}

Tensor Tensor::transpose() const {
  if (rank() != 2)
    fail(*this, "transpose", "it is not a matrix; use dimShuffle");
  return dimShuffle({1, 0});
}

Tensor Tensor::expand(ArrayRef<std::size_t> indices) const {
  std::vector<std::size_t> at(indices.begin(), indices.end());
  std::sort(at.begin(), at.end());
  std::vector<Dim> dims = viewOf(*this).dims;
  for (std::size_t i = at.size(); i-- != 0;) {
    if (at[i] > rank())
      fail(*this, "expand",
           "there is no place " + std::to_string(at[i]) + " for a dimension");
    dims.insert(dims.begin() + at[i], Dim{1, 0});
  }
  return withDims(*view, std::move(dims));
}

Tensor Tensor::squeeze(ArrayRef<std::size_t> indices) const {
  std::vector<bool> drop(rank());
  for (std::size_t i : indices) {
    checkDim(*this, i, "squeeze");
    if (dim(i) != 1)
      fail(*this, "squeeze",
           "dimension " + std::to_string(i) + " does not have size 1");
    drop[i] = true;
  }
  std::vector<Dim> dims;
  for (unsigned i = 0; i != rank(); ++i)
    if (!drop[i])
      dims.push_back(view->dims[i]);
  return withDims(*view, std::move(dims));
}

Tensor Tensor::broadcast(unsigned n, unsigned dimension) const {
  checkDim(*this, dimension, "broadcast");
  std::vector<Dim> dims = view->dims;
  if (dims[dimension].size == 1 || n == 0) {
    dims[dimension] = {n * dims[dimension].size, 0};
    return withDims(*view, std::move(dims));
  }
  // Repeats of the whole dimension: an outer dimension that does not move.
  dims.insert(dims.begin() + dimension, Dim{n, 0});
  return withDims(*view, std::move(dims)).flatten(dimension, dimension + 2);
}

Tensor Tensor::upsample(unsigned scale, unsigned dimension,
                        UpsampleMethod) const {
  checkDim(*this, dimension, "upsample");
  std::vector<Dim> dims = view->dims;
  dims.insert(dims.begin() + dimension + 1, Dim{scale, 0});
  return withDims(*view, std::move(dims)).flatten(dimension, dimension + 2);
}

Tensor Tensor::reverse(unsigned dimension) const {
  checkDim(*this, dimension, "reverse");
  TensorView result = *view;
  Dim &reversed = result.dims[dimension];
  if (reversed.size != 0)
    result.offset +=
        static_cast<std::int64_t>(reversed.size - 1) * reversed.stride;
  reversed.stride = -reversed.stride;
  return Access::tensor(std::move(result));
}

Tensor Tensor::reinterpret(const Type &type) const {
  core::requireValid(type, "the new type of reinterpret");
  if (core::sizeOf(type) != core::sizeOf(elementType()))
    fail(*this, "reinterpret",
         "elements of type " + elementType().toString() + " and " +
             type.toString() + " differ in size");
  TensorView result = *view;
  result.type = type;
  if (type != QUARTER)
    result.metadata = nullptr;
  return Access::tensor(std::move(result));
}

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension) {
  if (tensors.empty())
    throw poplar_error("concat needs at least one tensor");
  std::vector<const TensorView *> views;
  for (const Tensor &tensor : tensors) {
    views.push_back(&viewOf(tensor));
    if (views.back()->graph != views.front()->graph)
      fail(tensor, "concat", "it is of another graph than the first tensor");
    checkDim(tensor, dimension, "concat");
    const Tensor &first = tensors[0];
    if (tensor.elementType() != first.elementType())
      fail(tensor, "concat",
           "its elements are " + tensor.elementType().toString() +
               ", those of the first tensor " + first.elementType().toString());
    if (!core::haveSameMetadata(*views.back(), *views.front()))
      fail(tensor, "concat",
           "it has other metadata than the first tensor; all elements of a "
           "tensor share theirs");
    std::vector<std::size_t> expected = first.shape();
    bool agrees = tensor.rank() == first.rank();
    if (agrees) {
      expected[dimension] = tensor.dim(dimension);
      agrees = expected == tensor.shape();
    }
    if (!agrees)
      fail(tensor, "concat",
           "it does not fit the first tensor, of shape " +
               first.shapeToString() + ", along dimension " +
               std::to_string(dimension));
  }
  if (views.size() == 1)
    return tensors[0];
  return Access::tensor(core::concatenate(views, dimension));
}

Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension) {
  const Tensor both[] = {first, second};
  return concat(ArrayRef<Tensor>(both, 2), dimension);
}

Tensor append(const Tensor &first, const Tensor &second, unsigned dimension) {
  const std::size_t at = dimension;
  return concat(first, second.expand(ArrayRef<std::size_t>(&at, 1)), dimension);
}
Tensor append(const Tensor &first, const Tensor &second) {
  return append(first, second, 0);
}

bool Tensor::hasMetadata() const { return viewOf(*this).metadata != nullptr; }

Tensor Tensor::getMetadata() const {
  if (!hasMetadata() && elementType() == QUARTER)
    fail(*this, "getMetadata",
         "it was made without metadata; make it with Graph::addVariable or "
         "Graph::clone of type, metadata and shape or tensor");
  if (!hasMetadata())
    fail(*this, "getMetadata",
         "elements of type " + elementType().toString() + " have no metadata");
  return Access::tensor(*view->metadata);
}

bool Tensor::operator==(const Tensor &other) const {
  if (view == other.view)
    return true;
  if (!view || !other.view || view->life != other.view->life ||
      elementType() != other.elementType() || shape() != other.shape())
    return false;
  return core::areSame(*view, *other.view);
}

} // namespace poplar
