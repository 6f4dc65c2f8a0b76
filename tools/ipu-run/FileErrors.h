// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two checks that every reader of tensors makes. Files are not trusted: every
// length is checked against what is there.

#ifndef POPULUS_TOOLS_IPU_RUN_FILEERRORS_H
#define POPULUS_TOOLS_IPU_RUN_FILEERRORS_H

#include "HostTensor.h"

#include <string>

namespace populus::run {

/// Throws an InputError that names the file.
[[noreturn]] void fail(const std::string &file, const std::string &what);

/// Throws InputError if the bytes of a tensor are not those of its shape.
void checkSize(const HostTensor &tensor, const std::string &file);

} // namespace populus::run

#endif
