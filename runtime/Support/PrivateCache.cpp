// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files are written under another name and renamed, so that a reader in another
// process sees all of a file or none. The time of a file's last change is that
// of its last use: the time of the last access is not kept on many systems.

#include "runtime/Support/PrivateCache.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace populus::runtime {

namespace fs = std::filesystem;

namespace {

std::string wantedFolder(const char *variable, const std::string &name) {
  if (const char *chosen = std::getenv(variable))
    return std::string(chosen) == "off" ? std::string() : chosen;
  // A relative path is ignored, as the specification of the variable asks.
  if (const char *caches = std::getenv("XDG_CACHE_HOME");
      caches && *caches == '/')
    return std::string(caches) + "/populus/" + name;
  if (const char *home = std::getenv("HOME"); home && *home == '/')
    return std::string(home) + "/.cache/populus/" + name;
  return {};
}

std::uint64_t wantedLimit(const char *variable, std::uint64_t usual) {
  const char *chosen = std::getenv((std::string(variable) + "_SIZE").c_str());
  if (!chosen)
    return usual;
  char *end;
  const unsigned long long mebibytes = std::strtoull(chosen, &end, 10);
  // Text that is no number must not cause removals.
  if (end == chosen || *end != '\0' || mebibytes > UINT64_MAX >> 20)
    return usual;
  return std::uint64_t(mebibytes) << 20;
}

/// Makes the folder for this user alone. Returns false if it belongs, or may
/// belong, to another user.
bool makePrivate(const std::string &folder) {
  makePrivateFolder(folder);
  struct stat status;
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & 077) == 0;
}

bool writeAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

} // namespace

void makePrivateFolder(const std::string &folder) {
  std::error_code error; // whoever uses the folder notices
  const fs::path parent = fs::path(folder).parent_path();
  if (!parent.empty())
    fs::create_directories(parent, error);
  ::mkdir(folder.c_str(), 0700);
}

PrivateCache::PrivateCache(const char *variable, const char *name,
                           std::uint64_t limit)
    : folder(wantedFolder(variable, name)),
      limit(wantedLimit(variable, limit)) {
  if (!folder.empty() && !makePrivate(folder))
    folder.clear();
}

PrivateCache::~PrivateCache() {
  if (isLarger)
    removeOldFiles();
}

std::string PrivateCache::path(std::string_view file) const {
  return folder + "/" + std::string(file);
}

void PrivateCache::add(std::string_view file, std::string_view bytes) const {
  if (!isUsable())
    return;
  std::string temporary = folder + "/new-XXXXXX";
  const int descriptor = ::mkstemp(temporary.data()); // for this user alone
  if (descriptor < 0)
    return;
  const bool written = writeAll(descriptor, bytes);
  const bool closed = ::close(descriptor) == 0;
  if (!written || !closed ||
      ::rename(temporary.c_str(), path(file).c_str()) != 0) {
    ::unlink(temporary.c_str());
    return;
  }
  isLarger = true;
}

void PrivateCache::touch(std::string_view file) const {
  // Another process may have removed it.
  (void)::utimensat(AT_FDCWD, path(file).c_str(), nullptr, 0);
}

void PrivateCache::removeOldFiles() const {
  struct File {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes;
  };
  std::vector<File> files;
  std::uint64_t total = 0;
  std::error_code error;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(folder, error)) {
    const std::uint64_t bytes = entry.file_size(error);
    const fs::file_time_type used = entry.last_write_time(error);
    if (error)
      continue; // removed by another process, or not a file
    files.push_back({entry.path(), used, bytes});
    total += bytes;
  }
  std::sort(files.begin(), files.end(),
            [](const File &a, const File &b) { return a.used < b.used; });
  for (const File &file : files) {
    if (total <= limit)
      return;
    fs::remove(file.path, error);
    total -= file.bytes;
  }
}

} // namespace populus::runtime
