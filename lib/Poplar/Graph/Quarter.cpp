// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of host values to quarters, and the choice of a scale.
// include/poplar/QuarterConversion.hpp defines the bits.

#include "lib/Poplar/Graph/Quarters.h"

#include "lib/Poplar/Support/Types.h"

#include <poplar/TypeConversion.hpp>
#include <poplar/exceptions.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <ostream>

namespace poplar {

QuarterMetadata::QuarterMetadata(Format format, int scale)
    : binary(float8::pack({format == Format::F143, scale})) {
  if (scale < float8::LeastScale || scale > float8::GreatestScale)
    throw poplar_error("the scale of 8-bit floats is " + std::to_string(scale) +
                       ", but must be from -32 to 31");
}

std::string toString(QuarterMetadata::Format format) {
  return format == QuarterMetadata::Format::F143 ? "F143" : "F152";
}

std::string QuarterMetadata::toString() const {
  return poplar::toString(getFormat()) + " scaled by 2^" +
         std::to_string(getScale());
}

std::ostream &operator<<(std::ostream &out, QuarterMetadata::Format format) {
  return out << toString(format);
}
std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata) {
  return out << metadata.toString();
}

namespace {

/// Truncates a double to a float that rounds to every shorter format as the
/// double does: the last bit is set if any lower bit was.
float cutOff(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(nearest))
    return nearest;
  std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

std::uint8_t toQuarter(double value, QuarterMetadata metadata,
                       bool nanOnOverflow) {
  return float8::fromFloatBits(std::bit_cast<std::uint32_t>(cutOff(value)),
                               float8::unpack(metadata.getBinary()),
                               nanOnOverflow);
}

template <typename T>
double squareError(ArrayRef<T> values, QuarterMetadata metadata) {
  double sum = 0;
  for (const T value : values) {
    if (!std::isfinite(value))
      continue;
    const double error =
        core::quarterNumber(toQuarter(value, metadata, false), metadata) -
        static_cast<double>(value);
    sum += error * error;
  }
  return sum;
}

/// Picks the scale with the least error. Of equally good scales the one nearest
/// to 0 wins.
template <typename T>
QuarterMetadata bestMetadata(const Type &type, ArrayRef<T> values,
                             QuarterMetadata::Format format) {
  if (type != QUARTER)
    throw type_error("calculateMetadataForConversion: elements of type " +
                     type.toString() + " have no metadata");
  QuarterMetadata best(format, 0);
  double least = squareError(values, best);
  const auto look = [&](int scale) {
    const QuarterMetadata metadata(format, scale);
    if (const double error = squareError(values, metadata); error < least) {
      least = error;
      best = metadata;
    }
  };
  for (int scale = 1; scale <= -float8::LeastScale; ++scale) {
    if (scale <= float8::GreatestScale)
      look(scale);
    look(-scale);
  }
  return best;
}

} // namespace

QuarterMetadata calculateMetadataForConversion(const Type &type,
                                               ArrayRef<float> values,
                                               QuarterMetadata::Format format,
                                               CostMetric) {
  return bestMetadata(type, values, format);
}
QuarterMetadata calculateMetadataForConversion(const Type &type,
                                               ArrayRef<double> values,
                                               QuarterMetadata::Format format,
                                               CostMetric) {
  return bestMetadata(type, values, format);
}

namespace core {

std::vector<std::uint8_t> convertToQuarters(QuarterMetadata metadata,
                                            const void *values,
                                            std::size_t count,
                                            const TypeTraits &traits,
                                            bool nanOnOverflow) {
  std::vector<std::uint8_t> quarters(count);
  const char *value = static_cast<const char *>(values);
  for (std::size_t i = 0; i != count; ++i, value += traits.size)
    quarters[i] = toQuarter(hostNumber(value, traits), metadata, nanOnOverflow);
  return quarters;
}

float quarterNumber(std::uint8_t quarter, QuarterMetadata metadata) {
  return std::bit_cast<float>(
      float8::toFloatBits(quarter, float8::unpack(metadata.getBinary())));
}

void convertToDeviceType(const Type &type, QuarterMetadata metadata,
                         const void *source, const TypeTraits &traits,
                         std::size_t count, void *destination,
                         bool nanOnOverflow) {
  if (type != QUARTER)
    return convertToDeviceType(type, source, traits, count, destination,
                               nanOnOverflow);
  const std::vector<std::uint8_t> quarters =
      convertToQuarters(metadata, source, count, traits, nanOnOverflow);
  std::copy(quarters.begin(), quarters.end(),
            static_cast<std::uint8_t *>(destination));
}

void convertFromDeviceType(const Type &type, QuarterMetadata metadata,
                           const void *source, const TypeTraits &traits,
                           std::size_t count, void *destination) {
  if (type != QUARTER)
    return convertFromDeviceType(type, source, traits, count, destination);
  const auto *quarters = static_cast<const std::uint8_t *>(source);
  for (std::size_t i = 0; i != count; ++i)
    storeHostNumber(quarterNumber(quarters[i], metadata), traits,
                    static_cast<char *>(destination) + i * traits.size);
}

} // namespace core

} // namespace poplar
