// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes a file so that no process ever sees half of it: the bytes go to a
// temporary file beside it, which is then renamed.

#ifndef POPULUS_LIB_ARCHIVE_FILEOUTPUT_H
#define POPULUS_LIB_ARCHIVE_FILEOUTPUT_H

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace populus::archive {

/// Writes `bytes` to `path`; anything there but a regular file (a device, a
/// pipe) is written to directly. Returns an error message, empty for success;
/// after an error no file is left behind.
std::string writeFile(const std::filesystem::path &path,
                      std::span<const std::uint8_t> bytes);

} // namespace populus::archive

#endif
