// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a vertex's entry point in an IPU object: what two archives that
// have the same vertex type must agree on.

#ifndef POPULUS_LIB_ARCHIVE_ENTRYCODE_H
#define POPULUS_LIB_ARCHIVE_ENTRYCODE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace populus::archive {

/// The bytes of a function. Fields that relocations fill are as the object has
/// them.
using Code = std::vector<std::uint8_t>;

/// Returns the code of the function that a symbol of an IPU object names;
/// nothing if the object does not define it, or is not a good object, which
/// the linker reports.
std::optional<Code> codeOf(std::span<const std::uint8_t> object,
                           const std::string &symbol);

} // namespace populus::archive

#endif
