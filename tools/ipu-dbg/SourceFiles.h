// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of source files, which are looked for as the compiler named them,
// and in the folders of --directory.

#ifndef POPULUS_TOOLS_IPU_DBG_SOURCEFILES_H
#define POPULUS_TOOLS_IPU_DBG_SOURCEFILES_H

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace populus::dbg {

class SourceFiles {
public:
  explicit SourceFiles(std::vector<std::string> directories)
      : directories(std::move(directories)) {}

  /// The path of a file; nothing: it is not there.
  std::optional<std::filesystem::path> find(const std::string &file) const {
    const std::filesystem::path path(file);
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored))
      return path;
    for (const std::string &directory : directories)
      for (const auto &candidate :
           {directory / path.relative_path(), directory / path.filename()})
        if (std::filesystem::is_regular_file(candidate, ignored))
          return candidate;
    return std::nullopt;
  }

  /// Lines count from 1; nothing: there is no such line or file.
  std::optional<std::string> line(const std::string &file, unsigned number) {
    auto known = files.find(file);
    if (known == files.end())
      known = files.emplace(file, read(file)).first;
    if (number == 0 || number > known->second.size())
      return std::nullopt;
    return known->second[number - 1];
  }

private:
  std::vector<std::string> read(const std::string &file) const {
    std::vector<std::string> lines;
    if (const auto path = find(file)) {
      std::ifstream stream(*path);
      for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    }
    return lines;
  }

  const std::vector<std::string> directories;
  std::map<std::string, std::vector<std::string>> files;
};

} // namespace populus::dbg

#endif
