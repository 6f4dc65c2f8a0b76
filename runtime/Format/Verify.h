// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gate between a program from anywhere and the code that runs it: after
// verify() every index, range and address of an executable can be used without
// a further test.

#ifndef POPULUS_RUNTIME_FORMAT_VERIFY_H
#define POPULUS_RUNTIME_FORMAT_VERIFY_H

#include "runtime/Format/Executable.h"

#include <stdexcept>

namespace populus::runtime {

/// A program that cannot be run, or a file that holds none. The message says
/// what is wrong and where.
class FormatError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Throws FormatError where the executable is inconsistent.
void verify(const Executable &executable);

} // namespace populus::runtime

#endif
