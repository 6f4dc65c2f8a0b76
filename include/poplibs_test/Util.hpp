// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The helpers of poplar_test/Util.hpp by the name that tests of libraries use,
// and comparisons that print the differences. The comparisons stand here only:
// tests that open both namespaces, or declare their own, call them without
// ambiguity.

#ifndef POPULUS_POPLIBS_TEST_UTIL_HPP
#define POPULUS_POPLIBS_TEST_UTIL_HPP

#include <poplar_test/Util.hpp>

#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <vector>

namespace poplibs_test {
namespace util {

using namespace poplar_test;

/// Returns true if the numbers are equal or differ by at most the tolerances.
inline bool checkIsClose(double a, double b, double relativeTolerance,
                         double absoluteTolerance = 0) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return true;
  if (!std::isfinite(a) || !std::isfinite(b))
    return false;
  return std::abs(a - b) <= absoluteTolerance + relativeTolerance * std::abs(b);
}

/// The same for lists, of which the differences are printed, up to a few.
template <typename T>
bool checkIsClose(const std::string &name, const T *actual,
                  const std::vector<std::size_t> &shape, const T *expected,
                  std::size_t count, double relativeTolerance,
                  double absoluteTolerance = 0) {
  constexpr unsigned MostPrinted = 16;
  unsigned differences = 0;
  for (std::size_t i = 0; i != count; ++i) {
    if (checkIsClose(static_cast<double>(actual[i]),
                     static_cast<double>(expected[i]), relativeTolerance,
                     absoluteTolerance))
      continue;
    if (++differences > MostPrinted)
      continue;
    std::string place;
    for (std::size_t d = shape.size(), rest = i; d-- != 0; rest /= shape[d])
      place = "[" + std::to_string(rest % shape[d]) + "]" + place;
    std::cerr << name << place << ": " << actual[i] << ", but expected "
              << expected[i] << '\n';
  }
  if (differences > MostPrinted)
    std::cerr << name << ": " << differences << " differences\n";
  return differences == 0;
}
template <typename T>
bool checkIsClose(const std::string &name, const std::vector<T> &actual,
                  const std::vector<T> &expected, double relativeTolerance,
                  double absoluteTolerance = 0) {
  if (actual.size() != expected.size()) {
    std::cerr << name << ": " << actual.size() << " elements, but expected "
              << expected.size() << '\n';
    return false;
  }
  return checkIsClose(name, actual.data(), {actual.size()}, expected.data(),
                      actual.size(), relativeTolerance, absoluteTolerance);
}

} // namespace util
} // namespace poplibs_test

#endif
