// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables that were compiled before, in a folder. An entry is found by a
// hash of everything that the result depends on: the model, the options, and
// the compiler itself.

#ifndef POPULUS_LIB_POPART_SUPPORT_CACHE_H
#define POPULUS_LIB_POPART_SUPPORT_CACHE_H

#include <string>
#include <string_view>

namespace popart {

/// 128 bits of a text, as hexadecimal digits.
class Hash {
public:
  void add(std::string_view bytes);
  std::string digits() const;

private:
  unsigned __int128 value =
      (static_cast<unsigned __int128>(0x6c62272e07bb0142) << 64) |
      0x62b821756295c58d;
};

/// What the compiler is made of: changes with every build of the libraries.
std::string compilerIdentity();

} // namespace popart

#endif
