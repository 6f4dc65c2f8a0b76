// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From popc's options to the arguments of `clang -cc1` for one input and one
// target: headers, language, code generation.

#ifndef POPULUS_LIB_CODELET_TOOLCHAIN_H
#define POPULUS_LIB_CODELET_TOOLCHAIN_H

#include "lib/Codelet/Options.h"
#include "lib/Frontend/Diagnostics.h"

namespace populus::codelet {

/// Returns the arguments of `clang -cc1`; nothing if the options are wrong, and
/// `diagnostics` then says why.
std::vector<std::string>
cc1Arguments(const Options &options, const Input &input, const Target &target,
             const std::string &output,
             std::vector<frontend::Diagnostic> &diagnostics);

/// The directory of the public headers, beside the program or library that
/// holds this code.
std::string includeDirectory();

/// Returns Clang's triple for a target.
std::string tripleOf(const runtime::TargetInfo &target);

} // namespace populus::codelet

#endif
