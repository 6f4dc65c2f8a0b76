// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes over the body. The first one finds out how registers move: by
// steps of post-increments, or in another way, which rules them out. The second
// one adds up the steps in front of each access.

#include "lib/Translate/RepeatGuards.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

namespace populus::translate {

using namespace llvm;
using namespace runtime::emulator;

namespace {

/// One access of an instruction to memory.
struct Access {
  unsigned bytes;
  bool store = false;
  unsigned address = 0; // of a triple
  unsigned selector = 0;
};

/// How an instruction of the main pipe computes its addresses.
struct Addressing {
  enum Kind {
    Immediate, // base + delta + bytes * imm: operands 1, 2
    Offset,    // base + delta + bytes * off: operands 1, 2, 3
    Step,      // base + delta, delta moves on by imm: operands 1, 2
    StepBy,    // the same, by the register of operand 4
    Paced,     // a triple: operands `pair`, and its strides two after it
  } kind;
  std::vector<Access> accesses;
  unsigned pair = 0;
};

/// Sizes as the mnemonics have them.
unsigned accessBytes(std::string_view name) {
  if (name.find("128") != name.npos)
    return 16;
  if (name.find("64") != name.npos)
    return 8;
  if (name.find("32") != name.npos)
    return 4;
  return name.find("16") != name.npos ? 2 : 1;
}

std::optional<Addressing> pacedAddressing(std::string_view name,
                                          const Operands &operands) {
  const auto imm = static_cast<unsigned>(operands.imm);
  const unsigned s0 = imm & 3, s1 = imm >> 2 & 3, s2 = imm >> 4 & 3;
  const Access first{8, false, 0, s0};
  if (name == "LD2X64PACE")
    return Addressing{Addressing::Paced, {first, {8, false, 1, s1}}, 2};
  if (name == "LD64A32PACE")
    return Addressing{Addressing::Paced, {first, {4, false, 1, s1}}, 2};
  if (name == "LD64B16PACE")
    return Addressing{Addressing::Paced, {first, {2, false, 1, s1}}, 2};
  if (name == "LDST64PACE")
    return Addressing{Addressing::Paced, {first, {8, true, 2, s1}}, 2};
  if (name == "LD2XST64PACE")
    return Addressing{
        Addressing::Paced, {first, {8, false, 1, s1}, {8, true, 2, s2}}, 2};
  if (name == "ST64PACE")
    return Addressing{Addressing::Paced, {{8, true, 2, s0}}, 1};
  return std::nullopt;
}

std::optional<Addressing> addressingOf(const DecodedSlot &slot) {
  const std::string_view name = slot.main->name;
  if (name.find("PACE") != name.npos)
    return pacedAddressing(name, slot.mainOperands);
  const bool store = name.starts_with("ST");
  if ((!store && !name.starts_with("LD")) || name.starts_with("STM"))
    return std::nullopt;
  const std::vector<Access> access = {{accessBytes(name), store}};
  if (name.ends_with("_bdi"))
    return Addressing{Addressing::Immediate, access};
  if (name.ends_with("_bdr"))
    return Addressing{Addressing::Offset, access};
  if (name.find("STEP") == name.npos)
    return std::nullopt;
  if (name.ends_with("_i"))
    return Addressing{Addressing::Step, access};
  if (name.ends_with("_r"))
    return Addressing{Addressing::StepBy, access};
  return std::nullopt;
}

class Guards {
public:
  Guards(IRBuilder<> &builder, SemanticsModule &semantics, Value *context,
         Value *count, const std::vector<DecodedSlot> &bundles)
      : builder(builder), semantics(semantics), context(context), count(count),
        bundles(bundles) {}

  RepeatGuards run() {
    for (const DecodedSlot &bundle : bundles)
      noteWrites(bundle);
    for (const DecodedSlot &bundle : bundles) {
      noteStrides(bundle);
      noteReads(bundle);
    }
    for (const DecodedSlot &bundle : bundles)
      walk(bundle);
    RepeatGuards result{builder.getTrue(), {}, true, {}};
    // Only now the steps of whole rounds are known.
    for (std::size_t i = 0; i != found.size(); ++i) {
      if (found[i].empty() && mayStore(bundles[i]))
        result.complete = false;
      std::vector<RepeatedAccess> &accesses = result.accesses.emplace_back();
      for (const Found &access : found[i]) {
        accesses.push_back(walkOf(access));
        result.good = builder.CreateAnd(result.good, inside(accesses.back()));
      }
    }
    for (unsigned pair = 0; pair != SpareM; ++pair)
      if (isTriple(pair)) {
        result.triples.push_back(
            {pair,
             {stepsOf({pair, 0}), stepsOf({pair, 1}), stepsOf({pair, 2})}});
        if (seen[pair] || seen[pair + 1])
          result.complete = false;
      }
    return result;
  }

private:
  enum class Use { Untouched, Steps, Triple, Other };
  /// What moves: a register, or an address of a triple (its pair and which).
  using Mover = std::pair<unsigned, unsigned>;
  static constexpr unsigned Whole = 3;

