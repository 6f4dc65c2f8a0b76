// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The translator as the runtime sees it: the only symbol that
// libpopulus-translate.so exports. Code comes from a region with the same
// content that has been translated before, here or in another process, or it
// is made.

#include "lib/Translate/Cache.h"
#include "lib/Translate/CodeGenerator.h"
#include "lib/Translate/Emitter.h"
#include "lib/Translate/HostCode.h"

#include "runtime/Emulator/Translation/Fingerprint.h"

namespace populus::translate {

using runtime::emulator::TranslatedRegion;

namespace {

constexpr const char *FunctionName = "region";

class LlvmTranslator : public runtime::emulator::Translator {
public:
  std::unique_ptr<TranslatedRegion> translate(const CodeImage &image,
                                              std::uint32_t entry,
                                              CodeKind kind) override {
    const Region region = findRegion(image, entry, kind);
    if (!region.contains(entry))
      return nullptr;
    auto result = std::make_unique<TranslatedRegion>();
    result->code = reinterpret_cast<decltype(result->code)>(codeOf(region));
    result->first = region.first;
    result->address = image.base + 4 * region.first;
    result->imageBase = image.base;
    result->textBytes = static_cast<std::uint32_t>(image.textBytes);
    result->weights = region.weights();
    for (std::uint32_t exit : region.exits)
      result->outside.push_back(region.relative(exit));
    for (std::uint32_t slot : region.entries)
      if (region.contains(slot))
        result->entries.push_back(slot);
    return result;
  }

private:
  void *codeOf(const Region &region) {
    const std::string content = region.content();
    void *&code = known[content];
    if (code)
      return code;
    std::unique_ptr<llvm::MemoryBuffer> object = cache.find(content);
    if (!object) {
      object = compile(region);
      cache.add(content, *object);
    }
    return code = hostCode.load(*object, FunctionName);
  }

  std::unique_ptr<llvm::MemoryBuffer> compile(const Region &region) {
    llvm::LLVMContext context;
    SemanticsModule semantics(context, region.kind);
    llvm::Function *function = emitRegion(semantics, region, FunctionName);
    semantics.finish();
    return generator.compile(semantics.module(), function);
  }

  std::map<std::string, void *> known; // by content
  Cache cache;
  CodeGenerator generator;
  HostCode hostCode;
};

} // namespace
} // namespace populus::translate

extern "C" __attribute__((visibility("default")))
populus::runtime::emulator::Translator *
populus_open_translator(const char *fingerprint) {
  if (fingerprint != populus::runtime::emulator::fingerprint())
    return nullptr;
  return new populus::translate::LlvmTranslator;
}

static_assert(std::is_same_v<decltype(&populus_open_translator),
                             populus::runtime::emulator::TranslatorFunction>);
