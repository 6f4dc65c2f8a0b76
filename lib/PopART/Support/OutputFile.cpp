// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing of text files, with the checks that give early and clear messages.

#include "lib/PopART/Support/OutputFile.h"

#include "lib/PopART/Support/Error.h"
#include "runtime/Support/OutputFile.h"

#include <unistd.h>

#include <filesystem>
#include <iostream>

namespace populus::popir {

namespace fs = std::filesystem;

static void write(const std::string &path,
                  const std::function<void(std::ostream &)> &fill,
                  runtime::Readers readers) {
  const std::string reason = runtime::writeFile(path, fill, readers);
  if (!reason.empty())
    failInput("{}: cannot be written: {}", path, reason);
}

void writeFile(const std::string &path,
               const std::function<void(std::ostream &)> &fill) {
  write(path, fill, runtime::Readers::Usual);
}

void writePrivateFile(const std::string &path,
                      const std::function<void(std::ostream &)> &fill) {
  write(path, fill, runtime::Readers::Owner);
}

void writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-")
    std::cout << text;
  else
    writeFile(path, [&](std::ostream &file) { file << text; });
}

void checkWritable(const std::string &path) {
  std::error_code error;
  if (runtime::isDevice(path))
    return;
  fs::path folder = runtime::behindLinks(path).parent_path();
  if (folder.empty())
    folder = ".";
  if (!fs::is_directory(folder, error))
    failInput("{}: cannot be written: there is no folder {}", path,
              folder.string());
  if (fs::is_directory(path, error))
    failInput("{}: cannot be written: it exists and is not a file", path);
  if (access(folder.c_str(), W_OK) != 0)
    failInput("{}: cannot be written: the folder {} is not writable", path,
              folder.string());
}

} // namespace populus::popir
