// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small helpers on tensors and sizes, and the exception type.

#include <poputil/Util.hpp>

#include <poputil/exceptions.hpp>

#include "lib/PopLibs/poputil/Aliases.h"

#include <algorithm>
#include <cmath>

using namespace poplar;
using namespace poplar::program;

namespace poputil {

poplibs_error::poplibs_error(const std::string &message)
    : std::runtime_error(message), type("poplibs_error") {}
poplibs_error::poplibs_error(const char *message)
    : poplibs_error(std::string(message)) {}

void removeCommonAliases(const Graph &graph, Tensor &a, Tensor &b) {
  if (!b.containsAliases())
    return;
  const Tensor flat = b.flatten();
  const std::vector<Interval> once =
      flattenIntervals(graph.getSortedContiguousRegions(
          flat, {Interval(0, flat.numElements())}, true));
  a = concat(a.flatten().slices(once));
  b = concat(flat.slices(once));
}

Tensor duplicate(Graph &graph, const Tensor &in, Sequence &prog,
                 const DebugContext &debugContext, TensorCloneMethod method) {
  Tensor copy = graph.clone(in, debugContext, method);
  Tensor from = in, to = copy;
  removeCommonAliases(graph, from, to);
  prog.add(Copy(from, to, false, debugContext));
  return copy;
}

Tensor cloneN(Graph &graph, const Tensor &t, unsigned N,
              const DebugContext &debugContext, TensorCloneMethod method) {
  if (N == 0)
    throw poplibs_error("poputil::cloneN: the number of clones is 0");
  std::vector<Tensor> clones;
  for (unsigned i = 0; i != N; ++i)
    clones.push_back(graph.clone(t, debugContext, method).expand({0}));
  return concat(clones);
}

double castToDeviceHalfValue(const Target &target, double input) {
  char half[2];
  double result = 0;
  copyDoubleToDeviceHalf(target, &input, half, 1);
  copyDeviceHalfToDouble(target, half, &result, 1);
  return result;
}

bool checkAccuracyWhenCast(const Target &target, double input, Type inputType,
                           Type outputType, double tolerance) {
  for (const Type &type : {inputType, outputType})
    if (type != FLOAT && type != HALF)
      throw poplibs_error("poputil::checkAccuracyWhenCast: type " +
                          std::string(type.toString()) +
                          "; both must be float or half");
  const auto rounded = [&](double value, const Type &type) {
    return type == HALF ? castToDeviceHalfValue(target, value)
                        : static_cast<double>(static_cast<float>(value));
  };
  const double before = rounded(input, inputType);
  const double after = rounded(before, outputType);
  return std::isfinite(after) &&
         std::abs(after - before) <= tolerance * std::abs(before);
}

std::vector<Interval>
calculateUnshufflingIntervals(const std::vector<Interval> &intervals) {
  std::vector<std::pair<std::size_t, Interval>> places;
  std::size_t at = 0;
  for (const Interval &interval : intervals) {
    places.emplace_back(interval.begin(), Interval(at, at + interval.size()));
    at += interval.size();
  }
  std::sort(places.begin(), places.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<Interval> result;
  for (const auto &place : places)
    result.push_back(place.second);
  return result;
}

std::vector<int> balancedPartition(int upper, int splits) {
  if (splits <= 0)
    throw poplibs_error("balancedPartition: the number of splits must be "
                        "positive, it is " +
                        std::to_string(splits));
  std::vector<int> parts(splits, upper / splits);
  for (int i = 0; i != upper % splits; ++i)
    ++parts[i];
  return parts;
}

Tensor factorDims(const Tensor &t, const std::vector<std::size_t> &factors,
                  unsigned startDim) {
  const unsigned n = factors.size();
  if (startDim + n > t.rank())
    throw poplibs_error("factorDims: more factors than dimensions");
  std::vector<std::size_t> split;
  std::vector<unsigned> from, to;
  for (unsigned i = 0; i != n; ++i) {
    const std::size_t extent = t.dim(startDim + i);
    if (factors[i] == 0 || extent % factors[i] != 0)
      throw poplibs_error("factorDims: " + std::to_string(factors[i]) +
                          " does not divide extent " + std::to_string(extent));
    split.push_back(extent / factors[i]);
    split.push_back(factors[i]);
    from.push_back(startDim + 2 * i + 1);
    to.push_back(startDim + n + i);
  }
  return t.reshapePartial(startDim, startDim + n, split)
      .dimShufflePartial(from, to);
}

Tensor unfactorDims(const Tensor &t, unsigned numDims, unsigned startDim) {
  if (startDim + 2 * numDims > t.rank())
    throw poplibs_error("unfactorDims: fewer dimensions than twice numDims");
  std::vector<unsigned> from, to;
  std::vector<std::size_t> joined;
  for (unsigned i = 0; i != numDims; ++i) {
    from.push_back(startDim + numDims + i);
    to.push_back(startDim + 2 * i + 1);
    joined.push_back(t.dim(startDim + i) * t.dim(startDim + numDims + i));
  }
  return t.dimShufflePartial(from, to).reshapePartial(
      startDim, startDim + 2 * numDims, joined);
}

} // namespace poputil
