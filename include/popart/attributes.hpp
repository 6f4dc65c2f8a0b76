// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes of an operator of a model, by name.

#ifndef POPULUS_INCLUDE_POPART_ATTRIBUTES_HPP
#define POPULUS_INCLUDE_POPART_ATTRIBUTES_HPP

#include <popart/any.hpp>
#include <popart/error.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace popart {

class Attributes {
public:
  using Int = std::int64_t;
  using Ints = std::vector<std::int64_t>;
  using Float = float;
  using Floats = std::vector<float>;
  using String = std::string;
  using Strings = std::vector<std::string>;

  bool hasAttribute(const std::string &key) const {
    return values.count(key) != 0;
  }
  std::vector<std::string> getNames() const {
    std::vector<std::string> names;
    for (const auto &item : values)
      names.push_back(item.first);
    return names;
  }

  /// Returns an attribute that is present.
  const any &getAny(const std::string &key) const { return values.at(key); }

  /// Returns the value of an attribute of type T. If the attribute is absent,
  /// the second form returns the default and the first throws.
  template <class T> T getAttribute(const std::string &key) const {
    const auto found = values.find(key);
    if (found == values.end())
      throw error("no attribute key {}", key);
    return valueOf<T>(key, found->second);
  }
  template <class T>
  T getAttribute(const std::string &key, const T &defaultValue) const {
    return hasAttribute(key) ? getAttribute<T>(key) : defaultValue;
  }
  template <class T> void set(T &value, const std::string &key) const {
    value = getAttribute<T>(key);
  }
  template <class T> void setIfPresent(T &value, const std::string &key) const {
    if (hasAttribute(key))
      value = getAttribute<T>(key);
  }

  /// Adds an attribute: a number of 64 bits, a float, a string, or a vector of
  /// one of these.
  template <class T> void setAttribute(const std::string &key, const T &value) {
    values[key] = any(value);
  }

private:
  template <class T>
  static T valueOf(const std::string &key, const any &value) {
    if (const T *found = any_cast<T>(&value))
      return *found;
    throw error("attribute {} is of another type than is asked for", key);
  }

  std::map<std::string, any> values;
};

} // namespace popart

#endif
