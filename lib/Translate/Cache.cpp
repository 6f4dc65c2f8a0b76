// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file has the length of the region's content, a checksum of all that
// follows, the content, and the object. The name is a hash of the content and
// of the translator's library, which holds the semantics and the passes. Code
// is made for the processor that the whole emulator is compiled for, so that
// needs no key.

#include "lib/Translate/Cache.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/xxhash.h>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace populus::translate {

using namespace llvm;

namespace {

std::string wantedFolder() {
  if (const char *chosen = std::getenv("POPULUS_TRANSLATION_CACHE"))
    return std::string(chosen) == "off" ? std::string() : chosen;
  if (const char *caches = std::getenv("XDG_CACHE_HOME"); caches && *caches)
    return std::string(caches) + "/populus/translate";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/populus/translate";
  return {};
}

/// Makes the folder for this user alone. False if it is, or may be, somebody
/// else's.
bool makePrivate(const std::string &folder) {
  std::error_code error;
  const std::filesystem::path parent =
      std::filesystem::path(folder).parent_path();
  if (!parent.empty())
    std::filesystem::create_directories(parent, error);
  ::mkdir(folder.c_str(), 0700);
  struct stat status;
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid() && (status.st_mode & 077) == 0;
}

constexpr std::size_t HeaderBytes = 16;

std::string headerOf(const std::string &content, StringRef body) {
  char header[HeaderBytes];
  support::endian::write64le(header, content.size());
  support::endian::write64le(header + 8,
                             xxh3_64bits(arrayRefFromStringRef(body)));
  return std::string(header, HeaderBytes);
}

/// A hash of the library that this function is in.
std::string hashOfTranslator() {
  Dl_info self;
  if (!dladdr(reinterpret_cast<const void *>(&hashOfTranslator), &self))
    return {};
  auto file = MemoryBuffer::getFile(self.dli_fname, false, false);
  if (!file)
    return {};
  const auto hash = SHA256::hash(arrayRefFromStringRef((*file)->getBuffer()));
  return std::string(hash.begin(), hash.end());
}

} // namespace

Cache::Cache() : folder(wantedFolder()) {
  if (!folder.empty())
    identity = hashOfTranslator();
  if (identity.empty() || !makePrivate(folder))
    folder.clear();
  identity += LLVM_VERSION_STRING;
}

std::string Cache::fileOf(const std::string &content) const {
  const auto hash = SHA256::hash(arrayRefFromStringRef(identity + content));
  return folder + "/" + toHex(hash, true) + ".o";
}

std::unique_ptr<MemoryBuffer> Cache::find(const std::string &content) const {
  if (folder.empty())
    return nullptr;
  auto file = MemoryBuffer::getFile(fileOf(content), false, false);
  if (!file)
    return nullptr;
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < HeaderBytes ||
      !bytes.starts_with(headerOf(content, bytes.drop_front(HeaderBytes))))
    return nullptr;
  bytes = bytes.drop_front(HeaderBytes);
  if (!bytes.consume_front(content))
    return nullptr;
  // A copy, aligned as an object file has to be.
  return MemoryBuffer::getMemBufferCopy(bytes);
}

void Cache::add(const std::string &content, const MemoryBuffer &object) const {
  if (folder.empty())
    return;
  const std::string body = content + object.getBuffer().str();
  const std::string bytes = headerOf(content, body) + body;
  std::string temporary = folder + "/new-XXXXXX";
  const int file = ::mkstemp(temporary.data()); // for this user alone
  if (file < 0)
    return;
  const bool written = ::write(file, bytes.data(), bytes.size()) ==
                       static_cast<ssize_t>(bytes.size());
  const bool closed = ::close(file) == 0;
  if (!written || !closed ||
      ::rename(temporary.c_str(), fileOf(content).c_str()) != 0)
    ::unlink(temporary.c_str());
}

} // namespace populus::translate
