// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precompiled headers, made without a request. Headers take nearly all of a
// codelet's compile time, above all those of the C++ library, and codelets
// begin with the same few. The library headers that a source includes before
// its first declaration are compiled once and kept in a private cache. All
// later compilations with the same headers and options read them from there. A
// source sees the headers that it includes itself and no others.

#ifndef POPULUS_LIB_FRONTEND_HEADERCACHE_H
#define POPULUS_LIB_FRONTEND_HEADERCACHE_H

#include "lib/Frontend/Compile.h"
#include "runtime/Support/PrivateCache.h"

namespace populus::frontend {

/// Clang's name for the source of precompiled headers in "included from" notes.
inline constexpr const char *LeadingHeadersName = "leading headers";

class HeaderCache {
public:
  /// Uses the folder that POPULUS_HEADER_CACHE names ("off": none), or
  /// populus/headers in the user's folder for caches.
  HeaderCache();

  /// Returns the path of the precompiled headers for the source of `job`: those
  /// that it includes before its first declaration, or as many of them as can
  /// be read first. They are made if necessary. Empty if the source has to be
  /// compiled from text, because there is no cache, or no such headers, or
  /// because options change the meaning of their names.
  std::string find(const CompileJob &job) const;

  /// Removes headers that Clang has refused, since a file that they were made
  /// from has changed.
  void remove(const std::string &path) const;

private:
  runtime::PrivateCache cache;
};

} // namespace populus::frontend

#endif
