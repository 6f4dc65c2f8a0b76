// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder of files that only this user has written and that can be made again
// at any time: translated code, compiled headers. The files are run or trusted
// later, so a folder that others may write to is not used.

#ifndef POPULUS_RUNTIME_SUPPORT_PRIVATECACHE_H
#define POPULUS_RUNTIME_SUPPORT_PRIVATECACHE_H

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace populus::runtime {

/// Makes a folder that only this user may use, and the folders around it.
/// Leaves one that exists as it is.
void makePrivateFolder(const std::string &folder);

class PrivateCache {
public:
  /// The folder that the environment variable `variable` names ("off": none),
  /// else populus/`name` in the user's folder for caches. It is made if it does
  /// not exist. If files were added and there are more than `limit` bytes then,
  /// those that were not used for longest are removed at the end; the variable
  /// with _SIZE behind its name gives another limit, in MiB.
  PrivateCache(const char *variable, const char *name, std::uint64_t limit);
  PrivateCache(const PrivateCache &) = delete;
  ~PrivateCache();

  /// Returns whether there is a folder that can be trusted and written to.
  bool isUsable() const { return !folder.empty(); }

  /// The path of a file of the cache, whether it exists or not.
  std::string path(std::string_view file) const;

  /// Puts a file into the cache, whole or not at all. Not being able to is no
  /// error: the cache is then what it was.
  void add(std::string_view file, std::string_view bytes) const;

  /// Notes that a file was used, so that it is kept longer.
  void touch(std::string_view file) const;

private:
  void removeOldFiles() const;

  std::string folder; // empty: no cache
  std::uint64_t limit;
  mutable std::atomic<bool> isLarger = false;
};

} // namespace populus::runtime

#endif
