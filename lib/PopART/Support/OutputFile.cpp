// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing of text files, with the checks that give early and clear messages.

#include "lib/PopART/Support/OutputFile.h"

#include "lib/PopART/Support/Error.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace popart {

namespace fs = std::filesystem;

namespace {

/// A file beside its final place, gone unless it is committed.
class TemporaryFile {
public:
  explicit TemporaryFile(const std::string &path)
      : target(path), temporary(fmt::format("{}.tmp{}", path, getpid())) {}
  ~TemporaryFile() {
    std::error_code ignored;
    fs::remove(temporary, ignored);
  }

  const std::string &name() const { return temporary; }

  void commit() {
    std::error_code error;
    fs::rename(temporary, target, error);
    if (error)
      failInput("{}: cannot be written: {}", target, error.message());
  }

private:
  std::string target, temporary;
};

} // namespace

void writeFile(const std::string &path,
               const std::function<void(std::ostream &)> &write) {
  TemporaryFile temporary(path);
  std::ofstream file(temporary.name(), std::ios::binary);
  write(file);
  file.close();
  if (!file)
    failInput("{}: cannot be written; check the folder and the free space",
              path);
  temporary.commit();
}

void writeText(const std::string &path, const std::string &text) {
  if (path.empty())
    std::cout << text << std::flush;
  else
    writeFile(path, [&](std::ostream &file) { file << text; });
}

void checkWritable(const std::string &path) {
  std::error_code error;
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty())
    folder = ".";
  if (!fs::is_directory(folder, error))
    failInput("{}: cannot be written: there is no folder {}", path,
              folder.string());
  if (fs::exists(path, error) && !fs::is_regular_file(path, error))
    failInput("{}: cannot be written: it exists and is not a file", path);
  if (access(folder.c_str(), W_OK) != 0)
    failInput("{}: cannot be written: the folder {} is not writable", path,
              folder.string());
}

} // namespace popart
