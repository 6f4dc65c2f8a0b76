// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small utilities for programs: printing and conversion of containers.

#ifndef POPULUS_INCLUDE_POPART_UTIL_HPP
#define POPULUS_INCLUDE_POPART_UTIL_HPP

#include <array>
#include <cstddef>
#include <map>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

namespace popart {

template <class A, class B>
std::ostream &operator<<(std::ostream &out, const std::pair<A, B> &value);
template <class T>
std::ostream &operator<<(std::ostream &out, const std::vector<T> &values);
template <class T, std::size_t N>
std::ostream &operator<<(std::ostream &out, const std::array<T, N> &values);
template <class T>
std::ostream &operator<<(std::ostream &out, const std::set<T> &values);
template <class K, class V>
std::ostream &operator<<(std::ostream &out, const std::map<K, V> &values);

namespace popart_detail {

/// "[1 2 3]".
template <class Container>
std::ostream &print(std::ostream &out, const Container &values) {
  out << '[';
  const char *space = "";
  for (const auto &value : values) {
    out << space << value;
    space = " ";
  }
  return out << ']';
}

} // namespace popart_detail

template <class A, class B>
std::ostream &operator<<(std::ostream &out, const std::pair<A, B> &value) {
  return out << '(' << value.first << ", " << value.second << ')';
}
template <class T>
std::ostream &operator<<(std::ostream &out, const std::vector<T> &values) {
  return popart_detail::print(out, values);
}
template <class T, std::size_t N>
std::ostream &operator<<(std::ostream &out, const std::array<T, N> &values) {
  return popart_detail::print(out, values);
}
template <class T>
std::ostream &operator<<(std::ostream &out, const std::set<T> &values) {
  return popart_detail::print(out, values);
}
template <class K, class V>
std::ostream &operator<<(std::ostream &out, const std::map<K, V> &values) {
  return popart_detail::print(out, values);
}

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
