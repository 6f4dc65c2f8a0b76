// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names for the files of caches: FNV-1a with 128 bits. It tells contents apart
// that have not been chosen to collide.

#ifndef POPULUS_RUNTIME_SUPPORT_CONTENTHASH_H
#define POPULUS_RUNTIME_SUPPORT_CONTENTHASH_H

#include <cstdint>
#include <string>
#include <string_view>

namespace populus::runtime {

class ContentHash {
public:
  /// Adds a text and its length, so that "ab" and "c" differ from "a" and "bc".
  void add(std::string_view bytes) {
    for (char c : bytes)
      addByte(static_cast<unsigned char>(c));
    for (std::uint64_t size = bytes.size(), i = 0; i != 8; ++i)
      addByte(static_cast<unsigned char>(size >> (8 * i)));
  }

  /// 32 hexadecimal digits.
  std::string digits() const {
    std::string text;
    for (int shift = 124; shift >= 0; shift -= 4)
      text += "0123456789abcdef"[static_cast<unsigned>(value >> shift) & 15];
    return text;
  }

private:
  void addByte(unsigned char byte) {
    // The prime 2^88 + 0x13b.
    constexpr unsigned __int128 Prime =
        (static_cast<unsigned __int128>(1) << 88) | 0x13b;
    value = (value ^ byte) * Prime;
  }

  unsigned __int128 value =
      (static_cast<unsigned __int128>(0x6c62272e07bb0142) << 64) |
      0x62b821756295c58d;
};

} // namespace populus::runtime

#endif
