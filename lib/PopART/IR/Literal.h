// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text form of single values of the IR: floats, strings, bytes. Printing and
// parsing again gives the same bits.

#ifndef POPULUS_LIB_POPART_IR_LITERAL_H
#define POPULUS_LIB_POPART_IR_LITERAL_H

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace populus::popir {

/// The shortest text that reads as this value, with a point or an exponent:
/// "1.0", "1e-06", "inf", "nan".
std::string floatText(float value);
std::string floatText(double value);

/// With quotes around it: "a\"b\x0a".
std::string quoted(std::string_view text);

std::string toBase64(std::span<const std::byte> bytes);
/// Nothing where the text is not base64.
std::optional<std::vector<std::byte>> fromBase64(std::string_view text);

} // namespace populus::popir

#endif
