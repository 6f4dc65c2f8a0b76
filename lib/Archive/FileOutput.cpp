// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements writeFile with the runtime's, which all files are written by.

#include "lib/Archive/FileOutput.h"

#include "runtime/Support/OutputFile.h"

#include <string_view>

namespace populus::archive {

std::string writeFile(const std::filesystem::path &path,
                      std::span<const std::uint8_t> bytes) {
  const std::string reason = runtime::writeFile(
      path, std::string_view(reinterpret_cast<const char *>(bytes.data()),
                             bytes.size()));
  return reason.empty() ? ""
                        : "cannot write '" + path.string() + "': " + reason;
}

} // namespace populus::archive
