// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that a program or library was loaded from. Its parts (the
// translator, the codelet compiler, archives, headers) lie beside it.

#ifndef POPULUS_RUNTIME_SUPPORT_OWNFILE_H
#define POPULUS_RUNTIME_SUPPORT_OWNFILE_H

#include <filesystem>

namespace populus::runtime {

/// The file that the code at `address` was loaded from: an absolute path
/// without links, whatever the program was called as. Empty if the system does
/// not say; nothing may be looked for in the current folder instead.
std::filesystem::path fileOf(const void *address);

} // namespace populus::runtime

#endif