  struct Found {
    Access access;
    Value *initial; // address without the steps, 64 bits
    Value *before;  // steps in front of the access in the first round
    std::vector<std::pair<Mover, unsigned>> movers; // with their scales
  };

  void use(unsigned r, Use how) {
    if (r >= SpareM)
      return;
    uses[r] = uses[r] == Use::Untouched || uses[r] == how ? how : Use::Other;
  }

  void noteWrites(const DecodedSlot &bundle) {
    const std::optional<Addressing> addressing = addressingOf(bundle);
    const Operands &o = bundle.mainOperands;
    for (unsigned i = 0; i != bundle.main->numOperands; ++i) {
      const OperandInfo &info = bundle.main->operands[i];
      if (info.kind != OperandKind::MWrite)
        continue;
      Use how = Use::Other;
      if (addressing && addressing->kind == Addressing::Paced)
        how = Use::Triple;
      else if (addressing && info.slot == 3 &&
               (addressing->kind == Addressing::Step ||
                addressing->kind == Addressing::StepBy))
        how = Use::Steps;
      for (unsigned word = 0; word != info.words; ++word)
        use(o.r[info.slot] + word, how);
    }
  }

  /// What moves by a register that changes is not known.
  void noteStrides(const DecodedSlot &bundle) {
    const std::optional<Addressing> addressing = addressingOf(bundle);
    if (!addressing)
      return;
    const Operands &o = bundle.mainOperands;
    if (addressing->kind == Addressing::StepBy && !constant(o.r[4]))
      use(o.r[3], Use::Other);
    if (addressing->kind == Addressing::Paced &&
        !constant(o.r[addressing->pair + 2]))
      use(o.r[addressing->pair + 1], Use::Other);
  }

  /// Registers that are read, but for triples as such.
  void noteReads(const DecodedSlot &bundle) {
    const std::optional<Addressing> addressing = addressingOf(bundle);
    for (unsigned i = 0; i != bundle.main->numOperands; ++i) {
      const OperandInfo &info = bundle.main->operands[i];
      if (info.kind != OperandKind::MRead ||
          (addressing && addressing->kind == Addressing::Paced &&
           info.slot == addressing->pair))
        continue;
      for (unsigned word = 0; word != info.words; ++word)
        seen[bundle.mainOperands.r[info.slot] + word] = true;
    }
  }

  /// Whether the value of a register in a round is known.
  bool steady(unsigned r) const {
    return uses[r] == Use::Untouched || uses[r] == Use::Steps;
  }
  bool isTriple(unsigned pair) const {
    return pair % 2 == 0 && uses[pair] == Use::Triple &&
           uses[pair + 1] == Use::Triple;
  }
  bool constant(unsigned r) const { return uses[r] == Use::Untouched; }

  Value *call(StringRef helper, ArrayRef<Value *> arguments) {
    return builder.CreateCall(semantics.helper(helper), arguments);
  }
  Value *read(unsigned r) {
    return call("populus_read_m", {context, builder.getInt32(r)});
  }
  Value *wide(Value *value) {
    return builder.CreateZExt(value, builder.getInt64Ty());
  }
  Value *narrowConstant(std::int32_t value) {
    return builder.getInt32(static_cast<std::uint32_t>(value));
  }

  /// Steps of a mover in this round so far.
  Value *stepsOf(Mover mover) {
    const auto it = steps.find(mover);
    return it == steps.end() ? builder.getInt64(0) : it->second;
  }
  void step(Mover mover, Value *by) {
    steps[mover] = builder.CreateAdd(stepsOf(mover), by);
  }

  void walk(const DecodedSlot &bundle) {
    found.emplace_back();
    const std::optional<Addressing> addressing = addressingOf(bundle);
    if (!addressing)
      return;
    if (addressing->kind == Addressing::Paced)
      walkPaced(bundle.mainOperands, *addressing);
    else
      walkSimple(bundle.mainOperands, *addressing);
  }

