// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata of 8-bit floating-point numbers: a format and a scale. A tensor of
// type QUARTER has a second tensor of type QUARTER_METADATA with one element
// (MetadataCreation.hpp).

#ifndef POPULUS_INCLUDE_POPLAR_QUARTER_HPP
#define POPULUS_INCLUDE_POPLAR_QUARTER_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/QuarterConversion.hpp>
#include <poplar/Type.hpp>

#include <cstddef>
#include <iosfwd>
#include <string>

namespace poplar {

class QuarterMetadata {
public:
  /// Four bits of exponent and three of fraction, or five and two.
  enum class Format { F143, F152 };

  /// F143 without a scale.
  QuarterMetadata() : QuarterMetadata(float8::pack({true, 0})) {}
  /// The value of a quarter is multiplied by two to the power of `scale`, from
  /// -32 to 31. Throws poplar_error for other scales.
  QuarterMetadata(Format format, int scale);
  /// Takes the byte that represents the metadata in device memory.
  explicit QuarterMetadata(unsigned char binary) : binary(binary) {}

  Format getFormat() const {
    return form().is143 ? Format::F143 : Format::F152;
  }
  int getScale() const { return form().scale; }
  unsigned char getBinary() const { return binary; }
  std::string toString() const;

  friend bool operator==(const QuarterMetadata &a, const QuarterMetadata &b) {
    return a.binary == b.binary;
  }
  friend bool operator!=(const QuarterMetadata &a, const QuarterMetadata &b) {
    return !(a == b);
  }

private:
  float8::Form form() const { return float8::unpack(binary); }

  unsigned char binary;
};

/// Error that calculateMetadataForConversion minimises: the mean square of the
/// differences between values and converted values.
enum class CostMetric { MEAN_SQUARE_ERROR };

/// Returns the metadata with which converting the values to `format` has the
/// least error. `type` is QUARTER.
QuarterMetadata calculateMetadataForConversion(
    const Type &type, ArrayRef<float> values, QuarterMetadata::Format format,
    CostMetric metric = CostMetric::MEAN_SQUARE_ERROR);
QuarterMetadata calculateMetadataForConversion(
    const Type &type, ArrayRef<double> values, QuarterMetadata::Format format,
    CostMetric metric = CostMetric::MEAN_SQUARE_ERROR);

std::string toString(QuarterMetadata::Format format);
std::ostream &operator<<(std::ostream &out, QuarterMetadata::Format format);
std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata);

} // namespace poplar

#endif
