// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile linker on objects made by hand: what is kept, where it lies, what
// relocations put into instructions, stack depths, and everything that can be
// wrong with an object.

#include "lib/Link/Linker.h"

#include "test/unit/Link/ElfWriter.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace populus;
using link::LinkedImage;
using link::Linker;
using link::LinkError;
using test::ElfWriter;
namespace elf = runtime::elf;

namespace {

const runtime::TargetInfo &ipu2() { return *runtime::findTarget("ipu2"); }
const runtime::Address Base = ipu2().regions[0].begin;

std::uint32_t wordAt(const LinkedImage &linked, runtime::Address address) {
  std::uint32_t word;
  std::memcpy(&word, linked.image.bytes.data() + (address - Base), 4);
  return word;
}

LinkedImage linkOne(const ElfWriter &object,
                    std::vector<std::string> roots = {"main"}) {
  Linker linker(ipu2());
  linker.addObject("a.o", object.write());
  return linker.link(roots);
}

/// Links, which must fail with a message that has all `parts`.
void expectError(const ElfWriter &object,
                 std::initializer_list<const char *> parts,
                 std::vector<std::string> roots = {"main"}) {
  try {
    linkOne(object, std::move(roots));
    ADD_FAILURE() << "no error";
  } catch (const LinkError &error) {
    for (const char *part : parts)
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
          << "'" << part << "' is not in: " << error.what();
  }
}

TEST(Linker, KeepsWhatIsReachedOnly) {
  ElfWriter object;
  const unsigned mainText = object.text("main", {0x11111111, 0x22000000});
  const unsigned unused = object.text("unused", {0x33333333});
  const unsigned table =
      object.section(".rodata.table", SHF_ALLOC, {0, 0, 0, 0}, 8);
  const unsigned helper = object.text("helper", {0x44444444});
  object.symbol("main", mainText);
  object.symbol("unused", unused);
  const unsigned tableSymbol =
      object.symbol("table", table, 0, STB_LOCAL, STT_OBJECT);
  const unsigned helperSymbol = object.symbol("helper", helper);
  object.relocate(mainText, 4, elf::R_IPU_IMM20, tableSymbol);
  object.relocate(table, 0, elf::R_IPU_32, helperSymbol);
  const LinkedImage linked = linkOne(object);
  // Both functions, then the table, which is aligned to eight bytes.
  EXPECT_EQ(linked.entries.at("main"), Base);
  EXPECT_EQ(linked.image.textBytes, 12u);
  EXPECT_EQ(linked.image.bytes.size(), 20u);
  EXPECT_EQ(wordAt(linked, Base + 4), 0x22000000 | (Base + 16));
  EXPECT_EQ(wordAt(linked, Base + 8), 0x44444444u);
  EXPECT_EQ(wordAt(linked, Base + 16), Base + 8);
  ASSERT_EQ(linked.image.symbols.size(), 3u);
  EXPECT_EQ(linked.image.symbols[1].name, "helper");
  EXPECT_EQ(linked.image.symbols[2].name, "table");
}

TEST(Linker, EveryRelocation) {
  ElfWriter object;
  const unsigned text =
      object.text("main", {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                           0xffffffff, 0xffffffff});
  const unsigned data = object.section(".data.x", SHF_ALLOC | SHF_WRITE,
                                       {0xff, 0xff, 0xff, 0xff});
  const unsigned main = object.symbol("main", text);
  const unsigned dataSymbol = object.symbol("x", data, 0, STB_LOCAL);
  const unsigned callee = object.symbol("callee", object.text("callee", {0}));
  const unsigned small = object.symbol("small", SHN_ABS, 0x45);
  object.relocate(text, 0, elf::R_IPU_IMM20, main, 4);
  object.relocate(text, 4, elf::R_IPU_BRANCH19, main, 8);
  object.relocate(text, 8, elf::R_IPU_CALL20, callee);
  object.relocate(text, 12, elf::R_IPU_IMM16, small);
  object.relocate(text, 16, elf::R_IPU_RUN16, main, 20);
  object.relocate(text, 20, elf::R_IPU_IMM8, small, -5);
  object.relocate(data, 0, elf::R_IPU_16, small, -0x46);
  object.relocate(data, 2, elf::R_IPU_8, small);
  object.relocate(text, 0, elf::R_IPU_NONE, dataSymbol);
  const LinkedImage linked = linkOne(object);
  EXPECT_EQ(wordAt(linked, Base + 0), 0xfff00000 | (Base + 4));
  EXPECT_EQ(wordAt(linked, Base + 4), 0xfff80000 | (Base + 8) / 4);
  EXPECT_EQ(wordAt(linked, Base + 8), 0xfff00000 | (Base + 24) / 4);
  EXPECT_EQ(wordAt(linked, Base + 12), 0xffff0045);
  EXPECT_EQ(wordAt(linked, Base + 16), 0xffff0005);
  EXPECT_EQ(wordAt(linked, Base + 20), 0xffffff40);
  EXPECT_EQ(wordAt(linked, Base + 28), 0xff45ffff);
}

TEST(Linker, SymbolsAcrossObjects) {
  ElfWriter first;
  const unsigned text = first.text("main", {0, 0});
  first.symbol("main", text);
  const unsigned helper = first.symbol("helper", 0);
  const unsigned maybe = first.symbol("maybe", 0, 0, STB_WEAK);
  first.relocate(text, 0, elf::R_IPU_CALL20, helper);
  first.relocate(text, 4, elf::R_IPU_IMM20, maybe);
  ElfWriter weak, strong;
  weak.symbol("helper", weak.text("helper", {0x1}), 0, STB_WEAK);
  strong.symbol("helper", strong.text("helper", {0x2}));
  Linker linker(ipu2());
  linker.addObject("main.o", first.write());
  linker.addObject("weak.o", weak.write());
  linker.addObject("strong.o", strong.write());
  const LinkedImage linked = linker.link(std::vector<std::string>{"main"});
  EXPECT_EQ(wordAt(linked, Base), (Base + 8) / 4);
  EXPECT_EQ(wordAt(linked, Base + 4), 0u); // weak and undefined
  EXPECT_EQ(wordAt(linked, Base + 8), 0x2u);
}

TEST(Linker, DoubleDefinitionsMatterWhenUsed) {
  ElfWriter first, second;
  first.symbol("main", first.text("main", {1}));
  first.symbol("twice", first.text("twice", {2}));
  second.symbol("twice", second.text("twice", {3}));
  Linker linker(ipu2());
  linker.addObject("first.o", first.write());
  linker.addObject("second.o", second.write());
  EXPECT_NO_THROW(linker.link(std::vector<std::string>{"main"}));
  try {
    linker.link(std::vector<std::string>{"twice"});
    FAIL() << "no error";
  } catch (const LinkError &error) {
    const std::string message = error.what();
    for (const char *part : {"'twice'", "first.o", "second.o"})
      EXPECT_NE(message.find(part), std::string::npos) << message;
  }
}

TEST(Linker, StackAlongCalls) {
  // main (16) calls a (32) and b (8); a calls b. b loops with a branch to
  // itself, which is no recursion.
  ElfWriter object;
  const unsigned mainText = object.text("main", {0, 0});
  const unsigned aText = object.text("a", {0});
  const unsigned bText = object.text("b", {0});
  const unsigned main = object.symbol("main", mainText);
  const unsigned a = object.symbol("a", aText);
  const unsigned b = object.symbol("b", bText);
  object.relocate(mainText, 0, elf::R_IPU_CALL20, a);
  object.relocate(mainText, 4, elf::R_IPU_CALL20, b);
  object.relocate(aText, 0, elf::R_IPU_CALL20, b);
  object.relocate(bText, 0, elf::R_IPU_BRANCH19, b);
  object.stackSize(main, 16);
  object.stackSize(a, 32);
  object.stackSize(b, 8);
  EXPECT_EQ(linkOne(object).stackBytes, 56u);
  EXPECT_EQ(linkOne(object, {"b"}).stackBytes, 8u);
}

TEST(Linker, StackOfCallsThroughPointers) {
  // main passes target to helper, which calls it.
  ElfWriter object;
  const unsigned mainText = object.text("main", {0, 0});
  const unsigned main = object.symbol("main", mainText);
  const unsigned helper = object.symbol("helper", object.text("helper", {0}));
  const unsigned target = object.symbol("target", object.text("target", {0}));
  object.relocate(mainText, 0, elf::R_IPU_CALL20, helper);
  object.relocate(mainText, 4, elf::R_IPU_IMM20, target);
  object.stackSize(main, 8);
  object.stackSize(helper, 16);
  object.stackSize(target, 32);
  EXPECT_EQ(linkOne(object).stackBytes, 8u + 32u);
  const unsigned targets =
      object.section(".call_targets", 0, std::vector<std::uint8_t>(8));
  object.relocate(targets, 0, elf::R_IPU_32, helper);
  object.relocate(targets, 4, elf::R_IPU_32, target);
  EXPECT_EQ(linkOne(object).stackBytes, 8u + 16u + 32u);
}

TEST(Linker, LibrariesGiveWay) {
  ElfWriter main, library, own;
  const unsigned text = main.text("main", {0});
  main.symbol("main", text);
  main.relocate(text, 0, elf::R_IPU_IMM20, main.symbol("strlen", 0));
  library.symbol("strlen", library.text("strlen", {0x1}));
  own.symbol("strlen", own.text("strlen", {0x2}));
  Linker linker(ipu2());
  linker.addLibraryObject("device.o", library.write());
  linker.addObject("main.o", main.write());
  linker.addObject("own.o", own.write());
  const LinkedImage linked = linker.link(std::vector<std::string>{"main"});
  EXPECT_EQ(wordAt(linked, Base + 4), 0x2u);
}

TEST(Linker, RecursionIsForProgramsOnly) {
  ElfWriter object;
  const unsigned text = object.text("main", {0});
  const unsigned main = object.symbol("main", text);
  object.relocate(text, 0, elf::R_IPU_CALL20, main);
  expectError(object, {".text.main", "calls itself"});
  Linker linker(ipu2());
  linker.addObject("main.o", object.write());
  const LinkedImage linked = linker.link(std::vector<std::string>{"main"},
                                         populus::link::Purpose::Program);
  EXPECT_TRUE(linked.isRecursive);
}

/// main refers to the bounds of the list of constructors; two of these are in
/// one section, one with a priority in another; "late" sets `variable`.
ElfWriter withConstructors() {
  ElfWriter object;
  const unsigned text = object.text("main", {0, 0, 0});
  object.symbol("main", text);
  object.relocate(text, 0, elf::R_IPU_IMM20,
                  object.symbol("__init_array_start", 0, 0, STB_WEAK));
  object.relocate(text, 4, elf::R_IPU_IMM20,
                  object.symbol("__init_array_end", 0, 0, STB_WEAK));
  const unsigned lateText = object.text("late", {0});
  const unsigned late = object.symbol("late", lateText);
  const unsigned middle = object.symbol("middle", object.text("middle", {0}));
  const unsigned early = object.symbol("early", object.text("early", {0}));
  const unsigned variable = object.symbol(
      "variable",
      object.section(".data.variable", SHF_ALLOC | SHF_WRITE, {0, 0, 0, 0}));
  object.relocate(lateText, 0, elf::R_IPU_IMM20, variable);
  constexpr std::uint32_t Flags = SHF_ALLOC | SHF_WRITE;
  const unsigned list =
      object.section(".init_array", Flags, std::vector<std::uint8_t>(8));
  object.relocate(list, 0, elf::R_IPU_32, middle);
  object.relocate(list, 4, elf::R_IPU_32, late);
  const unsigned first =
      object.section(".init_array.101", Flags, std::vector<std::uint8_t>(4));
  object.relocate(first, 0, elf::R_IPU_32, early);
  object.stackSize(late, 48);
  const unsigned userText = object.text("user", {0});
  object.symbol("user", userText);
  object.relocate(userText, 0, elf::R_IPU_IMM20, variable);
  return object;
}

TEST(Linker, ProgramsGetTheListOfConstructors) {
  Linker linker(ipu2());
  linker.addObject("main.o", withConstructors().write());
  const LinkedImage linked = linker.link(std::vector<std::string>{"main"},
                                         populus::link::Purpose::Program);
  const auto address = [&](const std::string &name) {
    for (const auto &symbol : linked.image.symbols)
      if (symbol.name == name)
        return symbol.address;
    return 0u;
  };
  const std::uint32_t begin = wordAt(linked, Base);
  EXPECT_EQ(wordAt(linked, Base + 4), begin + 12);
  EXPECT_EQ(wordAt(linked, begin), address("early"));
  EXPECT_EQ(wordAt(linked, begin + 4), address("middle"));
  EXPECT_EQ(wordAt(linked, begin + 8), address("late"));
  EXPECT_EQ(linked.stackBytes, 48u);
}

TEST(Linker, CodeletsMustNotUseWhatConstructorsSetUp) {
  const ElfWriter object = withConstructors();
  EXPECT_EQ(wordAt(linkOne(object), Base), 0u);
  Linker linker(ipu2());
  linker.addObject("a.o", object.write());
  try {
    linker.link(std::vector<std::string>{"user"});
    FAIL() << "no error";
  } catch (const LinkError &error) {
    EXPECT_STREQ(error.what(),
                 "section '.data.variable' of object 'a.o' is set up by a "
                 "constructor or destroyed by a destructor, which does not "
                 "happen where codelets run; give its objects constant "
                 "initialisers");
  }
}

TEST(Linker, Errors) {
  ElfWriter missing;
  missing.symbol("other", missing.text("other", {0}));
  expectError(missing, {"'main'", "not defined"});

  ElfWriter undefined;
  const unsigned text = undefined.text("main", {0});
  undefined.symbol("main", text);
  undefined.relocate(text, 0, elf::R_IPU_CALL20, undefined.symbol("malloc", 0));
  expectError(undefined, {"'malloc'", ".text.main", "'a.o'"});

  ElfWriter note;
  const unsigned noteText = note.text("main", {0});
  note.symbol("main", noteText);
  const unsigned comment = note.section(".comment", 0, {1, 2, 3, 4});
  note.relocate(noteText, 0, elf::R_IPU_IMM20, note.symbol("text", comment));
  expectError(note, {"'text'", ".comment", "not loaded"});

  ElfWriter range;
  const unsigned rangeText = range.text("main", {0, 0});
  const unsigned rangeMain = range.symbol("main", rangeText);
  range.relocate(rangeText, 4, elf::R_IPU_IMM16, rangeMain);
  expectError(range, {"R_IPU_IMM16", "'main'", ".text.main", "'a.o'",
                      "offset 4", "16 bits"});

  ElfWriter aligned;
  const unsigned alignedText = aligned.text("main", {0});
  const unsigned alignedMain = aligned.symbol("main", alignedText);
  aligned.relocate(alignedText, 0, elf::R_IPU_BRANCH19, alignedMain, 2);
  expectError(aligned, {"R_IPU_BRANCH19", "multiple of 4"});

  ElfWriter foreign;
  foreign.symbol("main", foreign.text("main", {0}));
  foreign.machine = EM_X86_64;
  expectError(foreign, {"'a.o'", "not for an IPU"});

  ElfWriter older;
  older.symbol("main", older.text("main", {0}));
  older.section(".ctors.1", SHF_ALLOC, {0, 0, 0, 0});
  expectError(older, {".ctors.1", "are not run", ".init_array"});

  ElfWriter uneven;
  uneven.symbol("main", uneven.text("main", {0}));
  uneven.section(".init_array", SHF_ALLOC, {0, 0, 0});
  expectError(uneven, {".init_array", "'a.o'", "not a list of addresses"});

  ElfWriter unknown;
  const unsigned unknownText = unknown.text("main", {0});
  unknown.relocate(unknownText, 0, 99, unknown.symbol("main", unknownText));
  expectError(unknown, {"unknown type 99"});
}

// Each is linked or refused with its name; what is cut off never links, and of
// what is changed in one byte enough is refused for the checks to be there.
TEST(Linker, DamagedObjectsAreRefused) {
  ElfWriter object;
  const unsigned text = object.text("main", {1, 2, 3, 4});
  const unsigned main = object.symbol("main", text);
  const unsigned called = object.symbol("called", object.text("called", {5}));
  object.relocate(text, 4, elf::R_IPU_CALL20, called);
  object.stackSize(main, 8);
  object.stackSize(called, 16);
  const std::vector<std::uint8_t> good = object.write();
  const auto links = [](const std::vector<std::uint8_t> &bytes) {
    try {
      Linker linker(ipu2());
      linker.addObject("damaged.o", bytes);
      linker.link(std::vector<std::string>{"main"});
      return true;
    } catch (const LinkError &error) {
      EXPECT_STRNE(error.what(), "");
      return false;
    }
  };
  ASSERT_TRUE(links(good));
  for (std::size_t size = 0; size < good.size(); size += 3)
    EXPECT_FALSE(links({good.begin(), good.begin() + size})) << size;
  std::size_t refused = 0;
  for (std::size_t i = 0; i != good.size(); ++i)
    for (std::uint8_t value : {0x00, 0x7f, 0xff}) {
      std::vector<std::uint8_t> bytes = good;
      bytes[i] = value;
      refused += !links(bytes);
    }
  EXPECT_GT(refused, good.size() / 2);
  EXPECT_LT(refused, 3 * good.size());
}

} // namespace
