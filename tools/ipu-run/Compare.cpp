// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element-wise comparison; the worst element is the one farthest outside of its
// tolerance.

#include "Compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace populus::run {

namespace {

std::vector<std::uint64_t> withoutOnes(std::vector<std::uint64_t> shape) {
  std::erase(shape, 1);
  return shape;
}

std::string position(std::uint64_t index,
                     const std::vector<std::uint64_t> &shape) {
  std::vector<std::uint64_t> indices(shape.size());
  for (std::size_t i = shape.size(); i-- != 0;) {
    indices[i] = index % shape[i];
    index /= shape[i];
  }
  std::string text = "[";
  for (std::size_t i = 0; i != indices.size(); ++i)
    text.append(i == 0 ? "" : ",").append(std::to_string(indices[i]));
  return text + "]";
}

/// Error of an element in units of its tolerance. At most 1 is a match.
double badness(double actual, double expected, const Tolerance &tolerance) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return 0;
  const double difference = std::fabs(actual - expected);
  const double allowed =
      tolerance.absolute + tolerance.relative * std::fabs(expected);
  if (!(difference <= std::numeric_limits<double>::max()))
    return std::numeric_limits<double>::infinity();
  return allowed == 0 ? std::numeric_limits<double>::infinity()
                      : difference / allowed;
}

} // namespace

Comparison compare(const HostTensor &actual, const HostTensor &expected,
                   const Tolerance &tolerance) {
  std::ostringstream text;
  if (withoutOnes(actual.shape) != withoutOnes(expected.shape)) {
    text << "has the shape " << describe(actual.type, actual.shape)
         << " instead of " << describe(expected.type, expected.shape);
    Comparison result;
    result.text = text.str();
    return result;
  }
  const std::uint64_t count = actual.numElements();
  std::uint64_t bad = 0, worst = 0;
  double worstBadness = -1;
  for (std::uint64_t i = 0; i != count; ++i) {
    const double b = badness(elementAsDouble(actual, i),
                             elementAsDouble(expected, i), tolerance);
    bad += b > 1;
    if (b > worstBadness) {
      worstBadness = b;
      worst = i;
    }
  }
  Comparison result{bad == 0, {}, count, bad, {}, 0, 0};
  text.precision(9);
  if (bad != 0)
    text << bad << " of ";
  text << count << " elements " << (bad != 0 ? "differ" : "match") << " (rtol "
       << tolerance.relative << ", atol " << tolerance.absolute << ")";
  if (count != 0 && worstBadness > 0) {
    result.place = position(worst, actual.shape);
    result.actual = elementAsDouble(actual, worst);
    result.expected = elementAsDouble(expected, worst);
    text << "; worst at " << result.place << ": " << result.actual
         << ", expected " << result.expected << ", difference "
         << std::fabs(result.actual - result.expected);
  }
  result.text = text.str();
  return result;
}

} // namespace populus::run
