// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optional value, like C++17's std::optional, under the name of the library
// that programs expect here. The class is the same in every version of C++, so
// programs and libraries compiled for different versions agree about its
// layout.

#ifndef POPULUS_INCLUDE_POPART_VENDORED_OPTIONAL_HPP
#define POPULUS_INCLUDE_POPART_VENDORED_OPTIONAL_HPP

#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace nonstd {

struct nullopt_t {
  explicit nullopt_t(int) {}
};
static const nullopt_t nullopt(0);

class bad_optional_access : public std::logic_error {
public:
  bad_optional_access() : std::logic_error("an optional has no value") {}
};

template <class T> class optional {
public:
  using value_type = T;

  optional() {}
  optional(nullopt_t) {}
  optional(const optional &other) {
    if (other)
      construct(*other);
  }
  optional(optional &&other) {
    if (other)
      construct(std::move(*other));
  }
  template <
      class U = T,
      class = typename std::enable_if<
          std::is_constructible<T, U &&>::value &&
          !std::is_same<typename std::decay<U>::type, optional>::value &&
          !std::is_same<typename std::decay<U>::type, nullopt_t>::value>::type>
  optional(U &&value) {
    construct(std::forward<U>(value));
  }
  ~optional() { reset(); }

  optional &operator=(optional other) {
    reset();
    if (other)
      construct(std::move(*other));
    return *this;
  }
  template <class... Args> T &emplace(Args &&...args) {
    reset();
    construct(std::forward<Args>(args)...);
    return **this;
  }
  void reset() {
    if (isThere)
      (**this).~T();
    isThere = false;
  }

  explicit operator bool() const { return isThere; }
  bool has_value() const { return isThere; }
  T &operator*() { return *reinterpret_cast<T *>(&storage); }
  const T &operator*() const { return *reinterpret_cast<const T *>(&storage); }
  T *operator->() { return std::addressof(**this); }
  const T *operator->() const { return std::addressof(**this); }
  T &value() {
    require();
    return **this;
  }
  const T &value() const {
    require();
    return **this;
  }
  template <class U> T value_or(U &&other) const {
    return isThere ? **this : static_cast<T>(std::forward<U>(other));
  }

private:
  template <class... Args> void construct(Args &&...args) {
    ::new (static_cast<void *>(&storage)) T(std::forward<Args>(args)...);
    isThere = true;
  }
  void require() const {
    if (!isThere)
      throw bad_optional_access();
  }

  typename std::aligned_storage<sizeof(T), alignof(T)>::type storage;
  bool isThere = false;
};

template <class T> bool operator==(const optional<T> &a, const optional<T> &b) {
  return bool(a) == bool(b) && (!a || *a == *b);
}
template <class T> bool operator!=(const optional<T> &a, const optional<T> &b) {
  return !(a == b);
}
/// An empty optional is less than any value.
template <class T> bool operator<(const optional<T> &a, const optional<T> &b) {
  return b && (!a || *a < *b);
}
template <class T> bool operator==(const optional<T> &a, nullopt_t) {
  return !a;
}
template <class T> bool operator!=(const optional<T> &a, nullopt_t) {
  return bool(a);
}
template <class T> bool operator==(const optional<T> &a, const T &b) {
  return a && *a == b;
}
template <class T> bool operator!=(const optional<T> &a, const T &b) {
  return !(a == b);
}

template <class T>
optional<typename std::decay<T>::type> make_optional(T &&value) {
  return optional<typename std::decay<T>::type>(std::forward<T>(value));
}

} // namespace nonstd

#endif
