// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata of 8-bit floats.

#include <poplar/Quarter.hpp>

#include <poplar/exceptions.hpp>

#include <ostream>

namespace poplar {

QuarterMetadata::QuarterMetadata(Format format, int scale)
    : format(format), scale(scale) {
  if (scale < -32 || scale > 31)
    throw poplar_error("the scale of 8-bit floats is " + std::to_string(scale) +
                       ", but must be from -32 to 31");
}

std::string toString(QuarterMetadata::Format format) {
  return format == QuarterMetadata::Format::F143 ? "F143" : "F152";
}

std::string QuarterMetadata::toString() const {
  return poplar::toString(format) + " scaled by 2^" + std::to_string(scale);
}

std::ostream &operator<<(std::ostream &out, QuarterMetadata::Format format) {
  return out << toString(format);
}
std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata) {
  return out << metadata.toString();
}

} // namespace poplar
