// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls lld. It reads and writes files only, so object and result pass through
// temporary files; and it keeps its state in globals, so one link runs at a
// time.

#include "lib/Frontend/HostLinker.h"

#include "runtime/Support/TemporaryFile.h"

#include <lld/Common/Driver.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

namespace populus::frontend {

namespace {

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
  std::error_code none;
  const auto folder = std::filesystem::temp_directory_path(none);
  if (none) // and not in the current folder instead
    return "there is no folder for temporary files; TMPDIR names none: " +
           none.message();
  std::error_code inputError, outputError;
  // Code that is going to run: for nobody else to change.
  const runtime::TemporaryFile input(folder / "popc.o", inputError, 0600);
  const runtime::TemporaryFile output(folder / "popc.so", outputError);
  if (inputError || outputError)
    return "cannot make a temporary file in '" + folder.string() +
           "': " + (inputError ? inputError : outputError).message();
  if (std::string error = writeInput(input.path(), object); !error.empty())
    return error;

  // Undefined symbols (memcpy, sinf) are found in the host process.
  const char *arguments[] = {"ld.lld",
                             "-shared",
                             "-Bsymbolic",
                             "--build-id=none",
                             "-znorelro",
                             "--gc-sections",
                             "--threads=1",
                             "-o",
                             output.path().c_str(),
                             input.path().c_str()};
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
  auto buffer = llvm::MemoryBuffer::getFile(output.path());
  if (!buffer)
    return "cannot read '" + output.path() +
           "': " + buffer.getError().message();
  sharedObject.assign((*buffer)->getBufferStart(), (*buffer)->getBufferEnd());
  return "";
}

} // namespace populus::frontend
