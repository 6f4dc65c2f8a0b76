// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two passes over the body of a loop. The first pass finds out how registers
// move: by steps of post-increments, or in another way, which rules them out.
// The second pass adds up the steps in front of each access. For example,
// `ld32step $a0, $mzero, $m1+=, 2` moves $m1 by 8 bytes a round, so the access
// in round r is at $m1 + 8r. A straight line needs one pass only: a register is
// ruled out from the slot that moves it in another way. The code behind a loop
// begins with the steps of all of its rounds.

#include "lib/Translate/RepeatGuards.h"

#include "runtime/Emulator/Semantics/ControlRegisters.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace populus::translate {

using namespace llvm;
using namespace runtime::emulator;

namespace {

/// One access of an instruction to memory.
struct MemoryAccess {
  unsigned bytes;
  bool store = false;
  unsigned address = 0; // of a triple
  unsigned selector = 0;
  bool control = false; // loaded into $m
};

/// The accesses of an instruction of the main pipe, and how it computes their
/// addresses: from operands 1 and 2 (base, delta), and 3 (offset) or 4 (step);
/// or from a triple, operands `pair`, with its strides two after it.
struct Addresses {
  Addressing kind;
  std::vector<MemoryAccess> accesses;
  unsigned pair = 0;
};

Addresses pacedAddresses(const RowInfo &row, const Operands &operands) {
  Addresses result{Addressing::Paced, {}};
  constexpr unsigned StoreAddress = 2, SelectorBits = 2;
  auto selectors = static_cast<unsigned>(operands.imm);
  for (unsigned i = 0; i != std::size(row.facts.tripleBytes); ++i) {
    const unsigned bytes = row.facts.tripleBytes[i];
    if (bytes == 0)
      continue;
    result.accesses.push_back(
        {bytes, i == StoreAddress, i, selectors & ((1u << SelectorBits) - 1)});
    selectors >>= SelectorBits;
  }
  // The triple is the first operand in two $m.
  while (row.operands[result.pair].kind != OperandKind::MRead)
    ++result.pair;
  return result;
}

std::optional<Addresses> addressesOf(const DecodedSlot &slot) {
  const InstructionFacts &facts = slot.main->facts;
  switch (facts.addressing) {
  case Addressing::Paced:
    return pacedAddresses(*slot.main, slot.mainOperands);
  case Addressing::None:
  case Addressing::Other:
    return std::nullopt;
  default:
    return Addresses{facts.addressing,
                     {{facts.accessBytes, facts.stores(), 0, 0,
                       facts.loads() && slot.main->operands[0].kind ==
                                            OperandKind::MWrite}}};
  }
}

/// A pair that cannot be written does not move.
bool movesPair(const Operands &o, const Addresses &addressing) {
  return o.r[addressing.pair + 1] == o.r[addressing.pair];
}

bool mayStore(const DecodedSlot &bundle) { return bundle.main->facts.stores(); }

/// The changes of the registers that addresses are made of.
class Movements {
public:
  /// Notes all slots of a piece, which may run any number of times.
  void note(const std::vector<DecodedSlot> &slots) {
    for (const DecodedSlot &slot : slots)
      noteWrites(slot);
    for (const DecodedSlot &slot : slots)
      noteStrides(slot);
  }
  void noteWrites(const DecodedSlot &slot) {
    const std::optional<Addresses> addressing = addressesOf(slot);
    const Operands &o = slot.mainOperands;
    for (unsigned i = 0; i != slot.main->numOperands; ++i) {
      const OperandInfo &info = slot.main->operands[i];
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
  /// Rules out a register whose stride is a register that changes.
  void noteStrides(const DecodedSlot &slot) {
    const std::optional<Addresses> addressing = addressesOf(slot);
    if (!addressing)
      return;
    const Operands &o = slot.mainOperands;
    if (addressing->kind == Addressing::StepBy && !constant(o.r[4]))
      use(o.r[3], Use::Other);
    if (addressing->kind == Addressing::Paced &&
        !constant(o.r[addressing->pair + 2]))
      use(o.r[addressing->pair + 1], Use::Other);
  }

  /// Returns whether the address of an access is known.
  bool knows(const Addresses &addressing, const Operands &o) const {
    if (addressing.kind == Addressing::Paced)
      return isTriple(o.r[addressing.pair]);
    return steady(o.r[1]) && steady(o.r[2]) &&
           (addressing.kind != Addressing::Offset || steady(o.r[3]));
  }
  /// Returns whether the value of a register in a round is known.
  bool steady(unsigned r) const {
    return uses[r] == Use::Untouched || uses[r] == Use::Steps;
  }
  /// Returns whether a register keeps its first value.
  bool constant(unsigned r) const { return uses[r] == Use::Untouched; }
  bool isTriple(unsigned pair) const {
    return pair % 2 == 0 && mayBeTriple(pair) && mayBeTriple(pair + 1);
  }

private:
  enum class Use { Untouched, Steps, Triple, Other };

  void use(unsigned r, Use how) {
    if (r >= SpareM)
      return;
    uses[r] = uses[r] == Use::Untouched || uses[r] == how ? how : Use::Other;
  }
  bool mayBeTriple(unsigned r) const {
    return uses[r] == Use::Untouched || uses[r] == Use::Triple;
  }

  std::array<Use, SpareM + 2> uses{};
};

/// Bytes that are known only when the code runs, and bytes that are known.
struct Distance {
  Value *dynamic = nullptr;
  std::int64_t fixed = 0;
};

/// Registers that are read, but for triples as such.
class Reads {
public:
  void note(const DecodedSlot &slot) {
    const std::optional<Addresses> addressing = addressesOf(slot);
    for (unsigned i = 0; i != slot.main->numOperands; ++i) {
      const OperandInfo &info = slot.main->operands[i];
      if (info.kind != OperandKind::MRead ||
          (addressing && addressing->kind == Addressing::Paced &&
           info.slot == addressing->pair))
        continue;
      for (unsigned word = 0; word != info.words; ++word)
        seen[slot.mainOperands.r[info.slot] + word] = true;
    }
  }
  bool seesPair(unsigned pair) const { return seen[pair] || seen[pair + 1]; }

private:
  std::array<bool, SpareM + 2> seen{};
};

class Guards {
public:
  Guards(IRBuilder<> &builder, SemanticsModule &semantics, Value *context)
      : builder(builder), semantics(semantics), context(context) {}

  RepeatGuards piece(const CodePiece &next) {
    steps.clear();
    groups.clear();
    found.clear();
    if (next.repeat)
      movements.note(next.slots);
    for (const DecodedSlot &slot : next.slots) {
      walk(slot);
      if (!next.repeat)
        movements.note({slot});
      reads.note(slot);
    }
    RepeatGuards result = finish(next);
    moveOn(next);
    return result;
  }

private:
  /// A moving part of an address: a register, or an address of a triple (its
  /// pair and which).
  using Mover = std::pair<unsigned, unsigned>;
  static constexpr unsigned Whole = 3;
  /// Movers that add up to an address, with their scales.
  using Movers = std::vector<std::pair<Mover, unsigned>>;

  /// Accesses that lie a number of bytes apart, in all rounds, and have the
  /// same size, which is what they are aligned to.
  struct Group {
    Movers movers;
    std::vector<Value *> dynamic; // steps of these in the first round
    unsigned bytes;
    bool store;
    bool control;
    std::int64_t remainder; // of all of their offsets, modulo bytes
    Value *base = nullptr;  // address without the offset, 64 bits
    Value *stride = nullptr;
    std::vector<std::int64_t> offsets;

    bool isLike(const Group &other) const {
      return movers == other.movers && dynamic == other.dynamic &&
             bytes == other.bytes && store == other.store &&
             control == other.control && remainder == other.remainder;
    }
  };
  struct Found {
    std::size_t group;
    std::int64_t offset;
    unsigned which;
  };

  Value *call(StringRef helper, ArrayRef<Value *> arguments) {
    return builder.CreateCall(semantics.helper(helper), arguments);
  }
  Value *read(unsigned r) {
    return isZero(r) ? builder.getInt32(0)
                     : call("populus_read_m", {context, builder.getInt32(r)});
  }
  static bool isZero(unsigned r) { return r > VertexBase && r < SpareM; }
  Value *number(std::int64_t value) {
    return builder.getInt64(static_cast<std::uint64_t>(value));
  }
  Value *valueOf(const Distance &distance) {
    return distance.dynamic
               ? builder.CreateAdd(distance.dynamic, number(distance.fixed))
               : number(distance.fixed);
  }

  void step(Mover mover, std::int64_t by) { steps[mover].fixed += by; }
  void step(Mover mover, Value *by) {
    Value *&dynamic = steps[mover].dynamic;
    dynamic = dynamic ? builder.CreateAdd(dynamic, by) : by;
  }

  void walk(const DecodedSlot &bundle) {
    found.emplace_back();
    const std::optional<Addresses> addressing = addressesOf(bundle);
    if (!addressing)
      return;
    if (addressing->kind == Addressing::Paced)
      walkPaced(bundle.mainOperands, *addressing);
    else
      walkSimple(bundle.mainOperands, *addressing);
  }

  void walkSimple(const Operands &o, const Addresses &addressing) {
    const MemoryAccess &access = addressing.accesses.front();
    const unsigned bytes = access.bytes;
    Movers movers = {{{o.r[1], Whole}, 1}, {{o.r[2], Whole}, 1}};
    if (addressing.kind == Addressing::Offset)
      movers.push_back({{o.r[3], Whole}, bytes});
    if (movements.knows(addressing, o))
      add(access, std::move(movers),
          addressing.kind == Addressing::Immediate ? std::int64_t(o.imm) * bytes
                                                   : 0);
    // A register that cannot be written does not move.
    if (!movements.steady(o.r[2]) || o.r[3] != o.r[2])
      return;
    if (addressing.kind == Addressing::Step)
      step({o.r[2], Whole}, std::int64_t(o.imm) * bytes);
    else if (addressing.kind == Addressing::StepBy)
      step({o.r[2], Whole},
           builder.CreateMul(
               builder.CreateSExt(read(o.r[4]), builder.getInt64Ty()),
               builder.getInt64(bytes)));
  }

  void walkPaced(const Operands &o, const Addresses &addressing) {
    const unsigned pair = o.r[addressing.pair];
    const unsigned strides = o.r[addressing.pair + 2];
    if (!movements.isTriple(pair))
      return;
    for (const MemoryAccess &access : addressing.accesses)
      add(access, {{{pair, access.address}, 1}}, 0);
    if (!movesPair(o, addressing))
      return;
    paced.insert(pair);
    for (const MemoryAccess &access : addressing.accesses) {
      const Mover mover{pair, access.address};
      if (access.selector == 0)
        step(mover, access.bytes);
      else if (!isZero(strides))
        step(mover, builder.CreateMul(call("populus_pace",
                                           {context, builder.getInt32(strides),
                                            builder.getInt32(access.selector)}),
                                      builder.getInt64(access.bytes)));
    }
  }

  void add(const MemoryAccess &access, Movers movers, std::int64_t offset) {
    Group group{std::move(movers),
                {},
                access.bytes,
                access.store,
                access.control,
                0,
                nullptr,
                nullptr,
                {}};
    for (const auto &[mover, scale] : group.movers) {
      const Distance &distance = steps[mover];
      group.dynamic.push_back(distance.dynamic);
      offset += distance.fixed * scale;
    }
    group.remainder = offset % access.bytes;
    auto at = std::find_if(groups.begin(), groups.end(),
                           [&](const Group &g) { return g.isLike(group); });
    if (at == groups.end()) {
      group.base = baseOf(group);
      at = groups.insert(groups.end(), std::move(group));
    }
    at->offsets.push_back(offset);
    found.back().push_back({static_cast<std::size_t>(at - groups.begin()),
                            offset, access.address});
  }

  /// Returns the address of a group's accesses in the first round, without
  /// their offsets.
  Value *baseOf(const Group &group) {
    Value *result = initialOf(group.movers);
    for (std::size_t i = 0; i != group.movers.size(); ++i) {
      const auto &[mover, scale] = group.movers[i];
      for (Value *by : {movedBefore[mover], group.dynamic[i]})
        if (by)
          result = builder.CreateAdd(
              result, builder.CreateMul(by, builder.getInt64(scale)));
    }
    return result;
  }
  /// Returns the address of movers before all pieces; registers add up modulo
  /// 2^32.
  Value *initialOf(const Movers &movers) {
    const Mover &first = movers.front().first;
    Value *&result = initial[movers];
    if (result)
      return result;
    Value *sum = builder.getInt32(0);
    if (first.second != Whole)
      sum = call("populus_triple", {context, builder.getInt32(first.first),
                                    builder.getInt32(first.second)});
    else
      for (const auto &[mover, scale] : movers)
        sum = builder.CreateAdd(
            sum, builder.CreateMul(read(mover.first), builder.getInt32(scale)));
    return result = builder.CreateZExt(sum, builder.getInt64Ty());
  }

  /// Between rounds. Only at the end the steps of whole rounds are known.
  Value *strideOf(const Movers &movers) {
    Value *stride = number(0);
    for (const auto &[mover, scale] : movers)
      stride =
          builder.CreateAdd(stride, builder.CreateMul(valueOf(steps[mover]),
                                                      builder.getInt64(scale)));
    return stride;
  }

  RepeatGuards finish(const CodePiece &piece) {
    RepeatGuards result{builder.getInt64(0), {}, {}, true, {}};
    for (Group &group : groups) {
      group.stride = piece.repeat ? strideOf(group.movers) : number(0);
      result.defects = builder.CreateOr(result.defects, outside(group, piece));
      addRanges(group, result.ranges);
    }
    for (const std::vector<Found> &accesses : found) {
      std::vector<RepeatedAccess> &known = result.accesses.emplace_back();
      for (const auto &[index, offset, which] : accesses) {
        const Group &group = groups[index];
        known.push_back({group.base, offset, group.stride, which, group.bytes,
                         group.store});
      }
    }
    for (std::size_t i = 0; i != piece.slots.size(); ++i)
      if (found[i].empty() && mayStore(piece.slots[i]))
        result.complete = false;
    for (unsigned pair : paced) {
      result.triples.push_back(
          {pair,
           {valueOf(steps[{pair, 0}]), valueOf(steps[{pair, 1}]),
            valueOf(steps[{pair, 2}])}});
      if (!movements.isTriple(pair) || reads.seesPair(pair))
        result.complete = false;
    }
    return result;
  }

  /// Moves on to the next piece.
  void moveOn(const CodePiece &piece) {
    for (const auto &[mover, distance] : steps) {
      Value *by = valueOf(distance);
      if (piece.repeat)
        by = builder.CreateMul(
            by, builder.CreateZExt(piece.count, builder.getInt64Ty()));
      Value *&before = movedBefore[mover];
      before = before ? builder.CreateAdd(before, by) : by;
    }
  }

  /// Negative if a group accesses what it must not.
  Value *outside(const Group &group, const CodePiece &piece) {
    const auto [low, high] =
        std::minmax_element(group.offsets.begin(), group.offsets.end());
    const auto span = static_cast<unsigned>(*high - *low + group.bytes);
    const std::vector<Value *> once = {
        context, builder.CreateAdd(group.base, number(*low)),
        builder.getInt32(span), builder.getInt32(group.bytes),
        builder.getInt1(group.store)};
    if (!piece.repeat)
      return call("populus_outside_range", once);
    std::vector<Value *> arguments = once;
    arguments.insert(arguments.end(), {group.stride, piece.count});
    return call("populus_outside_walk", arguments);
  }

  /// Adds the ranges that a group accesses, separated by gaps.
  void addRanges(const Group &group, std::vector<RepeatedRange> &ranges) {
    std::vector<std::int64_t> offsets = group.offsets;
    std::sort(offsets.begin(), offsets.end());
    for (std::size_t i = 0; i != offsets.size();) {
      const std::int64_t begin = offsets[i];
      std::int64_t end = begin;
      for (; i != offsets.size() && offsets[i] <= end; ++i)
        end = offsets[i] + group.bytes;
      ranges.push_back({builder.CreateAdd(group.base, number(begin)),
                        group.stride, static_cast<unsigned>(end - begin),
                        group.store, group.control});
    }
  }

  IRBuilder<> &builder;
  SemanticsModule &semantics;
  Value *context;
  Movements movements;
  Reads reads;
  std::set<unsigned> paced; // pairs
  std::map<Movers, Value *> initial;
  std::map<Mover, Value *> movedBefore; // in the pieces before this one
  std::map<Mover, Distance> steps;      // in a round of it
  std::vector<Group> groups;
  std::vector<std::vector<Found>> found; // by bundle
};

/// Returns whether the loop count in front of all pieces is still the one that
/// the hardware loop reads.
bool isCountKnown(const DecodedSlot &repeat, const Movements &movements) {
  for (unsigned i = 0; i != repeat.main->numOperands; ++i) {
    const OperandInfo &info = repeat.main->operands[i];
    if (info.kind == OperandKind::MRead &&
        !movements.constant(repeat.mainOperands.r[info.slot]))
      return false;
  }
  return true;
}

} // namespace

Influence influenceOf(const DecodedSlot &slot) {
  const auto isOther = [](const RowInfo *row, const Operands &operands) {
    const Csr kind = row ? row->facts.csr : Csr::None;
    return (kind == Csr::ReadsLower && operands.imm != csr::Pc &&
            operands.imm != csr::Status && operands.imm != csr::VertexBase &&
            operands.imm != csr::WorkerBase) ||
           (kind == Csr::WritesUpper && operands.imm == csr::FpControl);
  };
  if (isOther(slot.main, slot.mainOperands) ||
      isOther(slot.aux, slot.auxOperands))
    return Influence::Other;
  const auto has = [&](OperandKind kind) {
    return std::any_of(
        slot.main->operands, slot.main->operands + slot.main->numOperands,
        [&](const OperandInfo &info) { return info.kind == kind; });
  };
  if (!isMemoryAccess(slot))
    return has(OperandKind::MWrite) && has(OperandKind::ARead)
               ? Influence::Other
               : Influence::None;
  if (slot.main->facts.access == AccessKind::Store)
    return Influence::None;
  const std::optional<Addresses> addressing = addressesOf(slot);
  if (!addressing)
    return Influence::Other; // offsets from memory
  return addressing->accesses.front().control ? Influence::Loaded
                                              : Influence::None;
}

bool isMemoryAccess(const DecodedSlot &slot) {
  return slot.main->facts.access != AccessKind::None;
}

std::vector<RepeatedRange> RepeatGuards::stores() const {
  std::vector<RepeatedRange> result;
  std::copy_if(ranges.begin(), ranges.end(), std::back_inserter(result),
               [](const RepeatedRange &range) { return range.store; });
  return result;
}

std::vector<RepeatGuards> emitGuards(IRBuilder<> &builder,
                                     SemanticsModule &semantics, Value *context,
                                     const std::vector<CodePiece> &pieces) {
  Guards guards(builder, semantics, context);
  std::vector<RepeatGuards> result;
  for (const CodePiece &piece : pieces)
    result.push_back(guards.piece(piece));
  return result;
}

StraightLine straightLine(const std::vector<DecodedSlot> &slots,
                          const std::vector<CodePiece> &before) {
  Movements movements;
  for (const CodePiece &piece : before)
    movements.note(piece.slots);
  StraightLine result = {0, 0};
  for (const DecodedSlot &slot : slots) {
    if (const std::optional<Addresses> addressing = addressesOf(slot)) {
      if (movements.knows(*addressing, slot.mainOperands))
        result.accesses += addressing->accesses.size();
      else if (result.slots != 0 || !before.empty())
        break;
    }
    movements.note({slot});
    ++result.slots;
  }
  return result;
}

bool isKnownInAdvance(const std::vector<CodePiece> &pieces) {
  Movements movements;
  Reads reads;
  std::set<unsigned> paced;
  for (const CodePiece &piece : pieces) {
    if (piece.repeat) {
      if (!isCountKnown(*piece.repeat, movements))
        return false;
      movements.note(piece.slots);
    }
    for (const DecodedSlot &slot : piece.slots) {
      const std::optional<Addresses> addressing = addressesOf(slot);
      if (addressing ? !movements.knows(*addressing, slot.mainOperands)
                     : isMemoryAccess(slot))
        return false;
      if (addressing && addressing->kind == Addressing::Paced &&
          movesPair(slot.mainOperands, *addressing))
        paced.insert(slot.mainOperands.r[addressing->pair]);
      if (!piece.repeat)
        movements.note({slot});
      reads.note(slot);
    }
  }
  return std::all_of(paced.begin(), paced.end(), [&](unsigned pair) {
    return movements.isTriple(pair) && !reads.seesPair(pair);
  });
}

} // namespace populus::translate
