// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls lld. It reads and writes files only, so object and result pass through
// a temporary directory; and it keeps its state in globals, so one link runs at
// a time.

#include "lib/Frontend/HostLinker.h"

#include <lld/Common/Driver.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace populus::frontend {

namespace {

/// Removed with all that is in it, whatever happens.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    error = llvm::sys::fs::createUniqueDirectory("popc", path);
  }
  ~TemporaryDirectory() {
    if (!error)
      (void)llvm::sys::fs::remove_directories(path);
  }

  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> result(path);
    llvm::sys::path::append(result, name);
    return std::string(result);
  }

  std::error_code error;

private:
  llvm::SmallString<128> path;
};

std::string writeInput(const std::string &path,
                       std::span<const std::uint8_t> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream.write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? "cannot write '" + path + "': " + error.message() : "";
}

} // namespace

std::string linkHostObject(std::span<const std::uint8_t> object,
                           std::vector<std::uint8_t> &sharedObject) {
  TemporaryDirectory directory;
  if (directory.error)
    return "cannot make a temporary directory: " + directory.error.message();
  std::string input = directory.file("codelet.o");
  std::string output = directory.file("codelet.so");
  if (std::string error = writeInput(input, object); !error.empty())
    return error;

  // Undefined symbols (memcpy, sinf) are found in the host process.
  const char *arguments[] = {"ld.lld",          "-shared",   "-Bsymbolic",
                             "--build-id=none", "-znorelro", "--gc-sections",
                             "--threads=1",     "-o",        output.c_str(),
                             input.c_str()};
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result;
  {
    static std::mutex mutex;
    std::lock_guard lock(mutex);
    result = lld::lldMain(arguments, llvm::nulls(), stream,
                          {{lld::Gnu, &lld::elf::link}});
  }
  if (result.retCode != 0)
    return "cannot link the host code: " + stream.str();
  auto buffer = llvm::MemoryBuffer::getFile(output);
  if (!buffer)
    return "cannot read '" + output + "': " + buffer.getError().message();
  sharedObject.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return "";
}

} // namespace populus::frontend
