// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .ipux file: an Executable on disk. docs/ipux.md describes the bytes. A
// file that has been read back is verified, so it can be run without further
// tests, wherever it came from.

#ifndef POPULUS_RUNTIME_FORMAT_IPUX_H
#define POPULUS_RUNTIME_FORMAT_IPUX_H

#include "runtime/Format/Executable.h"
#include "runtime/Format/Verify.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace populus::runtime {

/// Writes a file through a temporary and a rename, so that nothing is left
/// behind on failure. Throws FormatError.
void writeExecutable(const Executable &executable,
                     const std::filesystem::path &path);

/// Reads and verifies a file, of which payloads stay mapped. Throws
/// FormatError; the message names the file.
VerifiedExecutable readExecutable(const std::filesystem::path &path);

/// The bytes of the file; the same for the same executable.
std::vector<std::uint8_t> serializeExecutable(const Executable &executable);

/// The extent of a reader's checks.
enum class Checking {
  Everything,
  /// Without checksums: tests of the other checks damage files on purpose.
  Structure,
};

/// Reads and verifies bytes; `name` stands for the file in messages.
VerifiedExecutable parseExecutable(std::span<const std::uint8_t> bytes,
                                   const std::string &name,
                                   Checking checking = Checking::Everything);

} // namespace populus::runtime

#endif
