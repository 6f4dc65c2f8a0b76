// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --output-dir: the outputs of the last run as files.

#ifndef POPULUS_TOOLS_IPU_RUN_OUTPUTS_H
#define POPULUS_TOOLS_IPU_RUN_OUTPUTS_H

#include "Streams.h"

#include <filesystem>
#include <string>
#include <vector>

namespace populus::run {

/// Names of files for outputs, whose names may contain slashes: "a/b" is in
/// a_b.npy, or in a%2Fb.npy where another output is called "a_b".
std::vector<std::string> npyNames(const std::vector<Streams::Output> &outputs);

/// Writes a file DIR/NAME.npy for each output ("npy"), or all of them to
/// DIR/outputs.npz ("npz") or DIR/outputs.json ("json"). Makes the folder.
/// Throws InputError.
void writeOutputs(const std::vector<Streams::Output> &outputs,
                  const std::filesystem::path &folder,
                  const std::string &format);

} // namespace populus::run

#endif
