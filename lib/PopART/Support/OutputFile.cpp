// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing of text files, with the checks that give early and clear messages.

#include "lib/PopART/Support/OutputFile.h"

#include "lib/PopART/Support/Error.h"
#include "runtime/Support/TemporaryFile.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>

namespace populus::popir {

namespace fs = std::filesystem;

namespace {

/// What is there and takes bytes without being a file: a pipe, /dev/null.
bool isDevice(const std::string &path) {
  std::error_code error;
  fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) &&
         !fs::is_directory(status);
}

/// A link stays, and the file that it leads to is replaced, or made.
std::string behindLinks(const std::string &path) {
  constexpr int MostLinks = 40; // as many as the system follows
  fs::path file = path;
  std::error_code error;
  for (int i = 0; i != MostLinks && fs::is_symlink(file, error); ++i)
    file = file.parent_path() / fs::read_symlink(file, error);
  return file.string();
}

/// Writes `file`; messages name what it is for.
void writeInto(const std::string &file, const std::string &target,
               const std::function<void(std::ostream &)> &write) {
  std::ofstream stream(file, std::ios::binary);
  try {
    write(stream);
  } catch (...) {
    // Where the stream failed, that is what there is to say.
    if (stream)
      throw;
  }
  stream.close();
  if (!stream)
    failInput("{}: cannot be written; check the folder and the free space",
              target);
}

} // namespace

void writeFile(const std::string &path,
               const std::function<void(std::ostream &)> &write) {
  if (isDevice(path))
    return writeInto(path, path, write);
  std::error_code error;
  populus::runtime::TemporaryFile temporary(behindLinks(path), error);
  if (error)
    failInput("{}: cannot be written: {}", path, error.message());
  writeInto(temporary.path(), path, write);
  error = temporary.takePlace();
  if (error)
    failInput("{}: cannot be written: {}", path, error.message());
}

void writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-")
    std::cout << text;
  else
    writeFile(path, [&](std::ostream &file) { file << text; });
}

void checkWritable(const std::string &path) {
  std::error_code error;
  if (isDevice(path))
    return;
  fs::path folder = fs::path(behindLinks(path)).parent_path();
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
