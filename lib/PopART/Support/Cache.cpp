// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is a line and the bytes of the executable:
//
//   populus executable 2 KEY CHECKSUM
//
// The file's name has the same key, so a renamed entry is noticed. The checksum
// covers the bytes. Executables for the CPU are code of the host; the folder
// and the entries must therefore belong to the user, and only the user may
// write to them. The compiler is identified by the files that its libraries
// were loaded from (name, size, time), by the contents of the archives of
// codelets that executables link, and by the environment.

#include "lib/PopART/Support/Cache.h"

#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"
#include "runtime/Support/Environment.h"
#include "runtime/Support/OwnFile.h"
#include "runtime/Support/PrivateCache.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <link.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace populus::popir {

using populus::runtime::ContentHash;
namespace fs = std::filesystem;

namespace {

std::string checksumOf(std::string_view content) {
  ContentHash hash;
  hash.add(content);
  return hash.digits();
}

std::string lineFor(const std::string &key, std::string_view content) {
  return fmt::format("populus executable 2 {} {}\n", key, checksumOf(content));
}

void warn(const std::string &text) {
  logging::log(logging::Module::session, logging::Level::Warn, "{}", text);
}

bool isOwn(const struct stat &status) {
  return status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

/// Creates a private folder. Returns false if others may write to an existing
/// one.
bool makeTrusted(const std::string &folder) {
  runtime::makePrivateFolder(folder);
  std::error_code error;
  if (!fs::is_directory(folder, error))
    failInput("{}: the folder of the cache cannot be made{}", folder,
              error ? ": " + error.message() : "");
  struct stat status = {};
  ::stat(folder.c_str(), &status);
  return isOwn(status);
}

/// Removes a link, a pipe or similar; writing would follow it.
void removeUnlessFile(const std::string &path) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(path, error)))
    fs::remove(path, error);
}

/// Reads a file; nothing if it is missing, or if others may write to it.
std::optional<std::string> readTrusted(const std::string &path) {
  // Do not block on a pipe.
  const int file =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0)
    return std::nullopt;
  struct stat status;
  std::string content;
  bool isGood = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (isGood && !isOwn(status)) {
    warn(fmt::format(
        "not taken from the cache, for others may have written it: {}", path));
    isGood = false;
  }
  if (isGood) {
    content.resize(static_cast<std::size_t>(status.st_size));
    std::size_t done = 0;
    while (done != content.size()) {
      const ssize_t count =
          ::read(file, content.data() + done, content.size() - done);
      if (count <= 0)
        break;
      done += static_cast<std::size_t>(count);
    }
    content.resize(done);
  }
  ::close(file);
  return isGood ? std::optional(std::move(content)) : std::nullopt;
}

int addLibrary(dl_phdr_info *info, std::size_t, void *text) {
  std::string path = info->dlpi_name;
  if (path.find("libpop") == std::string::npos)
    return 0;
  std::error_code error;
  *static_cast<std::string *>(text) +=
      fmt::format("{} {} {}\n", path, fs::file_size(path, error),
                  fs::last_write_time(path, error).time_since_epoch().count());
  return 0;
}

void addContent(const fs::path &path, ContentHash &hash) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  hash.add(path.filename().string());
  hash.add(bytes.view());
}

/// Hashes the code that is linked into executables: the codelets of the
/// libraries and the device library.
std::string hashOfArchives() {
  const fs::path folder =
      runtime::fileOf(reinterpret_cast<const void *>(&hashOfArchives))
          .parent_path() /
      "populus";
  std::vector<fs::path> archives;
  std::error_code error;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(folder / "codelets", error))
    if (entry.path().extension() == ".gp")
      archives.push_back(entry.path());
  std::ranges::sort(archives);
  archives.push_back(folder / "device.gp");
  ContentHash hash;
  for (const fs::path &archive : archives)
    addContent(archive, hash);
  return hash.digits();
}

} // namespace

ExecutableCache::ExecutableCache(const std::string &folder,
                                 const ContentHash &hash)
    : key(hash.digits()), path(fmt::format("{}/{}.entry", folder, key)) {
  if (makeTrusted(folder))
    return;
  warn(
      fmt::format("{}: no cache, for it belongs to somebody else or others may "
                  "write to it (chmod go-w)",
                  folder));
  path.clear();
}

std::optional<std::string> ExecutableCache::find() const {
  if (path.empty())
    return std::nullopt;
  std::optional<std::string> entry = readTrusted(path);
  if (!entry)
    return std::nullopt;
  const std::size_t lineBytes = lineFor(key, "").size();
  const std::string_view content =
      std::string_view(*entry).substr(std::min(lineBytes, entry->size()));
  if (!entry->starts_with(lineFor(key, content))) {
    warn(fmt::format("damaged, so it is made again: {}", path));
    return std::nullopt;
  }
  logging::info(logging::Module::session, "taken from the cache: {}", path);
  return entry->substr(lineBytes);
}

void ExecutableCache::keep(
    const std::function<void(std::ostream &)> &write) const {
  if (path.empty())
    return;
  try {
    std::ostringstream bytes;
    write(bytes);
    removeUnlessFile(path);
    writePrivateFile(path, [&](std::ostream &file) {
      file << lineFor(key, bytes.view()) << bytes.view();
    });
  } catch (const Error &error) {
    warn(fmt::format("not kept in the cache: {}", error.what()));
  }
}

ContentHash compilerHash() {
  static const std::string archives = hashOfArchives();
  std::string text = POPULUS_VERSION "\n";
  dl_iterate_phdr(addLibrary, &text);
  ContentHash hash;
  hash.add(text);
  hash.add(archives);
  for (const runtime::EnvironmentVariable &variable :
       runtime::EnvironmentVariables)
    if (variable.changesExecutables && !variable.setsEngineOptions) {
      const char *value = std::getenv(variable.name);
      hash.add(value ? "set" : "");
      hash.add(value ? value : "");
    }
  return hash;
}

} // namespace populus::popir
