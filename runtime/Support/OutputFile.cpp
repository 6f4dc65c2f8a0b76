// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams of the C++ library do not tell why they failed, so this one is a
// buffer before write(2) that keeps the first error.

#include "runtime/Support/OutputFile.h"

#include "runtime/Support/TemporaryFile.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <ostream>
#include <streambuf>
#include <unistd.h>

namespace populus::runtime {

namespace fs = std::filesystem;

namespace {

class FileBuffer : public std::streambuf {
public:
  explicit FileBuffer(const fs::path &path)
      : file(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file < 0)
      error = errno;
    setp(bytes.data(), bytes.data() + bytes.size());
  }
  FileBuffer(const FileBuffer &) = delete;
  ~FileBuffer() override { close(); }

  /// The first error's number, 0 where all has arrived.
  int close() {
    if (file >= 0) {
      sync();
      if (::close(file) != 0 && error == 0)
        error = errno;
      file = -1;
    }
    return error;
  }

private:
  int_type overflow(int_type c) override {
    if (sync() != 0)
      return traits_type::eof();
    if (traits_type::eq_int_type(c, traits_type::eof()))
      return traits_type::not_eof(c);
    return sputc(traits_type::to_char_type(c));
  }

  std::streamsize xsputn(const char *data, std::streamsize size) override {
    if (size < epptr() - pptr())
      return std::streambuf::xsputn(data, size);
    return sync() == 0 && put(data, static_cast<std::size_t>(size)) ? size : 0;
  }

  int sync() override {
    const bool isGood =
        put(pbase(), static_cast<std::size_t>(pptr() - pbase()));
    setp(bytes.data(), bytes.data() + bytes.size());
    return isGood ? 0 : -1;
  }

  bool put(const char *data, std::size_t size) {
    while (size != 0 && error == 0) {
      const ssize_t count = ::write(file, data, size);
      if (count < 0 && errno != EINTR)
        error = errno;
      if (count <= 0)
        continue;
      data += count;
      size -= static_cast<std::size_t>(count);
    }
    return error == 0;
  }

  int file;
  int error = 0;
  std::array<char, 1 << 16> bytes;
};

std::string textOf(int error) { return error ? std::strerror(error) : ""; }

std::string writeInto(const fs::path &path,
                      const std::function<void(std::ostream &)> &write) {
  FileBuffer buffer(path);
  std::ostream stream(&buffer);
  try {
    write(stream);
  } catch (...) {
    // A full file is reported instead of the error that followed from it.
    if (buffer.close() == 0)
      throw;
  }
  return textOf(buffer.close());
}

} // namespace

bool isDevice(const fs::path &path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  return fs::exists(status) && !fs::is_regular_file(status) &&
         !fs::is_directory(status);
}

fs::path behindLinks(const fs::path &path) {
  constexpr int MostLinks = 40; // as many as the system follows
  fs::path file = path;
  std::error_code error;
  for (int i = 0; i != MostLinks && fs::is_symlink(file, error); ++i)
    file = file.parent_path() / fs::read_symlink(file, error);
  return file;
}

std::string writeFile(const fs::path &path,
                      const std::function<void(std::ostream &)> &write,
                      Readers readers) {
  if (isDevice(path))
    return writeInto(path, write);
  std::error_code error;
  TemporaryFile temporary(behindLinks(path), error,
                          readers == Readers::Owner ? 0600 : 0666);
  if (error)
    return error.message();
  if (std::string reason = writeInto(temporary.path(), write); !reason.empty())
    return reason;
  error = temporary.takePlace();
  return error ? error.message() : "";
}

std::string writeFile(const fs::path &path, std::string_view bytes) {
  return writeFile(path, [&](std::ostream &file) { file << bytes; });
}

int finishOutput(const char *tool, int status) {
  errno = 0;
  std::cout.flush();
  const bool isWritten = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  const int error = errno;
  if (isWritten && std::cout)
    return status;
  std::cerr << tool << ": error: standard output cannot be written to"
            << (error ? ": " + textOf(error) : std::string()) << '\n';
  return status == 0 ? 1 : status;
}

} // namespace populus::runtime
