// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gate between a program from anywhere and the code that runs it: after
// verify() every index, range and address of an executable can be used without
// a further test. A VerifiedExecutable has passed, so no program is verified
// twice.

#ifndef POPULUS_RUNTIME_FORMAT_VERIFY_H
#define POPULUS_RUNTIME_FORMAT_VERIFY_H

#include "runtime/Format/Executable.h"

#include <memory>
#include <stdexcept>

namespace populus::runtime {

/// The error for a program that cannot be run, or a file that holds none. The
/// message gives the error and its position.
class FormatError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Throws FormatError where the executable is inconsistent.
void verify(const Executable &executable);

/// A program that has been verified and has not changed since.
class VerifiedExecutable {
public:
  /// Both throw FormatError where the executable is inconsistent. A shared one
  /// must not be changed from here on.
  explicit VerifiedExecutable(Executable executable);
  explicit VerifiedExecutable(std::shared_ptr<const Executable> executable);

  const Executable &operator*() const { return *executable; }
  const Executable *operator->() const { return executable.get(); }
  const std::shared_ptr<const Executable> &shared() const { return executable; }

  /// Gives up the proof and returns the program, so that it may be changed.
  /// This object must be the only one that was made of it.
  std::shared_ptr<Executable> release() && {
    return std::const_pointer_cast<Executable>(std::move(executable));
  }

private:
  std::shared_ptr<const Executable> executable;
};

} // namespace populus::runtime

#endif
