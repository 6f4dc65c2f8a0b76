// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables that were compiled before, in a folder. An entry is found by a
// hash of everything that the result depends on: the model, the options, and
// the compiler itself. Several processes may use a folder at once: entries
// appear whole, and a damaged entry is noticed and made again. A folder or an
// entry that somebody else may have written is not used.

#ifndef POPULUS_LIB_POPART_SUPPORT_CACHE_H
#define POPULUS_LIB_POPART_SUPPORT_CACHE_H

#include "runtime/Support/ContentHash.h"

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace populus::popir {

class ExecutableCache {
public:
  /// No cache: nothing is found or kept.
  ExecutableCache() = default;

  /// The entry for `key` in `folder`, which is made if it does not exist.
  ExecutableCache(const std::string &folder,
                  const populus::runtime::ContentHash &key);

  /// What was kept; nothing where there is no entry or it is damaged.
  std::optional<std::string> find() const;

  /// Keeps what `write` writes. A folder that cannot be written to is only
  /// worth a warning in the log.
  void keep(const std::function<void(std::ostream &)> &write) const;

private:
  std::string key;
  std::string path; // empty: no cache
};

/// A hash of the compiler, to be added to: it changes with every build of the
/// libraries and of their codelets, and with the variables of the environment
/// that change executables.
populus::runtime::ContentHash compilerHash();

} // namespace populus::popir

#endif