  void walkSimple(const Operands &o, const Addressing &addressing) {
    const Access &access = addressing.accesses.front();
    const unsigned bytes = access.bytes;
    std::vector<std::pair<Mover, unsigned>> movers = {{{o.r[1], Whole}, 1},
                                                      {{o.r[2], Whole}, 1}};
    bool known = steady(o.r[1]) && steady(o.r[2]);
    if (addressing.kind == Addressing::Offset) {
      known &= steady(o.r[3]);
      movers.push_back({{o.r[3], Whole}, bytes});
    }
    if (known) {
      Value *initial = builder.getInt32(0), *before = builder.getInt64(0);
      for (const auto &[mover, scale] : movers) {
        initial = builder.CreateAdd(
            initial,
            builder.CreateMul(read(mover.first), builder.getInt32(scale)));
        before = builder.CreateAdd(
            before, builder.CreateMul(stepsOf(mover), builder.getInt64(scale)));
      }
      if (addressing.kind == Addressing::Immediate)
        initial = builder.CreateAdd(
            initial, narrowConstant(o.imm * static_cast<std::int32_t>(bytes)));
      found.back().push_back({access, wide(initial), before, movers});
    }
    // A register that cannot be written does not move.
    if (!steady(o.r[2]) || o.r[3] != o.r[2])
      return;
    if (addressing.kind == Addressing::Step)
      step({o.r[2], Whole}, builder.getInt64(static_cast<std::uint64_t>(
                                std::int64_t(o.imm) * bytes)));
    else if (addressing.kind == Addressing::StepBy)
      step({o.r[2], Whole},
           builder.CreateMul(
               builder.CreateSExt(read(o.r[4]), builder.getInt64Ty()),
               builder.getInt64(bytes)));
  }

  void walkPaced(const Operands &o, const Addressing &addressing) {
    const unsigned pair = o.r[addressing.pair];
    const unsigned strides = o.r[addressing.pair + 2];
    if (!isTriple(pair))
      return;
    for (const Access &access : addressing.accesses) {
      const Mover mover{pair, access.address};
      Value *initial =
          wide(call("populus_triple", {context, builder.getInt32(pair),
                                       builder.getInt32(access.address)}));
      found.back().push_back({access, initial, stepsOf(mover), {{mover, 1}}});
    }
    for (const Access &access : addressing.accesses) {
      Value *elements =
          call("populus_pace", {context, builder.getInt32(strides),
                                builder.getInt32(access.selector)});
      step({pair, access.address},
           builder.CreateMul(elements, builder.getInt64(access.bytes)));
    }
  }

  RepeatedAccess walkOf(const Found &access) {
    Value *stride = builder.getInt64(0);
    for (const auto &[mover, scale] : access.movers)
      stride = builder.CreateAdd(
          stride, builder.CreateMul(stepsOf(mover), builder.getInt64(scale)));
    return {builder.CreateAdd(access.initial, access.before), stride,
            access.access.bytes, access.access.store, access.access.address};
  }
  Value *inside(const RepeatedAccess &walk) {
    return call("populus_inside",
                {context, walk.first, walk.stride, count,
                 builder.getInt32(walk.bytes), builder.getInt1(walk.store)});
  }
  static bool mayStore(const DecodedSlot &bundle) {
    const std::string_view name = bundle.main->name;
    return name.starts_with("ST") || name.find("ST64PACE") != name.npos;
  }

  IRBuilder<> &builder;
  SemanticsModule &semantics;
  Value *context;
  Value *count;
  const std::vector<DecodedSlot> &bundles;
  std::array<Use, SpareM + 2> uses{};
  std::array<bool, SpareM + 2> seen{};
  std::map<Mover, Value *> steps;
  std::vector<std::vector<Found>> found; // by bundle
};

} // namespace

std::vector<RepeatedAccess> RepeatGuards::stores() const {
  std::vector<RepeatedAccess> result;
  for (const std::vector<RepeatedAccess> &bundle : accesses)
    std::copy_if(bundle.begin(), bundle.end(), std::back_inserter(result),
                 [](const RepeatedAccess &access) { return access.store; });
  return result;
}

RepeatGuards emitRepeatGuards(IRBuilder<> &builder, SemanticsModule &semantics,
                              Value *context, Value *count,
                              const std::vector<DecodedSlot> &bundles) {
  return Guards(builder, semantics, context, count, bundles).run();
}

} // namespace populus::translate
