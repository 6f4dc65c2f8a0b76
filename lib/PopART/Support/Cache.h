// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executable cache, a folder. The key of an entry is a hash of everything
// that the executable depends on: model, options, and the compiler itself.
// Several processes may share a folder: entries are written atomically, and a
// damaged entry is detected and replaced. A folder or entry that another user
// may have written is not used.

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

  /// The stored bytes; nothing if the entry is missing or damaged.
  std::optional<std::string> find() const;

  /// Stores the bytes that `write` writes. A folder that cannot be written is
  /// only a warning in the log.
  void keep(const std::function<void(std::ostream &)> &write) const;

private:
  std::string key;
  std::string path; // empty: no cache
};

/// A hash of the compiler, to extend into a key. It covers the build of the
/// libraries, their codelets, and the environment variables that change
/// executables.
populus::runtime::ContentHash compilerHash();

} // namespace populus::popir

#endif
