// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Description of a C++ type of the host. libpoplar uses it to convert host
// values to the type of a tensor or field.

#ifndef POPULUS_INCLUDE_POPLAR_TYPETRAITS_HPP
#define POPULUS_INCLUDE_POPLAR_TYPETRAITS_HPP

#include <cstddef>
#include <type_traits>

namespace poplar {

struct TypeTraits {
  std::size_t size;
  std::size_t align;
  bool isSigned;
  bool isIntegral;
  bool isFloat;

  /// Returns true if libpoplar can convert values of T.
  template <typename T> static constexpr bool isSimpleType() {
    return std::is_arithmetic<T>::value || std::is_enum<T>::value;
  }

  template <typename T> static constexpr TypeTraits make() {
    static_assert(isSimpleType<T>(), "a number, bool or enumeration is needed");
    return TypeTraits{sizeof(T), alignof(T), isSignedType<T>(),
                      !std::is_floating_point<T>::value,
                      std::is_floating_point<T>::value};
  }

private:
  template <typename T> static constexpr bool isSignedType() {
    return static_cast<T>(-1) < static_cast<T>(0);
  }
};

} // namespace poplar

#endif
