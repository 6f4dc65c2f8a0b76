// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Profile/SourceText.h"

#include <filesystem>
#include <fstream>

namespace populus::profile {

std::vector<std::string> sourceOf(const std::string &file) {
  constexpr std::uintmax_t Most = 1 << 24;
  std::vector<std::string> lines;
  std::error_code failed;
  const std::filesystem::path path(file);
  if (!std::filesystem::is_regular_file(path, failed) ||
      std::filesystem::file_size(path, failed) > Most)
    return lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

std::vector<std::string> sourceOf(const report::VertexType &type) {
  return sourceOf(std::string(type.source_file()));
}

} // namespace populus::profile
