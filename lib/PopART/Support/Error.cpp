// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes messages safe to print: a hostile name could otherwise break the line
// or send control sequences to a terminal.

#include "lib/PopART/Support/Error.h"

namespace populus::popir {

std::string printable(const std::string &text) {
  std::string result;
  for (unsigned char c : text) {
    if (c == '\n')
      result += "\\n";
    else if (c < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02x}", c);
    else
      result += static_cast<char>(c);
  }
  return result;
}

} // namespace populus::popir
