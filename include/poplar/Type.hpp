// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types of tensors and vertex fields. A Type is a small value. toString
// returns the spelling used in vertex names ("ns::Add<unsigned int>").

#ifndef POPULUS_INCLUDE_POPLAR_TYPE_HPP
#define POPULUS_INCLUDE_POPLAR_TYPE_HPP

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <type_traits>

namespace poplar {

class Type {
public:
  /// An invalid type, to be assigned to.
  constexpr Type() : code(0xff) {}
  /// For use by libpoplar only: `code` is the number of the type in its list.
  constexpr explicit Type(unsigned char code) : code(code) {}

  std::string toString() const;
  /// Returns true if tensors of the type have metadata, as 8-bit floats do.
  bool requiresMetadata() const { return code == QuarterCode; }
  /// Returns true if elements are floating-point numbers of any size.
  bool isFloatingPoint() const;
  /// Returns true if elements are integers. BOOL is not an integer type.
  bool isIntegral() const;
  constexpr unsigned char getCode() const { return code; }

  friend constexpr bool operator==(Type a, Type b) { return a.code == b.code; }
  friend constexpr bool operator!=(Type a, Type b) { return a.code != b.code; }
  friend constexpr bool operator<(Type a, Type b) { return a.code < b.code; }
  friend constexpr bool operator>(Type a, Type b) { return a.code > b.code; }
  friend constexpr bool operator<=(Type a, Type b) { return a.code <= b.code; }
  friend constexpr bool operator>=(Type a, Type b) { return a.code >= b.code; }

  static constexpr unsigned char QuarterCode = 14;

private:
  unsigned char code;
};

std::ostream &operator<<(std::ostream &out, const Type &type);

// Not const, because programs bind them to `Type &`. They must not be assigned
// to.
extern Type BOOL;
extern Type CHAR;
extern Type SIGNED_CHAR;
extern Type UNSIGNED_CHAR;
extern Type SHORT;
extern Type UNSIGNED_SHORT;
extern Type INT;
extern Type UNSIGNED_INT;
extern Type LONG;
extern Type UNSIGNED_LONG;
extern Type LONGLONG;
extern Type UNSIGNED_LONGLONG;
extern Type HALF;
extern Type FLOAT;
/// 8-bit floats, and their metadata (Quarter.hpp).
extern Type QUARTER;
extern Type QUARTER_METADATA;

/// Holds a type's constant as a static member of a template, so that a header
/// can define it.
template <Type &Constant> struct DeviceTypeConstant {
  static const Type &value;
};
template <Type &Constant>
const Type &DeviceTypeConstant<Constant>::value = Constant;

/// Maps a C++ type of the host to a device type:
/// equivalent_device_type<float>::value, or that of an object of it, is FLOAT.
/// Programs may specialise the template.
template <typename T> struct equivalent_device_type {};

#define POPULUS_EQUIVALENT_TYPE(HOST, DEVICE)                                  \
  template <>                                                                  \
  struct equivalent_device_type<HOST> : DeviceTypeConstant<DEVICE> {};
POPULUS_EQUIVALENT_TYPE(bool, BOOL)
POPULUS_EQUIVALENT_TYPE(char, CHAR)
POPULUS_EQUIVALENT_TYPE(signed char, SIGNED_CHAR)
POPULUS_EQUIVALENT_TYPE(unsigned char, UNSIGNED_CHAR)
POPULUS_EQUIVALENT_TYPE(short, SHORT)
POPULUS_EQUIVALENT_TYPE(unsigned short, UNSIGNED_SHORT)
POPULUS_EQUIVALENT_TYPE(int, INT)
POPULUS_EQUIVALENT_TYPE(unsigned int, UNSIGNED_INT)
POPULUS_EQUIVALENT_TYPE(long, LONG)
POPULUS_EQUIVALENT_TYPE(unsigned long, UNSIGNED_LONG)
POPULUS_EQUIVALENT_TYPE(long long, LONGLONG)
POPULUS_EQUIVALENT_TYPE(unsigned long long, UNSIGNED_LONGLONG)
POPULUS_EQUIVALENT_TYPE(float, FLOAT)
#undef POPULUS_EQUIVALENT_TYPE

} // namespace poplar

namespace std {
template <> struct hash<poplar::Type> {
  size_t operator()(const poplar::Type &type) const { return type.getCode(); }
};
} // namespace std

#endif
