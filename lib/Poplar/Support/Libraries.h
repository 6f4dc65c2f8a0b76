// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Location of this libpoplar.so. The codelet compiler's plug-in and the library
// archives are found relative to it, so the whole tree can be moved.

#ifndef POPULUS_LIB_POPLAR_SUPPORT_LIBRARIES_H
#define POPULUS_LIB_POPLAR_SUPPORT_LIBRARIES_H

#include <filesystem>

namespace poplar::core {

/// The folder that holds libpoplar.so.
std::filesystem::path libraryFolder();

} // namespace poplar::core

#endif
