// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes numbers of eight bits floating point numbers: a format and a
// scale. Tensors of them are not supported yet; programs that only may use them
// compile.

#ifndef POPULUS_INCLUDE_POPLAR_QUARTER_HPP
#define POPULUS_INCLUDE_POPLAR_QUARTER_HPP

#include <iosfwd>
#include <string>

namespace poplar {

class QuarterMetadata {
public:
  /// Four bits of exponent and three of fraction, or five and two.
  enum class Format { F143, F152 };

  QuarterMetadata() : format(Format::F143), scale(0) {}
  /// Numbers are multiplied by two to the power of `scale`, -32 to 31. Throws
  /// poplar_error for others.
  QuarterMetadata(Format format, int scale);

  Format getFormat() const { return format; }
  int getScale() const { return scale; }
  std::string toString() const;

  friend bool operator==(const QuarterMetadata &a, const QuarterMetadata &b) {
    return a.format == b.format && a.scale == b.scale;
  }
  friend bool operator!=(const QuarterMetadata &a, const QuarterMetadata &b) {
    return !(a == b);
  }

private:
  Format format;
  int scale;
};

std::string toString(QuarterMetadata::Format format);
std::ostream &operator<<(std::ostream &out, QuarterMetadata::Format format);
std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata);

} // namespace poplar

#endif
