// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions' semantics as a library of LLVM functions. This file is
// compiled to bitcode, not to code: the translator takes the functions of the
// instructions that occur in a region, with constant operands, and inlines
// them, so that nothing of decoding is left. What the translator needs to know
// of the state's layout is in helper functions here, too.
//
// Elementary functions, random numbers, traps and what only supervisors do are
// not here: they are rare or long, and translated code calls the interpreter
// for them.

#include "runtime/Emulator/Semantics/Accumulators.h"
#include "runtime/Emulator/Semantics/Arithmetic.h"
#include "runtime/Emulator/Semantics/AuxBits.h"
#include "runtime/Emulator/Semantics/Control.h"
#include "runtime/Emulator/Semantics/ControlRegisters.h"
#include "runtime/Emulator/Semantics/Convert.h"
#include "runtime/Emulator/Semantics/Engines.h"
#include "runtime/Emulator/Semantics/Integer.h"
#include "runtime/Emulator/Semantics/Memory.h"
#include "runtime/Emulator/Semantics/Pace.h"
#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Emulator/Translation/Translator.h"

#include "lib/Translate/Limits.h"

#include <iterator>
#include <type_traits>

namespace populus::runtime::emulator {

namespace {

/// Executes an instruction. The registers are those of Operands, in order, a
/// byte each. Gives what the translator decides upon: 0 for a fault, else 1; of
/// control instructions whether a branch is taken, the target, the count.
template <typename Row>
std::uint32_t perform(Context *c, std::uint64_t registers, std::int32_t imm) {
  Operands operands;
#pragma clang loop unroll(full)
  for (unsigned i = 0; i != sizeof(operands.r); ++i)
    operands.r[i] = static_cast<std::uint8_t>(registers >> (8 * i));
  operands.imm = imm;
  using Result = decltype(Row::template call<Semantics<Row>>(*c, operands));
  if constexpr (std::is_void_v<Result>) {
    Row::template call<Semantics<Row>>(*c, operands);
    return 1;
  } else {
    const Result result = Row::template call<Semantics<Row>>(*c, operands);
    if constexpr (std::is_same_v<Result, bool>)
      return result;
    else if constexpr (std::is_same_v<Result, Branch>)
      return result.taken;
    else if constexpr (std::is_same_v<Result, Jump>)
      return result.target;
    else if constexpr (std::is_same_v<Result, Exit>)
      return result.status;
    else
      return result.count;
  }
}

using Operation = std::uint32_t (*)(Context *, std::uint64_t, std::int32_t);

template <typename Row> constexpr Operation operationOf() {
  if constexpr (HasSemantics<Row>)
    return perform<Row>;
  else
    return nullptr;
}

} // namespace

extern "C" {

/// The operation of each row, in the order of the decode table; null: the
/// interpreter executes it.
#define OPERATION(NAME) operationOf<row::NAME>(),
extern const Operation populus_operations[];
const Operation populus_operations[] = {POPULUS_EMULATOR_ROWS(OPERATION)};
#undef OPERATION

// The bound of memory accesses that has not been tested in advance.
__attribute__((const, noinline)) bool
populus_outside(std::uint32_t offset, std::uint32_t size, unsigned log2) {
  return std::rotr(offset, static_cast<int>(log2)) >= (size >> log2);
}

#define PLACE(WHICH)                                                           \
  __attribute__((const, noinline)) std::uint8_t *populus_place_##WHICH(        \
      std::uint8_t *memory, std::uint32_t offset) {                            \
    return memory + offset;                                                    \
  }
PLACE(0)
PLACE(1)
PLACE(2)
#undef PLACE
// Notes an access in recording code; other code does nothing here.
__attribute__((noinline)) void populus_note(const Context *c,
                                            std::uint32_t offset,
                                            std::uint32_t bytes, bool store) {
  c->record->note(offset, bytes, store);
}

// Weak, for the answer must not be used here.
__attribute__((const, noinline, weak)) bool populus_moves_triples() {
  return true;
}

// Questions whether instructions may take their fast paths, and the same
// questions asked later: the answer to all of them is yes if the gathered bits
// are all zero.

#define QUESTION __attribute__((const, noinline)) bool
QUESTION populus_usual_float(float x) { return isFinite32(asBits(x)); }
QUESTION populus_usual_pair(Pair x) { return areFinite32(x); }
QUESTION populus_usual_halves(std::uint64_t halves) {
  return areFinite16(halves);
}
QUESTION populus_usual_inputs(std::uint64_t halves) {
  return areFinite16(halves);
}
QUESTION populus_usual_staged(Pair x) { return areFinite32(x); }
QUESTION populus_usual_staged_halves(std::uint64_t halves) {
  return areFinite16(halves);
}
QUESTION populus_usual_rounding(std::uint32_t fpControl) {
  return (fpControl & FpStochasticRounding) == 0;
}
#undef QUESTION

// Weak, for something may be done here.
#define REMARK __attribute__((noinline, weak)) void
REMARK populus_finished_1(const float *) {}
REMARK populus_finished_2(const float *) {}
REMARK populus_finished_halves_1(const float *) {}
REMARK populus_finished_halves_2(const float *) {}
#undef REMARK

// Nothing finite differs from itself, and all else does, by a NaN.
void populus_gather_float(translate::Doubts *doubts, float x) {
  doubts->word |= asBits(x - x);
}
void populus_gather_pair(translate::Doubts *doubts, Pair x) {
  doubts->pair |= std::bit_cast<decltype(doubts->pair)>(x - x);
}
void populus_gather_halves(translate::Doubts *doubts, std::uint64_t halves) {
  doubts->halves |=
      ((halves & 0x7c007c007c007c00) + 0x0400040004000400) & 0x8000800080008000;
}
// Lanes of one or two sets. This factor makes every value that would round to
// an infinite half, 65520 and above, non-finite (and perhaps values from 65504
// to 65520).
constexpr float HalfOverflow = 0x1.002p112f;
static void gather(translate::Doubts *doubts, const Lanes<1> &x) {
  doubts->eight |= std::bit_cast<decltype(doubts->eight)>(x.value - x.value);
}
static void gather(translate::Doubts *doubts, const Lanes<2> &x) {
  doubts->sixteen |=
      std::bit_cast<decltype(doubts->sixteen)>(x.value - x.value);
}
void populus_gather_finished_1(translate::Doubts *doubts, const float *sums) {
  gather(doubts, Lanes<1>::load(sums));
}
void populus_gather_finished_2(translate::Doubts *doubts, const float *sums) {
  gather(doubts, Lanes<2>::load(sums));
}
void populus_gather_finished_halves_1(translate::Doubts *doubts,
                                      const float *sums) {
  gather(doubts, Lanes<1>{Lanes<1>::load(sums).value * HalfOverflow});
}
void populus_gather_finished_halves_2(translate::Doubts *doubts,
                                      const float *sums) {
  gather(doubts, Lanes<2>{Lanes<2>::load(sums).value * HalfOverflow});
}
/// In front of a loop whose results show every unusual event: gathers the
/// staged values, which leave from the chain.
void populus_gather_chains(translate::Doubts *doubts, const Context *c,
                           bool halves) {
  const float factor = halves ? HalfOverflow : 1;
  gather(doubts, Lanes<2>{unitsOf<2>(chainsOf<2>(c->staging)).value * factor});
}
/// Gathers the sums that stay behind the loop.
void populus_gather_cells(translate::Doubts *doubts, const Context *c) {
  gather(doubts, unitsOf<2>(chainsOf<2>(c->staging)));
  gather(doubts, unitsOf<2>(chainsOf<2>(c->working)));
}

void populus_no_doubts(translate::Doubts *doubts) { *doubts = {}; }
bool populus_has_doubts(const translate::Doubts *doubts) {
  std::uint64_t bits = doubts->halves | doubts->word;
  const auto add = [&](const auto &vector) {
    using Words = std::array<std::uint64_t, sizeof(vector) / 8>;
    for (std::uint64_t word : std::bit_cast<Words>(vector))
      bits |= word;
  };
  add(doubts->sixteen);
  add(doubts->eight);
  add(doubts->pair);
  return bits != 0;
}
bool populus_rounds_to_nearest(const Context *c) { return roundsToNearest(*c); }

// ---- State ------------------------------------------------------------------

std::int64_t populus_issued(const Context *c) { return c->issued; }
void populus_set_issued(Context *c, std::int64_t issued) { c->issued = issued; }
bool populus_near_limit(const Context *c, std::int64_t issued) {
  return issued > c->turnLimit - translate::LimitMargin;
}
void populus_set_next_pc(Context *c, Address pc) { c->nextPc = pc; }
void populus_set_repeat_count(Context *c, std::uint32_t count) {
  c->repeatCount = count;
}
void populus_exit(Context *c, std::uint32_t status) {
  c->exitStatus = status != 0;
  c->exited = true;
}
std::uint32_t populus_read_m(const Context *c, std::uint32_t r) {
  return c->m[r];
}
/// The result of the auxiliary half that had to wait for the main half.
void populus_move_aside(Context *c, std::uint32_t r, std::uint32_t words) {
  if (words == 2)
    writePair(*c, r, readPair(*c, AsideResult));
  else
    c->a[r] = c->a[AsideResult];
}

// A copy of the state on the stack, which LLVM takes apart into values, for the
// time of a hardware loop. What the loop's instructions may touch is copied in
// pieces as they access them: single $m registers, single $a registers or pairs
// of them, sets of accumulators. `m`, `singles` and `pairs` are the sets of
// those that occur, one bit each.

static void copyAccumulators(Context *to, const Context *from) {
  for (unsigned set = 0; set != 2; ++set) {
    Chain::load(from->working[set]).store<8>(to->working[set]);
    Chain::load(from->staging[set]).store<8>(to->staging[set]);
  }
}
static void copyRegisters(Context *to, const Context *from, std::uint32_t m,
                          std::uint32_t singles, std::uint32_t pairs) {
#pragma clang loop unroll(full)
  for (unsigned i = 0; i != std::size(to->m); ++i)
    if (m >> i & 1)
      to->m[i] = from->m[i];
#pragma clang loop unroll(full)
  for (unsigned i = 0; i != std::size(to->a); ++i)
    if (singles >> i & 1)
      to->a[i] = from->a[i];
#pragma clang loop unroll(full)
  for (unsigned i = 0; i != std::size(to->a); i += 2)
    if (pairs >> (i / 2) & 1)
      writePair(*to, i, readPair(*from, i));
}
void populus_enter_copy(Context *to, const Context *from, std::uint32_t m,
                        std::uint32_t singles, std::uint32_t pairs) {
  copyRegisters(to, from, m, singles, pairs);
  copyAccumulators(to, from);
  to->fpStatus = from->fpStatus;
  to->fpControl = from->fpControl;
  to->tas = from->tas;
  to->prng[0] = from->prng[0];
  to->prng[1] = from->prng[1];
  to->memory = from->memory;
  to->storeMemory = from->storeMemory;
  to->lo = from->lo;
  to->size = from->size;
  to->storeLo = from->storeLo;
  to->storeSize = from->storeSize;
  to->record = from->record;
  to->interleavedBegin = from->interleavedBegin;
  to->faultKind = FaultKind::None;
  to->faultAddress = 0;
  to->tile = from->tile;
}
void populus_leave_copy(Context *to, const Context *from, std::uint32_t m,
                        std::uint32_t singles, std::uint32_t pairs) {
  copyRegisters(to, from, m, singles, pairs);
  copyAccumulators(to, from);
  to->fpStatus = from->fpStatus;
  to->tas = from->tas;
  to->prng[0] = from->prng[0];
  to->prng[1] = from->prng[1];
}
void populus_copy_fault(Context *to, const Context *from) {
  to->faultKind = from->faultKind;
  to->faultAddress = from->faultAddress;
}

// ---- The interpreter's handlers ---------------------------------------------

bool populus_step(Context *c, const Slot *slot) { return slot->step(slot, c); }
bool populus_step_main(Context *c, const Slot *slot) {
  return slot->main(c, slot->mainOperands);
}
bool populus_step_aux(Context *c, const Slot *slot) {
  return slot->aux(c, slot->auxOperands);
}
const Slot *populus_slot(const Slot *slots, std::uint32_t index) {
  return slots + static_cast<std::int32_t>(index);
}

// ---- Where the region is ----------------------------------------------------

Address populus_address(const TranslatedRegion *region, std::uint32_t slot) {
  return region->address + 4 * slot;
}
std::uint32_t populus_outside_slot(const TranslatedRegion *region,
                                   std::uint32_t index) {
  return region->outside[index];
}
bool populus_is_code(const TranslatedRegion *region, Address address) {
  const std::uint32_t offset = address - region->imageBase;
  return offset % 4 == 0 && offset < region->textBytes;
}
std::uint32_t populus_slot_of(const TranslatedRegion *region, Address address) {
  return static_cast<std::uint32_t>(
      static_cast<std::int32_t>(address - region->address) / 4);
}

// ---- Memory that a hardware loop walks over ---------------------------------

// Tests without branches, so that those of several ranges can be put together
// by a bitwise or: negative if a range is not good, or not aligned.

/// Checks a range of bytes at `first`.
std::int64_t populus_outside_range(const Context *c, std::int64_t first,
                                   std::uint32_t bytes, std::uint32_t alignment,
                                   bool store) {
  const std::int64_t begin = first - std::int64_t(store ? c->storeLo : c->lo);
  const std::int64_t last =
      std::int64_t(store ? c->storeSize : c->size) - bytes;
  return begin | (last - begin) | -(first & (alignment - 1));
}
/// Checks `count` ranges, each one `stride` after the one before.
std::int64_t populus_outside_walk(const Context *c, std::int64_t first,
                                  std::uint32_t bytes, std::uint32_t alignment,
                                  bool store, std::int64_t stride,
                                  std::uint32_t count) {
  const std::int64_t end = first + stride * (std::int64_t(count) - 1);
  const std::int64_t defects =
      populus_outside_range(c, first, bytes, alignment, store) |
      populus_outside_range(c, end, bytes, alignment, store) |
      -(stride & (alignment - 1));
  return defects & -std::int64_t(count != 0);
}

/// Notes, in recording code, the accesses of a loop that runs at least once.
void populus_note_rounds(const Context *c, std::int64_t first,
                         std::int64_t stride, std::uint32_t bytes,
                         std::uint32_t rounds, bool store) {
  c->record->noteRounds(static_cast<std::uint32_t>(first - c->lo), stride,
                        bytes, rounds, store);
}
/// Notes a range in a straight line; the numbers are constants.
void populus_note_range(const Context *c, std::int64_t first,
                        std::uint32_t bytes, bool store) {
  c->record->noteUnsettled(static_cast<std::uint32_t>(first - c->lo), bytes,
                           store);
}
void populus_settle_notes(const Context *c) { c->record->settle(); }
/// Notes the influence of the next access.
void populus_note_control(const Context *c) { c->record->noteControl(); }
void populus_note_uncertain(const Context *c) { c->record->noteUncertain(); }

// With a listener, each access is noted on its own, in the order of the code.
bool populus_has_listener(const Context *c) {
  return c->record->currentListener() != nullptr;
}
void populus_note_each(const Context *c, std::int64_t first,
                       std::int64_t stride, std::uint32_t bytes,
                       std::uint32_t rounds, bool store) {
  c->record->noteEach(static_cast<std::uint32_t>(first - c->lo), stride, bytes,
                      rounds, store);
}
void populus_end_rounds(const Context *c) {
  c->record->currentListener()->endRounds();
}
void populus_note_lowest(const Context *c, unsigned r) {
  c->record->currentListener()->takesLowest(c->number, c->m[r]);
}
void populus_note_joined(const Context *c, unsigned a, unsigned b) {
  c->record->currentListener()->joins(c->number, c->m[a], c->m[b]);
}
void populus_note_disorder(const Context *c, bool begins) {
  c->record->currentListener()->disorder(begins);
}

// Recording code keeps the old contents of the memory whose stores it notes.
std::uint64_t populus_mark_overwritten(const Context *c) {
  return c->record->markOverwritten();
}
bool populus_keeps_all_since_mark(const Context *c) {
  return c->record->keepsAllSinceMark();
}
void populus_put_back_since(const Context *c, std::uint64_t mark) {
  c->record->putBackSince(mark);
}

/// Returns the host address of the first access.
std::uint8_t *populus_first_place(const Context *c, std::int64_t first) {
  return c->memory + (first - c->lo);
}
/// Moves a triple on by a loop: the rounds moved its addresses by so many
/// bytes.
void populus_move_triple(Context *c, std::uint32_t pair, std::int64_t step0,
                         std::int64_t step1, std::int64_t step2,
                         std::uint32_t rounds) {
  const auto moved = [&](std::uint32_t address, std::int64_t step) {
    return static_cast<std::uint32_t>(address + step * rounds) & AddressMask;
  };
  const Triple old = unpackTriple(*c, pair);
  packTriple(
      *c, pair,
      {moved(old.a0, step0), moved(old.a1, step1), moved(old.a2, step2)});
}

// Code that does not record keeps the memory that a loop is going to overwrite,
// until the loop is known to have been right.

static std::int64_t spanOf(std::int64_t stride, std::uint32_t rounds,
                           std::uint32_t bytes) {
  return (stride < 0 ? -stride : stride) * (std::int64_t(rounds) - 1) + bytes;
}
static std::uint8_t *lowestOf(const Context *c, std::int64_t first,
                              std::int64_t stride, std::uint32_t rounds) {
  const std::int64_t last = first + stride * (std::int64_t(rounds) - 1);
  return c->memory + ((stride < 0 ? last : first) - c->lo);
}
/// Rounds, of so many, of which a store's bytes can be kept.
std::uint32_t populus_rounds_at_once(std::int64_t stride, std::uint32_t bytes,
                                     std::uint32_t rounds) {
  const auto step = static_cast<std::uint64_t>(stride < 0 ? -stride : stride);
  const std::uint32_t most =
      rounds < translate::RoundsAtOnce ? rounds : translate::RoundsAtOnce;
  const std::uint32_t left = translate::KeptBytes - bytes;
  // Nearly always, and without a division.
  if (step * (most - 1) <= left) [[likely]]
    return most;
  return static_cast<std::uint32_t>(left / step + 1);
}
void populus_keep(const Context *c, std::int64_t first, std::int64_t stride,
                  std::uint32_t rounds, std::uint32_t bytes,
                  std::uint8_t *kept) {
  std::memcpy(kept, lowestOf(c, first, stride, rounds),
              std::size_t(spanOf(stride, rounds, bytes)));
}
void populus_put_back(const Context *c, std::int64_t first, std::int64_t stride,
                      std::uint32_t rounds, std::uint32_t bytes,
                      const std::uint8_t *kept) {
  std::memcpy(lowestOf(c, first, stride, rounds), kept,
              std::size_t(spanOf(stride, rounds, bytes)));
}

/// Address A0, A1 or A2 of the triple in a pair.
std::uint32_t populus_triple(const Context *c, std::uint32_t pair,
                             std::uint32_t which) {
  const Triple triple = unpackTriple(*c, pair);
  return which == 0 ? triple.a0 : which == 1 ? triple.a1 : triple.a2;
}
/// The elements by which a paced address moves on.
std::int64_t populus_pace(const Context *c, std::uint32_t strideRegister,
                          std::uint32_t selector) {
  if (selector == 0)
    return 1;
  const unsigned shift = 10 * (selector - 1);
  return std::int32_t(c->m[strideRegister] >> shift << 22) >> 22;
}

} // extern "C"

} // namespace populus::runtime::emulator
