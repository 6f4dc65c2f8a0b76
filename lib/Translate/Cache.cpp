// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file has the length of the region's content, a checksum of all that
// follows, the content, and the object. The name is a hash of the content, the
// emulator's fingerprint, which stands for the semantics, that of this folder's
// sources, the version of LLVM that is loaded, and the processor.

#include "lib/Translate/Cache.h"

#include "lib/Translate/HostProcessor.h"
#include "runtime/Emulator/Translation/Fingerprint.h"
#include "runtime/Support/OwnFile.h"

#include <llvm-c/Core.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/Endian.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/xxhash.h>

#include <sys/stat.h>

#include <cstdlib>

namespace populus::translate {

using namespace llvm;

namespace {

/// Some thousand functions.
constexpr std::uint64_t LargestCache = 512 << 20;

constexpr const char *Variable = "POPULUS_TRANSLATION_CACHE";

constexpr std::size_t HeaderBytes = 16;

constexpr const char *TranslatorFingerprint =
#include "lib/Translate/SourcesFingerprint.inc"
    ;

std::string headerOf(const std::string &content, StringRef body) {
  char header[HeaderBytes];
  support::endian::write64le(header, content.size());
  support::endian::write64le(header + 8,
                             xxh3_64bits(arrayRefFromStringRef(body)));
  return std::string(header, HeaderBytes);
}

std::string loadedLlvm() {
  unsigned major, minor, patch;
  LLVMGetVersion(&major, &minor, &patch);
  return " LLVM " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(patch);
}

/// Returns the folder of the build; empty if there is none, or if it may belong
/// to another user.
std::string folderOfBuild() {
  const char *chosen = std::getenv(Variable);
  const std::string self =
      runtime::fileOf(reinterpret_cast<const void *>(&folderOfBuild)).string();
  struct stat library, folder;
  if ((chosen && StringRef(chosen) == "off") ||
      ::stat(self.c_str(), &library) != 0)
    return {};
  const std::string path =
      (sys::path::parent_path(self) + "/populus/translations").str();
  if (::lstat(path.c_str(), &folder) != 0 || !S_ISDIR(folder.st_mode) ||
      folder.st_uid != library.st_uid || (folder.st_mode & 022) != 0)
    return {};
  return path;
}

} // namespace

Cache::Cache()
    : folder(Variable, "translate", LargestCache),
      identity(runtime::emulator::fingerprint() + TranslatorFingerprint +
               loadedLlvm() + " " + hostProcessor().name +
               hostProcessor().features),
      built(folderOfBuild()) {}

std::string Cache::nameOf(const std::string &content) const {
  const auto hash = SHA256::hash(arrayRefFromStringRef(identity + content));
  return toHex(hash, true) + ".o";
}

std::unique_ptr<MemoryBuffer> Cache::read(const std::string &path,
                                          const std::string &content) const {
  auto file = MemoryBuffer::getFile(path, false, false);
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

std::unique_ptr<MemoryBuffer> Cache::find(const std::string &content) const {
  const std::string name = nameOf(content);
  if (folder.isUsable())
    if (auto object = read(folder.path(name), content)) {
      folder.touch(name);
      return object;
    }
  return built.empty() ? nullptr : read(built + "/" + name, content);
}

void Cache::add(const std::string &content, const MemoryBuffer &object) const {
  if (!folder.isUsable())
    return;
  const std::string body = content + object.getBuffer().str();
  folder.add(nameOf(content), headerOf(content, body) + body);
}

} // namespace populus::translate
