// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated tables: encodings do not collide, every row has semantics, and
// facts are those that names tell.

#include "runtime/Emulator/Code/Code.h"
#include "runtime/Emulator/Code/DecodeTable.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>

using namespace populus::runtime::emulator;

namespace {

TEST(TableTest, NoWordIsTwoInstructions) {
  for (const RowInfo &a : rows())
    for (const RowInfo &b : rows()) {
      const bool differ = ((a.value ^ b.value) & a.mask & b.mask) != 0;
      EXPECT_TRUE(&a == &b || differ) << a.name << " and " << b.name;
    }
}

TEST(TableTest, RowsNeverUseTheBundleBit) {
  for (const RowInfo &row : rows()) {
    EXPECT_EQ(row.mask >> 31, 1u) << row.name;
    EXPECT_EQ(row.value >> 31, 0u) << row.name;
    EXPECT_EQ(row.value >> 30 & 1, row.isAux) << row.name;
  }
}

TEST(TableTest, EveryRowHasSemantics) {
  for (std::size_t i = 0; i != rows().size(); ++i)
    EXPECT_TRUE(isSupported(i)) << rows()[i].name;
}

bool beginsWith(const std::string &name,
                std::initializer_list<const char *> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](const char *p) { return name.rfind(p, 0) == 0; });
}
bool contains(const std::string &name, const char *part) {
  return name.find(part) != std::string::npos;
}

// Names follow conventions, which tell most of the facts a second time.

TEST(TableTest, FlowAndWorkersAsNamed) {
  for (const RowInfo &row : rows()) {
    SCOPED_TRACE(row.name);
    const InstructionFacts &facts = row.facts;
    const std::string mnemonic = row.mnemonic;
    EXPECT_EQ(facts.flow == Flow::System, row.isSystem);
    EXPECT_EQ(facts.flow != Flow::Next && facts.flow != Flow::System,
              row.isControl);
    EXPECT_EQ(facts.flow == Flow::Repeat, mnemonic == "rpt");
    EXPECT_EQ(facts.flow == Flow::Exit, beginsWith(mnemonic, {"exit"}));
    EXPECT_EQ(facts.flow == Flow::Call, mnemonic == "call");
    EXPECT_EQ(facts.flow == Flow::Goto, mnemonic == "bri");
    EXPECT_EQ(facts.flow == Flow::Jump, mnemonic == "br");
    EXPECT_EQ(facts.workers == Workers::StartsOne, mnemonic == "run");
    EXPECT_EQ(facts.workers == Workers::StartsAll, mnemonic == "runall");
    EXPECT_EQ(facts.workers == Workers::Awaits, mnemonic == "sync");
    EXPECT_EQ(facts.workers == Workers::LoadsWeights,
              contains(mnemonic, "putcs"));
    EXPECT_EQ(facts.csr == Csr::ReadsLower, mnemonic == "get");
    EXPECT_EQ(facts.csr == Csr::WritesLower, mnemonic == "put");
    EXPECT_EQ(facts.csr == Csr::ReadsUpper, mnemonic == "uget");
    EXPECT_EQ(facts.csr == Csr::WritesUpper, mnemonic == "uput");
  }
}

TEST(TableTest, AccessesAsNamed) {
  for (const RowInfo &row : rows()) {
    SCOPED_TRACE(row.name);
    const InstructionFacts &facts = row.facts;
    const std::string name = row.name, mnemonic = row.mnemonic;
    EXPECT_EQ(facts.loads(), beginsWith(mnemonic, {"ld"}) && !row.isAux &&
                                 mnemonic != "ldconst");
    EXPECT_EQ(facts.stores(),
              beginsWith(mnemonic, {"st"}) || contains(mnemonic, "st64pace"));
    const bool isPaced = contains(mnemonic, "pace");
    EXPECT_EQ(facts.addressing == Addressing::Paced, isPaced);
    EXPECT_EQ(facts.addressing == Addressing::Immediate,
              contains(name, "_bdi"));
    EXPECT_EQ(facts.addressing == Addressing::Offset, contains(name, "_bdr"));
    EXPECT_EQ(facts.addressing == Addressing::Step,
              contains(mnemonic, "step") && contains(name, "_i"));
    EXPECT_EQ(facts.addressing == Addressing::StepBy,
              contains(mnemonic, "step") && contains(name, "_r"));
    unsigned triple = 0;
    for (std::uint8_t bytes : facts.tripleBytes)
      triple += bytes != 0;
    EXPECT_EQ(triple, !isPaced                             ? 0u
                      : contains(mnemonic, "ld2xst")       ? 3u
                      : beginsWith(mnemonic, {"st64pace"}) ? 1u
                                                           : 2u);
    if (facts.accessBytes != 0) {
      const char *bits = facts.accessBytes == 16  ? "128"
                         : facts.accessBytes == 8 ? "64"
                         : facts.accessBytes == 4 ? "32"
                         : facts.accessBytes == 2 ? "16"
                                                  : "8";
      EXPECT_TRUE(contains(mnemonic, bits)) << bits;
    }
    EXPECT_EQ(facts.accessBytes != 0,
              facts.access != AccessKind::None && !isPaced &&
                  !beginsWith(mnemonic, {"ldd", "ld64a32", "ldb16b16"}));
  }
}

TEST(TableTest, EnginesAsNamed) {
  for (const RowInfo &row : rows()) {
    SCOPED_TRACE(row.name);
    const InstructionFacts &facts = row.facts;
    const std::string mnemonic = row.mnemonic;
    const bool isEngine = facts.engine != EngineKind::None;
    EXPECT_EQ(isEngine, contains(mnemonic, "iso") || contains(mnemonic, "iho"));
    if (isEngine) {
      EXPECT_EQ(facts.engine == EngineKind::Slim, contains(mnemonic, "slic"));
      EXPECT_EQ(facts.takesSingles, beginsWith(mnemonic, {"f32"}));
      EXPECT_EQ(facts.givesSingles, contains(mnemonic, "siso"));
    }
    EXPECT_EQ(facts.setsTakeTurns, mnemonic == "f32sisov2amp");
  }
}

TEST(TableTest, MovedBitsAsNamed) {
  for (const RowInfo &row : rows()) {
    SCOPED_TRACE(row.name);
    const InstructionFacts &facts = row.facts;
    const std::string name = row.name, mnemonic = row.mnemonic;
    EXPECT_EQ(facts.bitMoves == BitMoves::Copies, mnemonic == "atom");
    EXPECT_EQ(facts.bitMoves != BitMoves::None,
              beginsWith(mnemonic, {"and", "or", "xor", "shl", "shr", "shuf",
                                    "sort", "roll", "swap", "mov", "atom"}));
    EXPECT_EQ(facts.lowestBits == LowestBits::Adds, name == "ADD_rr");
    EXPECT_EQ(facts.lowestBits == LowestBits::Takes, name == "AND_m_rz");
    EXPECT_EQ(facts.lowestBits == LowestBits::Joins,
              name == "OR_m_rr" || name == "XOR_rr");
  }
}

} // namespace
