// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables that were compiled before, in a folder. An entry is found by a
// hash of everything that the result depends on: the model, the options, and
// the compiler itself. Several processes may use a folder at once: entries
// appear whole, and what is damaged all the same is noticed and made again.

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
  std::string path; // empty: no cache
};

/// A hash that has what the compiler is made of, which changes with every build
/// of the libraries, and the options that engines take from the environment; to
/// be added to.
populus::runtime::ContentHash compilerHash();

} // namespace populus::popir

#endif
