// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers and columns of printed summaries.

#ifndef POPULUS_LIB_POPLAR_REPORT_SUMMARYTEXT_H
#define POPULUS_LIB_POPLAR_REPORT_SUMMARYTEXT_H

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

namespace poplar::core {

/// 1234567 as "1,234,567".
inline std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3;)
    text.insert(i -= 3, 1, ',');
  return text;
}

/// A label at `indent` and a value that ends at `column`.
inline void printRight(std::ostream &out, std::size_t indent,
                       const std::string &label, const std::string &value,
                       std::size_t column) {
  const std::size_t used = indent + label.size() + value.size();
  out << std::string(indent, ' ') << label
      << std::string(used < column ? column - used : 1, ' ') << value;
}

} // namespace poplar::core

#endif
