// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executable files of the command line, which may be pipes.

#ifndef POPULUS_TOOLS_IPU_RUN_EXECUTABLEINPUT_H
#define POPULUS_TOOLS_IPU_RUN_EXECUTABLEINPUT_H

#include "Options.h"

#include "runtime/Format/Verify.h"

#include <string>

namespace populus::run {

/// Returns whether \p file is standard input or a named pipe, which can be read
/// once only.
bool isPipe(const std::string &file);

/// Reads an executable from a file, a pipe or (-) standard input. Throws
/// FormatError, InputError.
runtime::VerifiedExecutable openExecutable(const std::string &file);

/// Throws UsageError if \p executable holds host code, which needs
/// --allow-native.
void checkTrusted(const runtime::Executable &executable,
                  const std::string &file, const Options &options);

} // namespace populus::run

#endif
