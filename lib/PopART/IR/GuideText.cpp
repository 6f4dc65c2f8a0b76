// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of GuideText.h.

#include "lib/PopART/IR/GuideText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace populus::popir {

std::string guideText(DataType type) {
  std::string text(name(type));
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return static_cast<char>(std::toupper(c));
  });
  return text;
}

std::string guideText(const Shape &shape) {
  return fmt::format("[{}]", fmt::join(shape, " "));
}

std::string guideText(const TensorInfo &info) {
  return fmt::format("{:<8}{}", guideText(info.type), guideText(info.shape));
}

} // namespace populus::popir
