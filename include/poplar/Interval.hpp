// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A half-open range of indices, [begin, end): the currency of slices and tile
// mappings.

#ifndef POPULUS_INCLUDE_POPLAR_INTERVAL_HPP
#define POPULUS_INCLUDE_POPLAR_INTERVAL_HPP

#include <cstddef>
#include <ostream>

namespace poplar {

template <typename T> class GenericInterval {
public:
  constexpr GenericInterval() : first(), last() {}
  constexpr GenericInterval(T begin, T end) : first(begin), last(end) {}

  constexpr const T &begin() const { return first; }
  constexpr const T &end() const { return last; }
  constexpr const T &lower() const { return first; }
  constexpr const T &upper() const { return last; }
  constexpr T size() const { return last - first; }

  friend bool operator==(const GenericInterval &a, const GenericInterval &b) {
    return a.first == b.first && a.last == b.last;
  }
  friend bool operator!=(const GenericInterval &a, const GenericInterval &b) {
    return !(a == b);
  }
  friend bool operator<(const GenericInterval &a, const GenericInterval &b) {
    return a.first < b.first || (a.first == b.first && a.last < b.last);
  }
  friend bool operator>(const GenericInterval &a, const GenericInterval &b) {
    return b < a;
  }
  friend bool operator<=(const GenericInterval &a, const GenericInterval &b) {
    return !(b < a);
  }
  friend bool operator>=(const GenericInterval &a, const GenericInterval &b) {
    return !(a < b);
  }
  friend std::ostream &operator<<(std::ostream &out,
                                  const GenericInterval &interval) {
    return out << '[' << interval.first << ',' << interval.last << ')';
  }

private:
  T first, last;
};

using Interval = GenericInterval<std::size_t>;

} // namespace poplar

#endif
