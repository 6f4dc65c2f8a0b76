// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache key of a set of options: a hash of all of them. It supports
// numbers, texts, and containers of them; a struct of options adds its fields
// with
//
//   void addTo(OptionKey &key, const MyOptions &options) {
//     const auto &[first, second] = options;
//     key.add(first, second);
//   }
//
// A new field of the struct breaks the build there, until its author decides if
// it is part of the key.

#ifndef POPULUS_LIB_POPART_SUPPORT_OPTIONKEY_H
#define POPULUS_LIB_POPART_SUPPORT_OPTIONKEY_H

#include "runtime/Support/ContentHash.h"

#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace populus::popir {

class OptionKey {
public:
  /// Extends a hash of everything else that the result depends on.
  explicit OptionKey(const populus::runtime::ContentHash &hash) : hash(hash) {}

  template <class... T> void add(const T &...values) { (addOne(values), ...); }

  const populus::runtime::ContentHash &get() const { return hash; }

private:
  template <class T> void addOne(const std::optional<T> &value) {
    addOne(value.has_value());
    if (value)
      addOne(*value);
  }
  template <class A, class B> void addOne(const std::pair<A, B> &value) {
    add(value.first, value.second);
  }
  template <class T> void addOne(const T &value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      hash.add({reinterpret_cast<const char *>(&value), sizeof(value)});
    } else if constexpr (std::is_convertible_v<const T &, std::string_view>) {
      hash.add(value);
    } else if constexpr (std::ranges::sized_range<T>) {
      addOne(std::ranges::size(value));
      for (const auto &item : value)
        addOne(item);
    } else {
      addTo(*this, value);
    }
  }

  populus::runtime::ContentHash hash;
};

} // namespace populus::popir

#endif
