// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of the translator: a function with several symbols is translated
// once, and each of them is an entry of it.

#include "Assembler.h"

#include "runtime/Emulator/Tile/Launch.h"
#include "runtime/Emulator/Translation/Translations.h"
#include "runtime/Target/TargetInfo.h"

#include <gtest/gtest.h>

using namespace populus::runtime;
using namespace populus::runtime::emulator;
using namespace populus::runtime::test;

namespace {

using Entries = std::vector<std::uint32_t>;

/// A function that begins at slot 0 or 1, or behind its exit at slot 3.
constexpr std::uint32_t Second = 1, Exit = 2, Third = 3;
Executable threeEntries() {
  Assembler code;
  code("SETZI_m", {2, 1});
  const std::int64_t second = code.hereWord();
  code("ADD_rs", {3, 2, 7})("EXITZ", {15});
  code("SETZI_m", {2, 5})("BRI", {second});
  Executable executable = oneVertex(code);
  executable.images[0].symbols.push_back({"second", CodeBase + 4 * Second, 0});
  executable.images[0].symbols.push_back({"third", CodeBase + 4 * Third, 0});
  return executable;
}

TEST(TranslatorTest, SymbolsOfAFunctionShareItsRegion) {
  const Executable executable = threeEntries();
  const auto translator = loadTranslator();
  for (const CodeKind kind : {CodeKind::Plain, CodeKind::Recording}) {
    const auto first = translator->translate(executable.images[0], 0, kind);
    const auto third = translator->translate(executable.images[0], Third, kind);
    ASSERT_TRUE(first && third);
    EXPECT_EQ(first->entries, (Entries{0, Second, Third}));
    EXPECT_EQ(third->entries, first->entries);
    EXPECT_EQ(third->code, first->code);
  }
}

TEST(TranslatorTest, OtherSlotsHaveRegionsOfTheirOwn) {
  const Executable executable = threeEntries();
  const auto region =
      loadTranslator()->translate(executable.images[0], Exit, CodeKind::Plain);
  ASSERT_TRUE(region);
  EXPECT_EQ(region->entries, Entries{Exit});
}

TEST(TranslatorTest, EachEntryDoesWhatTheInterpreterDoes) {
  const Executable executable = threeEntries();
  const Code code(executable.images[0]);
  TranslationService service(true);
  Translations translations(service, executable.images[0]);
  for (const std::uint32_t slot : {0u, Second, Third}) {
    std::vector<std::uint8_t> memory(findTarget("ipu2")->regions[1].end -
                                     CodeBase);
    const auto run = [&](Translations *translated) {
      auto tile = makeTile(executable, 0, &code, memory.data(), nullptr);
      tile->translations = translated;
      tile->contexts[0].m[2] = 30;
      tile->launch(0, code.firstSlot() + slot, StateAt);
      runWorker(*tile, 0, 1 << 20);
      EXPECT_EQ(tile->translatedTurns != 0, translated != nullptr);
      return std::pair(tile->contexts[0].m[3], tile->contexts[0].issued);
    };
    EXPECT_EQ(run(nullptr), run(&translations)) << "slot " << slot;
  }
  EXPECT_TRUE(service.available());
}

TEST(TranslatorTest, AnEntryFarAwayInALargeFunction) {
  constexpr std::uint32_t Far = 1500;
  Assembler code;
  for (std::uint32_t i = 0; i != Far + 10; ++i)
    code("ADD_rs", {3, 3, 1});
  code("EXITZ", {15});
  Executable executable = oneVertex(code);
  executable.images[0].symbols.push_back({"far", CodeBase + 4 * Far, 0});
  const auto region =
      loadTranslator()->translate(executable.images[0], Far, CodeKind::Plain);
  ASSERT_TRUE(region);
  EXPECT_EQ(region->entries, Entries{Far});
}

} // namespace
