// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FNV-1a with 128 bits, and the identity of the libraries that compile: names,
// sizes and times of the files that they were loaded from.

#include "lib/PopART/Support/Cache.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <filesystem>
#include <link.h>

namespace popart {

void Hash::add(std::string_view bytes) {
  // The prime 2^88 + 0x13b.
  constexpr unsigned __int128 Prime =
      (static_cast<unsigned __int128>(1) << 88) | 0x13b;
  auto addByte = [&](unsigned char byte) {
    value ^= byte;
    value *= Prime;
  };
  for (char c : bytes)
    addByte(static_cast<unsigned char>(c));
  for (std::size_t size = bytes.size(), i = 0; i != sizeof(size); ++i)
    addByte(static_cast<unsigned char>(size >> (8 * i)));
}

std::string Hash::digits() const {
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(value >> 64),
                     static_cast<std::uint64_t>(value));
}

static int addLibrary(dl_phdr_info *info, std::size_t, void *text) {
  std::string path = info->dlpi_name;
  if (path.find("libpop") == std::string::npos)
    return 0;
  std::error_code error;
  *static_cast<std::string *>(text) += fmt::format(
      "{} {} {}\n", path, std::filesystem::file_size(path, error),
      std::filesystem::last_write_time(path, error).time_since_epoch().count());
  return 0;
}

std::string compilerIdentity() {
  std::string text = POPULUS_VERSION "\n";
  dl_iterate_phdr(addLibrary, &text);
  return text;
}

} // namespace popart
