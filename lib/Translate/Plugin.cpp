// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The translator as the runtime sees it: the only symbol that
// libpopulus-translate.so exports.

#include "lib/Translate/CodeGenerator.h"
#include "lib/Translate/Emitter.h"
#include "lib/Translate/HostCode.h"

#include "runtime/Emulator/Translator.h"

namespace populus::translate {

using runtime::emulator::TranslatedCode;

namespace {

class LlvmTranslator : public runtime::emulator::Translator {
public:
  std::vector<TranslatedCode>
  translate(const CodeImage &image,
            std::span<const std::uint32_t> entries) override {
    llvm::LLVMContext context;
    SemanticsModule semantics(context);
    std::vector<std::string> names; // empty: nothing to translate
    std::vector<llvm::Function *> regions;
    for (std::uint32_t entry : entries) {
      const Region region = findRegion(image, entry);
      names.emplace_back();
      if (!region.contains(entry))
        continue;
      names.back() = "region" + std::to_string(entry);
      regions.push_back(emitRegion(semantics, region, names.back()));
    }
    std::vector<TranslatedCode> result(entries.size());
    if (regions.empty())
      return result;
    semantics.finish();
    code.load(*generator.compile(semantics.module(), regions));
    for (std::size_t i = 0; i != names.size(); ++i)
      if (!names[i].empty())
        result[i] = reinterpret_cast<TranslatedCode>(code.find(names[i]));
    return result;
  }

private:
  CodeGenerator generator;
  HostCode code;
};

} // namespace
} // namespace populus::translate

extern "C" __attribute__((visibility("default")))
populus::runtime::emulator::Translator *
populus_create_translator(std::size_t contextBytes, std::size_t tileBytes) {
  using namespace populus::runtime::emulator;
  if (contextBytes != sizeof(Context) || tileBytes != sizeof(Tile))
    return nullptr;
  return new populus::translate::LlvmTranslator;
}

static_assert(std::is_same_v<decltype(&populus_create_translator),
                             populus::runtime::emulator::TranslatorFunction>);
