// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poplar::Type, and the conversion of host values to elements of tensors and
// fields.

#include "lib/Poplar/Support/Types.h"

#include <poplar/IeeeHalf.hpp>
#include <poplar/TypeConversion.hpp>

#include "runtime/Target/Half.h"

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <ostream>
#include <type_traits>

namespace poplar {

using populus::runtime::ElementType;

Type BOOL(static_cast<unsigned char>(ElementType::Bool));
Type CHAR(static_cast<unsigned char>(ElementType::Char));
Type SIGNED_CHAR(static_cast<unsigned char>(ElementType::SignedChar));
Type UNSIGNED_CHAR(static_cast<unsigned char>(ElementType::UnsignedChar));
Type SHORT(static_cast<unsigned char>(ElementType::Short));
Type UNSIGNED_SHORT(static_cast<unsigned char>(ElementType::UnsignedShort));
Type INT(static_cast<unsigned char>(ElementType::Int));
Type UNSIGNED_INT(static_cast<unsigned char>(ElementType::UnsignedInt));
Type LONG(static_cast<unsigned char>(ElementType::Long));
Type UNSIGNED_LONG(static_cast<unsigned char>(ElementType::UnsignedLong));
Type LONGLONG(static_cast<unsigned char>(ElementType::LongLong));
Type UNSIGNED_LONGLONG(
    static_cast<unsigned char>(ElementType::UnsignedLongLong));
Type HALF(static_cast<unsigned char>(ElementType::Half));
Type FLOAT(static_cast<unsigned char>(ElementType::Float));
static_assert(Type::QuarterCode ==
              static_cast<unsigned char>(ElementType::Quarter));
Type QUARTER(Type::QuarterCode);
Type QUARTER_METADATA(static_cast<unsigned char>(ElementType::QuarterMetadata));

bool Type::isFloatingPoint() const {
  return *this == QUARTER ||
         (code < populus::runtime::ElementTypes.size() &&
          populus::runtime::info(core::elementType(*this)).isFloatingPoint);
}

bool Type::isIntegral() const {
  return code < populus::runtime::ElementTypes.size() && *this != BOOL &&
         *this != QUARTER_METADATA && !isFloatingPoint();
}

std::string Type::toString() const {
  if (code >= populus::runtime::ElementTypes.size())
    return "<no type>";
  return std::string(populus::runtime::name(core::elementType(*this)));
}

std::ostream &operator<<(std::ostream &out, const Type &type) {
  return out << type.toString();
}

namespace core {

namespace {

template <typename T> T read(const void *place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

/// Calls use(value) with a host value in its own type.
template <typename Use>
void withHostValue(const void *value, const TypeTraits &traits, Use &&use) {
  if (traits.isFloat) {
    if (traits.size == sizeof(float))
      use(read<float>(value));
    else if (traits.size == sizeof(double))
      use(read<double>(value));
    else
      use(static_cast<double>(read<long double>(value)));
    return;
  }
  switch (traits.size) {
  case 1:
    return traits.isSigned ? use(read<std::int8_t>(value))
                           : use(read<std::uint8_t>(value));
  case 2:
    return traits.isSigned ? use(read<std::int16_t>(value))
                           : use(read<std::uint16_t>(value));
  case 4:
    return traits.isSigned ? use(read<std::int32_t>(value))
                           : use(read<std::uint32_t>(value));
  default:
    return traits.isSigned ? use(read<std::int64_t>(value))
                           : use(read<std::uint64_t>(value));
  }
}

template <typename D, typename S> D convertInteger(S value) {
  if constexpr (std::is_floating_point_v<S>) {
    // An out-of-range cast is undefined; through 64 bits it wraps.
    if (!(value > -9.3e18 && value < 1.9e19))
      return 0;
    return value < 0 ? static_cast<D>(static_cast<std::int64_t>(value))
                     : static_cast<D>(static_cast<std::uint64_t>(value));
  } else {
    return static_cast<D>(value);
  }
}

/// A plain number cannot initialise a QUARTER or its metadata.
void requireNumber(Type type) {
  if (type == QUARTER)
    throw type_error("values become elements of type quarter only by metadata; "
                     "give them, or use a tensor that has them");
  if (type == QUARTER_METADATA)
    throw type_error("a value was given for an element of type "
                     "quarter_metadata; use createConstantMetadataTensor");
}

template <typename S> void store(Type type, S value, std::uint8_t *place) {
  const auto put = [&](auto stored) {
    std::memcpy(place, &stored, sizeof(stored));
  };
  switch (elementType(type)) {
  case ElementType::Bool:
    return put(static_cast<std::uint8_t>(value != 0));
  case ElementType::Half:
    return put(populus::runtime::floatToHalf(static_cast<float>(value)));
  case ElementType::Float:
    return put(static_cast<float>(value));
  default:
    break;
  }
  switch (sizeOf(type)) {
  case 1:
    return put(convertInteger<std::uint8_t>(value));
  case 2:
    return put(convertInteger<std::uint16_t>(value));
  case 4:
    return put(convertInteger<std::uint32_t>(value));
  default:
    return put(convertInteger<std::uint64_t>(value));
  }
}

} // namespace

void requireValid(Type type, const char *what) {
  if (type.getCode() >= populus::runtime::ElementTypes.size())
    throw type_error(std::string(what) +
                     " has no element type; use FLOAT, INT, ...");
}

std::vector<std::uint8_t> convertToDevice(Type type, const void *values,
                                          std::size_t count,
                                          const TypeTraits &traits) {
  requireNumber(type);
  const unsigned bytes = sizeOf(type);
  std::vector<std::uint8_t> result(count * bytes);
  const char *source = static_cast<const char *>(values);
  for (std::size_t i = 0; i != count; ++i)
    withHostValue(source + i * traits.size, traits, [&](auto value) {
      store(type, value, result.data() + i * bytes);
    });
  return result;
}

double hostNumber(const void *value, const TypeTraits &traits) {
  double number = 0;
  withHostValue(value, traits,
                [&](auto v) { number = static_cast<double>(v); });
  return number;
}

long double deviceNumber(Type type, const void *value) {
  requireNumber(type);
  const auto &info = populus::runtime::info(elementType(type));
  if (type == HALF)
    return populus::runtime::halfToFloat(read<std::uint16_t>(value));
  long double number = 0;
  const TypeTraits traits = {info.bytes, info.bytes, info.isSigned,
                             !info.isFloatingPoint, info.isFloatingPoint};
  withHostValue(value, traits,
                [&](auto v) { number = static_cast<long double>(v); });
  return number;
}

void convertToDeviceType(const Type &type, const void *source,
                         const TypeTraits &traits, std::size_t count,
                         void *destination, bool nanOnOverflow) {
  requireValid(type, "convertToDeviceType");
  const std::vector<std::uint8_t> bytes =
      convertToDevice(type, source, count, traits);
  std::copy(bytes.begin(), bytes.end(),
            static_cast<std::uint8_t *>(destination));
  if (!nanOnOverflow || type != HALF)
    return;
  constexpr std::uint16_t Infinity = 0x7c00, Nan = 0x7e00;
  auto *halves = static_cast<std::uint8_t *>(destination);
  for (std::size_t i = 0; i != count; ++i)
    if ((read<std::uint16_t>(halves + 2 * i) & 0x7fff) == Infinity)
      std::memcpy(halves + 2 * i, &Nan, sizeof(Nan));
}

namespace {

template <typename T> void put(long double value, void *place) {
  T stored;
  if constexpr (std::is_integral_v<T>)
    stored = convertInteger<T>(value);
  else
    stored = static_cast<T>(value);
  std::memcpy(place, &stored, sizeof(stored));
}

void storeHostValue(long double value, const TypeTraits &traits, void *place) {
  if (traits.isFloat)
    return traits.size == sizeof(float)    ? put<float>(value, place)
           : traits.size == sizeof(double) ? put<double>(value, place)
                                           : put<long double>(value, place);
  switch (traits.size) {
  case 1:
    return put<std::uint8_t>(value, place);
  case 2:
    return put<std::uint16_t>(value, place);
  case 4:
    return put<std::uint32_t>(value, place);
  default:
    return put<std::uint64_t>(value, place);
  }
}

} // namespace

void storeHostNumber(double value, const TypeTraits &traits, void *place) {
  storeHostValue(value, traits, place);
}

unsigned short halfFromFloat(float value) {
  return populus::runtime::floatToHalf(value);
}
float halfToFloat(unsigned short bits) {
  return populus::runtime::halfToFloat(bits);
}

// A long double has the digits of every element type.
void convertFromDeviceType(const Type &type, const void *source,
                           const TypeTraits &traits, std::size_t count,
                           void *destination) {
  requireValid(type, "convertFromDeviceType");
  for (std::size_t i = 0; i != count; ++i)
    storeHostValue(deviceNumber(type, static_cast<const char *>(source) +
                                          i * sizeOf(type)),
                   traits, static_cast<char *>(destination) + i * traits.size);
}

} // namespace core

} // namespace poplar
