// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building bases and reshaping boxes; TensorView.h explains the representation.

#include "lib/Poplar/Graph/TensorView.h"

#include "lib/Poplar/Graph/GraphImpl.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>

namespace poplar::core {

void RunList::append(Run run) {
  if (run.count == 0)
    return;
  if (!runs.empty() && runs.back().variable == run.variable) {
    Run &last = runs.back();
    const std::int64_t end =
        last.offset + static_cast<std::int64_t>(last.count) * last.stride;
    const bool sameStride =
        last.count > 1 && (run.count == 1 || run.stride == last.stride);
    if (sameStride && run.offset == end) {
      last.count += run.count;
      return;
    }
    // A single element has no direction yet; it only joins what follows
    // closely, for a guess at a larger stride could break up what comes after.
    const std::int64_t step = run.count == 1 ? 1 : run.stride;
    if (last.count == 1 && last.offset + step == run.offset) {
      last.stride = step;
      last.count += run.count;
      return;
    }
  }
  runs.push_back(run);
}

Base::Base(std::vector<Run> list) : runs(std::move(list)) {
  starts.reserve(runs.size());
  for (const Run &run : runs) {
    starts.push_back(total);
    total += run.count;
  }
}

// Runs mostly have much the same length, so the first guess is right or close.
std::size_t Base::find(std::uint64_t position) const {
  if (runs.size() == 1)
    return 0;
  const std::size_t guess = position * runs.size() / total;
  auto first = starts.begin(), last = starts.end();
  if (starts[guess] > position) {
    last = first + static_cast<std::ptrdiff_t>(guess);
    if (position >= last[-1])
      return guess - 1;
  } else {
    first += static_cast<std::ptrdiff_t>(guess);
    if (guess + 1 == runs.size() || position < first[1])
      return guess;
  }
  return static_cast<std::size_t>(std::upper_bound(first, last, position) -
                                  starts.begin()) -
         1;
}

/// Returns the number of steps of \p stride that stay in a run of \p count
/// elements, starting at \p inside.
static std::uint64_t stepsInside(std::int64_t inside, std::uint64_t count,
                                 std::int64_t stride) {
  if (stride == 0)
    return std::numeric_limits<std::uint64_t>::max();
  const std::int64_t left =
      stride > 0 ? static_cast<std::int64_t>(count) - 1 - inside : inside;
  return static_cast<std::uint64_t>(left / std::abs(stride)) + 1;
}

std::uint64_t Base::findRow(std::int64_t position, const Dim &outer,
                            const Dim &inner, std::uint64_t rows,
                            std::vector<RowPiece> &row) const {
  row.clear();
  for (std::uint64_t left = inner.size; left != 0;) {
    const std::size_t i = find(static_cast<std::uint64_t>(position));
    const Run &run = runs[i];
    const std::int64_t inside = position - static_cast<std::int64_t>(starts[i]);
    const std::uint64_t here =
        std::min(left, stepsInside(inside, run.count, inner.stride));
    const std::int64_t last =
        inside + static_cast<std::int64_t>(here - 1) * inner.stride;
    rows = std::min({rows, stepsInside(inside, run.count, outer.stride),
                     stepsInside(last, run.count, outer.stride)});
    if (rows == 1)
      return 1;
    const Run piece{run.variable, run.offset + inside * run.stride,
                    run.stride * inner.stride, here};
    const std::int64_t step = run.stride * outer.stride;
    const bool continues =
        here == 1 && !row.empty() && row.back().step == step &&
        row.back().run.variable == run.variable &&
        (row.back().run.count == 1 || row.back().run.stride == 1) &&
        row.back().run.offset +
                static_cast<std::int64_t>(row.back().run.count) ==
            piece.offset;
    if (continues) {
      row.back().run.stride = 1;
      ++row.back().run.count;
    } else {
      row.push_back({piece, step});
    }
    position += inner.stride * static_cast<std::int64_t>(here);
    left -= here;
  }
  return rows;
}

std::vector<Dim> joinDims(std::span<const Dim> dims) {
  std::vector<Dim> joined;
  for (const Dim &dim : dims) {
    if (dim.size == 1)
      continue;
    if (!joined.empty() &&
        joined.back().stride ==
            static_cast<std::int64_t>(dim.size) * dim.stride) {
      joined.back().size *= dim.size;
      joined.back().stride = dim.stride;
    } else {
      joined.push_back(dim);
    }
  }
  return joined;
}

namespace {

std::vector<Dim> rowMajor(std::span<const std::size_t> shape) {
  std::vector<Dim> dims(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- != 0;) {
    dims[i] = {shape[i], stride};
    stride *= static_cast<std::int64_t>(shape[i]);
  }
  return dims;
}

std::uint64_t product(std::span<const std::size_t> shape) {
  std::uint64_t result = 1;
  for (std::size_t extent : shape)
    result *= extent;
  return result;
}

/// Returns a box of another shape over the same positions, if one exists: every
/// new dimension must come from a single joined old one.
std::optional<std::vector<Dim>> reshapeBox(std::span<const Dim> dims,
                                           std::span<const std::size_t> shape) {
  const std::vector<Dim> joined = joinDims(dims);
  std::vector<Dim> result(shape.size());
  std::size_t next = joined.size();
  std::uint64_t left = 1; // of the joined dimension in work, innermost first
  std::int64_t stride = 0;
  for (std::size_t i = shape.size(); i-- != 0;) {
    if (shape[i] == 1) {
      result[i] = {1, 0};
      continue;
    }
    if (left == 1) {
      if (next == 0)
        return std::nullopt;
      --next;
      left = joined[next].size;
      stride = joined[next].stride;
    }
    if (left % shape[i] != 0)
      return std::nullopt;
    result[i] = {shape[i], stride};
    left /= shape[i];
    stride *= static_cast<std::int64_t>(shape[i]);
  }
  return result;
}

} // namespace

TensorView::TensorView(GraphImpl *graph, Type type, std::uint32_t variable,
                       std::span<const std::size_t> shape)
    : TensorView(graph, type,
                 product(shape) == 0
                     ? std::vector<Run>()
                     : std::vector<Run>{{variable, 0, 1, product(shape)}},
                 shape) {}

TensorView::TensorView(GraphImpl *graph, Type type, std::vector<Run> runs,
                       std::span<const std::size_t> shape)
    : graph(graph), life(graph->life), type(type), dims(rowMajor(shape)),
      base(std::make_shared<Base>(std::move(runs))) {}

std::uint64_t TensorView::numElements() const {
  std::uint64_t result = 1;
  for (const Dim &dim : dims)
    result *= dim.size;
  return result;
}

std::vector<std::size_t> TensorView::shape() const {
  std::vector<std::size_t> result(dims.size());
  for (std::size_t i = 0; i != dims.size(); ++i)
    result[i] = dims[i].size;
  return result;
}

std::vector<Run> TensorView::runs() const {
  RunList list;
  forEachRun([&](const Run &run) { list.append(run); });
  return list.take();
}

TensorView TensorView::withOwnBase() const {
  const std::size_t size = numElements();
  TensorView result(graph, type, runs(), {&size, 1});
  result.metadata = metadata;
  return result;
}

bool TensorView::isPermutationOfBase() const {
  if (numElements() != base->size())
    return false;
  std::vector<Dim> inner = joinDims(dims);
  for (Dim &dim : inner)
    dim.stride = std::abs(dim.stride);
  std::sort(inner.begin(), inner.end(),
            [](const Dim &a, const Dim &b) { return a.stride < b.stride; });
  std::uint64_t elements = 1;
  return std::all_of(inner.begin(), inner.end(), [&](const Dim &dim) {
    const bool isNext = static_cast<std::uint64_t>(dim.stride) == elements;
    elements *= dim.size;
    return isNext;
  });
}

TensorView TensorView::wholeBase() const {
  TensorView result = *this;
  result.offset = 0;
  result.dims = {{base->size(), 1}};
  return result;
}

TensorView TensorView::reshaped(std::span<const std::size_t> shape) const {
  TensorView result = *this;
  if (numElements() == 0) {
    result.dims = rowMajor(shape);
    return result;
  }
  if (std::optional<std::vector<Dim>> box = reshapeBox(dims, shape)) {
    result.dims = std::move(*box);
    return result;
  }
  result = withOwnBase();
  result.dims = rowMajor(shape);
  return result;
}

namespace {

/// Cursor over a list of runs, by elements.
class RunCursor {
public:
  explicit RunCursor(const std::vector<Run> &runs) : runs(runs) {}
  bool atEnd() const { return index == runs.size(); }
  /// Elements left in the current run.
  std::uint64_t left() const { return runs[index].count - done; }
  Run next(std::uint64_t count) {
    Run part = runs[index];
    part.offset += static_cast<std::int64_t>(done) * part.stride;
    part.count = count;
    done += count;
    if (done == runs[index].count) {
      ++index;
      done = 0;
    }
    return part;
  }

private:
  const std::vector<Run> &runs;
  std::size_t index = 0;
  std::uint64_t done = 0;
};

Run firstElement(const TensorView &view) {
  Run first;
  view.base->walk(view.offset, 0, 1, [&](const Run &run) { first = run; });
  return first;
}

} // namespace

bool areSame(const TensorView &a, const TensorView &b) {
  if (a.numElements() != b.numElements())
    return false;
  if (a.numElements() == 0)
    return true;
  // Most views that differ begin differently.
  const Run firstOfA = firstElement(a), firstOfB = firstElement(b);
  if (firstOfA.variable != firstOfB.variable ||
      firstOfA.offset != firstOfB.offset)
    return false;
  const std::vector<Run> runsOfA = a.runs(), runsOfB = b.runs();
  RunCursor left(runsOfA), right(runsOfB);
  while (!left.atEnd()) {
    const std::uint64_t count = std::min(left.left(), right.left());
    const Run x = left.next(count), y = right.next(count);
    if (x.variable != y.variable || x.offset != y.offset ||
        (count != 1 && x.stride != y.stride))
      return false;
  }
  return true;
}

TensorView concatenate(std::span<const TensorView *const> views,
                       unsigned dimension) {
  const TensorView &first = *views.front();
  std::vector<std::size_t> shape = first.shape();
  shape[dimension] = 0;
  for (const TensorView *view : views)
    shape[dimension] += view->dims[dimension].size;

  std::vector<std::vector<Dim>> inner;
  for (const TensorView *view : views)
    inner.push_back(joinDims(std::span(view->dims).subspan(dimension)));

  // For each index of the dimensions before, the parts of all views in turn.
  RunList list;
  const std::uint64_t outer = product(std::span(shape).subspan(0, dimension));
  for (std::uint64_t i = 0; product(shape) != 0 && i != outer; ++i)
    for (std::size_t v = 0; v != views.size(); ++v) {
      const TensorView &view = *views[v];
      if (view.numElements() == 0)
        continue;
      std::int64_t position = view.offset;
      std::uint64_t rest = i;
      for (unsigned d = dimension; d-- != 0;) {
        position += static_cast<std::int64_t>(rest % view.dims[d].size) *
                    view.dims[d].stride;
        rest /= view.dims[d].size;
      }
      view.walkBox(inner[v], position,
                   [&](const Run &run) { list.append(run); });
    }
  TensorView result(first.graph, first.type, list.take(), shape);
  result.metadata = first.metadata;
  return result;
}

} // namespace poplar::core
