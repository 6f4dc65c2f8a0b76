// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of options that choose tensors by name: * and ? stand for any
// characters, as in a shell.

#ifndef POPULUS_LIB_POPART_IMPORT_NAMEPATTERN_H
#define POPULUS_LIB_POPART_IMPORT_NAMEPATTERN_H

#include <fnmatch.h>
#include <string>

namespace populus::popir {

/// Returns whether \p text may choose several names.
inline bool isPattern(const std::string &text) {
  return text.find_first_of("*?[") != std::string::npos;
}

/// A name matches itself, whatever characters it has.
inline bool matchesPattern(const std::string &name,
                           const std::string &pattern) {
  return pattern == name || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

} // namespace populus::popir

#endif
