// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats of program::PrintTensor.

#ifndef POPULUS_INCLUDE_POPLAR_PRINTTENSOR_HPP
#define POPULUS_INCLUDE_POPLAR_PRINTTENSOR_HPP

#include <cstddef>

namespace poplar {

class PrintTensorFmt {
public:
  /// Auto chooses between Fixed and Scientific by the largest number; None
  /// writes as few digits as the number needs.
  enum class FloatFormat { Auto = 0, Fixed = 1, Scientific = 2, None = 3 };

  /// A tensor of more than `summariseThreshold` elements is shortened to
  /// `edgeItems` at both ends of each dimension. Lines are broken after
  /// `maxLineWidth` characters. `digits` is the number of digits after the
  /// point.
  PrintTensorFmt(unsigned summariseThreshold = 1000, unsigned edgeItems = 3,
                 unsigned maxLineWidth = 75, unsigned digits = 8,
                 FloatFormat floatFormat = FloatFormat::Auto,
                 char separator = ' ', char openBracket = '[',
                 char closeBracket = ']')
      : summariseThreshold(summariseThreshold), edgeItems(edgeItems),
        maxLineWidth(maxLineWidth), digits(digits), floatFormat(floatFormat),
        separator(separator), openBracket(openBracket),
        closeBracket(closeBracket) {}

  unsigned summariseThreshold;
  unsigned edgeItems;
  unsigned maxLineWidth;
  unsigned digits;
  FloatFormat floatFormat;
  char separator;
  char openBracket;
  char closeBracket;
};

} // namespace poplar

#endif
