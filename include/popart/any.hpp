// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value of any type, like C++17's std::any.

#ifndef POPULUS_INCLUDE_POPART_ANY_HPP
#define POPULUS_INCLUDE_POPART_ANY_HPP

#include <memory>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace popart {

class any {
  struct Holder {
    virtual ~Holder() {}
    virtual Holder *copy() const = 0;
    virtual const std::type_info &type() const = 0;
  };

  template <class T> struct Value : Holder {
    explicit Value(const T &value) : value(value) {}
    Holder *copy() const override { return new Value(value); }
    const std::type_info &type() const override { return typeid(T); }
    T value;
  };

public:
  any() {}
  any(const any &other) : held(other.held ? other.held->copy() : nullptr) {}
  any(any &&other) = default;
  template <class T, class = typename std::enable_if<!std::is_same<
                         typename std::decay<T>::type, any>::value>::type>
  any(T &&value)
      : held(new Value<typename std::decay<T>::type>(std::forward<T>(value))) {}
  any &operator=(any other) {
    held = std::move(other.held);
    return *this;
  }

  bool empty() const { return !held; }
  const std::type_info &type() const {
    return held ? held->type() : typeid(void);
  }

  template <class T> friend const T *any_cast(const any *operand);

private:
  std::unique_ptr<Holder> held;
};

/// The value if it is a T, else null.
template <class T> const T *any_cast(const any *operand) {
  if (!operand || operand->type() != typeid(T))
    return nullptr;
  return &static_cast<const any::Value<T> *>(operand->held.get())->value;
}

/// The value, which must be a T.
template <class T> T any_cast(const any &operand) {
  const T *value = any_cast<T>(&operand);
  if (!value)
    throw std::bad_cast();
  return *value;
}

} // namespace popart

#endif
