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

namespace populus::translate {

using namespace llvm;

namespace {

/// Some thousand functions.
constexpr std::uint64_t LargestCache = 512 << 20;

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

Cache::Cache()
    : folder("POPULUS_TRANSLATION_CACHE", "translate", LargestCache),
      identity(folder.isUsable() ? hashOfTranslator() : std::string()) {
  hasIdentity = !identity.empty();
  identity += LLVM_VERSION_STRING;
}

std::string Cache::nameOf(const std::string &content) const {
  const auto hash = SHA256::hash(arrayRefFromStringRef(identity + content));
  return toHex(hash, true) + ".o";
}

std::unique_ptr<MemoryBuffer> Cache::find(const std::string &content) const {
  if (!hasIdentity)
    return nullptr;
  const std::string name = nameOf(content);
  auto file = MemoryBuffer::getFile(folder.path(name), false, false);
  if (!file)
    return nullptr;
  StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < HeaderBytes ||
      !bytes.starts_with(headerOf(content, bytes.drop_front(HeaderBytes))))
    return nullptr;
  bytes = bytes.drop_front(HeaderBytes);
  if (!bytes.consume_front(content))
    return nullptr;
  folder.touch(name);
  // A copy, aligned as an object file has to be.
  return MemoryBuffer::getMemBufferCopy(bytes);
}

void Cache::add(const std::string &content, const MemoryBuffer &object) const {
  if (!hasIdentity)
    return;
  const std::string body = content + object.getBuffer().str();
  folder.add(nameOf(content), headerOf(content, body) + body);
}

} // namespace populus::translate
