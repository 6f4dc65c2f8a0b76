// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small utilities for programs: printing and conversion of vectors.

#ifndef POPULUS_INCLUDE_POPART_UTIL_HPP
#define POPULUS_INCLUDE_POPART_UTIL_HPP

#include <cstddef>
#include <ostream>
#include <vector>

namespace popart {

/// "[1 2 3]".
template <class T>
std::ostream &operator<<(std::ostream &out, const std::vector<T> &values) {
  out << '[';
  for (std::size_t i = 0; i != values.size(); ++i)
    out << (i == 0 ? "" : " ") << values[i];
  return out << ']';
}

/// Converts the numbers of a vector to another type.
template <class To, class From>
std::vector<To> vector_cast(const std::vector<From> &values) {
  std::vector<To> result;
  result.reserve(values.size());
  for (const From &value : values)
    result.push_back(static_cast<To>(value));
  return result;
}

} // namespace popart

#endif
