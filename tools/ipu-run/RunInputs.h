// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executable and the inputs that a command line gives to a run, of ipu-run
// and ipu-dbg.

#ifndef POPULUS_TOOLS_IPU_RUN_RUNINPUTS_H
#define POPULUS_TOOLS_IPU_RUN_RUNINPUTS_H

#include "Options.h"
#include "Streams.h"

#include "runtime/Format/Verify.h"

#include <map>
#include <string>
#include <vector>

namespace populus::run {

/// Returns whether \p file is standard input or a named pipe, which can be read
/// once only.
bool isPipe(const std::string &file);

/// Reads an executable from a file, a pipe or (-) standard input. Throws
/// FormatError, InputError.
runtime::VerifiedExecutable openExecutable(const std::string &file);

/// Throws UsageError if \p executable holds host code, which runs only with
/// --allow-native.
void checkTrusted(const runtime::Executable &executable,
                  const std::string &file, bool allowNative);

/// The names and values of `option`, NAME=VALUE, which is given once for each
/// name. Throws UsageError.
std::map<std::string, std::string>
namedValues(const std::string &option, const std::vector<std::string> &texts);

/// Gives the streams the values of --test-data, a folder or empty, and --input.
/// Returns the outputs that --test-data expects. Throws UsageError, InputError.
std::map<std::string, HostTensor>
setInputs(Streams &streams, const std::string &testData,
          const std::vector<std::string> &inputs,
          const ImageOptions &images = {});

} // namespace populus::run

#endif
