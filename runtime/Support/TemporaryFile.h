// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file that is written beside its destination and then renamed, so that no
// process ever sees half of it. It is removed after an error and, in programs
// that ask for it, when they are interrupted.

#ifndef POPULUS_RUNTIME_SUPPORT_TEMPORARYFILE_H
#define POPULUS_RUNTIME_SUPPORT_TEMPORARYFILE_H

#include <filesystem>
#include <string>
#include <system_error>

namespace populus::runtime {

class TemporaryFile {
public:
  /// Makes an empty file in the folder of `target`, with a name that no other
  /// thread or process takes and what the user's mask leaves of `mode`. Where
  /// it cannot, path() is empty and `error` says why.
  TemporaryFile(std::filesystem::path target, std::error_code &error,
                unsigned mode = 0666);
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  /// Removes the file, unless it has taken its place.
  ~TemporaryFile();

  const std::string &path() const { return name; }

  /// Puts the file into the place of `target`, instead of what is there.
  std::error_code takePlace();

private:
  std::filesystem::path target;
  std::string name;
  /// The name of the file in the signal handler's table; null if it is not
  /// there.
  char *known = nullptr;

  void forget();
};

/// Makes SIGINT, SIGTERM and SIGHUP remove all temporary files of the process
/// before they end it. Programs call this; a library must not change its user's
/// signals.
void removeTemporaryFilesOnSignals();

} // namespace populus::runtime

#endif
