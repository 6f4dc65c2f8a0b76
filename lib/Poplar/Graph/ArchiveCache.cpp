// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is known by its place on the file system, its size and the times of
// its last changes. The archives used last are kept, enough for all libraries.

#include "lib/Poplar/Graph/ArchiveCache.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <list>
#include <mutex>
#include <sys/stat.h>

namespace poplar::core {

using populus::archive::Archive;

namespace {

/// Device, inode, size, and times of the last change of contents and status in
/// seconds and nanoseconds.
using FileState = std::array<std::uint64_t, 7>;

/// All zeros if there is no such file.
FileState stateOf(const std::filesystem::path &file) {
  struct stat found = {};
  if (::stat(file.c_str(), &found) != 0)
    return {};
  const auto number = [](auto value) {
    return static_cast<std::uint64_t>(value);
  };
  return {number(found.st_dev),          number(found.st_ino),
          number(found.st_size),         number(found.st_mtim.tv_sec),
          number(found.st_mtim.tv_nsec), number(found.st_ctim.tv_sec),
          number(found.st_ctim.tv_nsec)};
}

class ArchiveCache {
public:
  SharedArchive find(const std::filesystem::path &file,
                     const std::string &target) {
    const std::lock_guard lock(mutex);
    // Taken before the file is read: a change in between is seen next time.
    const FileState state = stateOf(file);
    const auto known = std::ranges::find_if(entries, [&](const Entry &entry) {
      return entry.state == state && entry.target == target &&
             entry.file == file;
    });
    if (known != entries.end()) {
      entries.splice(entries.begin(), entries, known);
      return known->archive;
    }
    entries.push_front(
        {file, target, state, aimedAt(target, Archive::read(file))});
    const SharedArchive archive = entries.front().archive;
    if (entries.size() > MostEntries)
      entries.pop_back();
    return archive;
  }

private:
  static constexpr std::size_t MostEntries = 24;

  struct Entry {
    std::filesystem::path file; // names are in messages of the archive
    std::string target;
    FileState state;
    SharedArchive archive;
  };

  std::mutex mutex;
  std::list<Entry> entries; // the one used last is first
};

} // namespace

SharedArchive aimedAt(const std::string &target, Archive archive) {
  for (auto &type : archive.vertexTypes)
    for (std::size_t i = 0; i != type.targets.size(); ++i)
      if (type.targets[i].target == target)
        for (auto &field : type.fields) {
          const auto elements = field.elements(i);
          field.type = elements.type;
          field.minAlign = elements.minAlign;
        }
  return std::make_shared<const Archive>(std::move(archive));
}

SharedArchive readArchive(const std::filesystem::path &file,
                          const std::string &target) {
  static ArchiveCache cache;
  return cache.find(file, target);
}

} // namespace poplar::core
