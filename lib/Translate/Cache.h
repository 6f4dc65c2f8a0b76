// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Translated code on disk, found by the content of its region and all else that
// it depends on. Only what this user has written is taken from there.

#ifndef POPULUS_LIB_TRANSLATE_CACHE_H
#define POPULUS_LIB_TRANSLATE_CACHE_H

#include "runtime/Support/PrivateCache.h"

#include <llvm/Support/MemoryBuffer.h>

#include <memory>
#include <string>

namespace populus::translate {

class Cache {
public:
  /// Uses the folder that POPULUS_TRANSLATION_CACHE names ("off": none), else
  /// populus/translate in the user's folder for caches. A folder that others
  /// can read or write, or that cannot be made, is not used. A second,
  /// read-only folder has the translations from the build of the project:
  /// populus/translations beside this library, used if only the library's owner
  /// can write to it.
  /// beside this library, if nobody but the library's owner can write to it.
  Cache();

  /// The object file of a region, or null.
  std::unique_ptr<llvm::MemoryBuffer> find(const std::string &content) const;
  /// Keeps an object file, if that is possible.
  void add(const std::string &content, const llvm::MemoryBuffer &object) const;

private:
  std::string nameOf(const std::string &content) const;

  std::unique_ptr<llvm::MemoryBuffer> read(const std::string &path,
                                           const std::string &content) const;

  runtime::PrivateCache folder;
  std::string identity; // what all files depend on
  std::string built;    // the folder from when the project was built, or empty
};

} // namespace populus::translate

#endif
