// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A view of a contiguous sequence of values that another object owns. Functions
// take lists in this form, whatever container the caller has. A view must not
// outlive the call.

#ifndef POPULUS_INCLUDE_POPLAR_ARRAYREF_HPP
#define POPULUS_INCLUDE_POPLAR_ARRAYREF_HPP

#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

template <typename T> class ArrayRef {
  // A list of a derived class that adds no members (programs) is also a list
  // of its base class.
  template <typename U>
  using EnableIfLaidOutAsT = typename std::enable_if<
      std::is_same<typename std::remove_cv<U>::type, T>::value ||
      (std::is_base_of<T, U>::value && sizeof(T) == sizeof(U))>::type;

  template <typename C>
  using EnableIfContiguous = typename std::enable_if<
      std::is_same<decltype(std::declval<const C &>().data()),
                   const T *>::value &&
      !std::is_base_of<ArrayRef, C>::value &&
      !std::is_convertible<const C &, const T &>::value &&
      (sizeof(std::declval<const C &>().size()) > 0)>::type;

public:
  using value_type = T;
  using size_type = std::size_t;
  using const_iterator = const T *;
  using iterator = const T *;

  ArrayRef() : first(nullptr), count(0) {}
  ArrayRef(const T &value) : first(&value), count(1) {}
  ArrayRef(const T *data, std::size_t size) : first(data), count(size) {}
  ArrayRef(const T *begin, const T *end)
      : first(begin), count(static_cast<std::size_t>(end - begin)) {}
  template <typename U, typename A, typename = EnableIfLaidOutAsT<U>>
  ArrayRef(const std::vector<U, A> &values)
      : first(values.data()), count(values.size()) {}
  /// Views any other container with contiguous elements.
  template <typename C, typename = EnableIfContiguous<C>>
  ArrayRef(const C &values) : first(values.data()), count(values.size()) {}
  template <std::size_t N>
  ArrayRef(const std::array<T, N> &values) : first(values.data()), count(N) {}
  template <std::size_t N>
  ArrayRef(const T (&values)[N]) : first(values), count(N) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  ArrayRef(std::initializer_list<T> values)
      : first(values.begin()), count(values.size()) {}
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9
#pragma GCC diagnostic pop
#endif

  const T *data() const { return first; }
  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
  const T *begin() const { return first; }
  const T *end() const { return first + count; }
  const T *cbegin() const { return begin(); }
  const T *cend() const { return end(); }
  const T &operator[](std::size_t i) const { return first[i]; }
  const T &front() const { return first[0]; }
  const T &back() const { return first[count - 1]; }

  std::vector<T> cloneAsVector() const {
    return std::vector<T>(begin(), end());
  }

private:
  const T *first;
  std::size_t count;
};

#ifdef __cpp_deduction_guides
// Deduces T from the container in ArrayRef(values).
template <typename T> ArrayRef(const T *, std::size_t) -> ArrayRef<T>;
template <typename T> ArrayRef(const T *, const T *) -> ArrayRef<T>;
template <typename T, typename A>
ArrayRef(const std::vector<T, A> &) -> ArrayRef<T>;
template <typename T, std::size_t N>
ArrayRef(const std::array<T, N> &) -> ArrayRef<T>;
template <typename T, std::size_t N> ArrayRef(const T (&)[N]) -> ArrayRef<T>;
template <typename T> ArrayRef(std::initializer_list<T>) -> ArrayRef<T>;
template <typename C>
ArrayRef(const C &)
    -> ArrayRef<typename std::remove_cv<typename std::remove_pointer<
        decltype(std::declval<const C &>().data())>::type>::type>;
#endif

template <typename T>
bool operator==(const ArrayRef<T> &a, const ArrayRef<T> &b) {
  if (a.size() != b.size())
    return false;
  for (std::size_t i = 0; i != a.size(); ++i)
    if (!(a[i] == b[i]))
      return false;
  return true;
}
template <typename T>
bool operator!=(const ArrayRef<T> &a, const ArrayRef<T> &b) {
  return !(a == b);
}

} // namespace poplar

/// Alias for programs written for newer SDK releases.
namespace gccs {
using poplar::ArrayRef;
} // namespace gccs

#endif
