// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line gives a run its executable, which may be a pipe, and its
// inputs.

#ifndef POPULUS_TOOLS_IPU_RUN_RUNINPUTS_H
#define POPULUS_TOOLS_IPU_RUN_RUNINPUTS_H

#include "Options.h"
#include "Streams.h"

#include "runtime/Format/Verify.h"

#include <map>
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

/// Gives the streams the values of --test-data and --input. Returns the outputs
/// that --test-data expects. Throws UsageError, InputError.
std::map<std::string, HostTensor> setInputs(Streams &streams,
                                            const Options &options);

} // namespace populus::run

#endif
