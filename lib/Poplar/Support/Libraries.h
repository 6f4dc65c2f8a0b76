// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where this libpoplar.so lies: the codelet compiler's plug-in and the archives
// of the libraries are found from there, so that the whole tree can be moved.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_LIBRARIES_H
#define POPULUS_LIB_POPLAR_SUPPORT_LIBRARIES_H

#include <filesystem>

namespace poplar::core {

/// The folder that holds libpoplar.so.
std::filesystem::path libraryFolder();

} // namespace poplar::core

#endif
