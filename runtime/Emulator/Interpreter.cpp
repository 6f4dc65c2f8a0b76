// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interpreter: for each row of the instruction table the handlers that call
// its semantics. A worker that runs by itself is threaded code: a handler calls
// its successor in tail position, with the turns counted in a register, and
// nothing else is done per bundle. Hardware loops call the step handlers of
// their body in a loop. This file is compiled by clang, which guarantees tail
// calls; other compilers get a loop around the handlers, with the same results.

#include "runtime/Emulator/Semantics/Accumulators.h"
#include "runtime/Emulator/Semantics/Arithmetic.h"
#include "runtime/Emulator/Semantics/AuxBits.h"
#include "runtime/Emulator/Semantics/Control.h"
#include "runtime/Emulator/Semantics/ControlRegisters.h"
#include "runtime/Emulator/Semantics/Convert.h"
#include "runtime/Emulator/Semantics/Elementary.h"
#include "runtime/Emulator/Semantics/Engines.h"
#include "runtime/Emulator/Semantics/Integer.h"
#include "runtime/Emulator/Semantics/Memory.h"
#include "runtime/Emulator/Semantics/Pace.h"
#include "runtime/Emulator/Semantics/Random.h"
#include "runtime/Emulator/Semantics/System.h"
#include "runtime/Emulator/Semantics/Weights.h"
#include "runtime/Emulator/Tile/Tile.h"
#include "runtime/Support/Prefetch.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

namespace populus::runtime::emulator {

namespace {

#if defined(__has_cpp_attribute) && __has_cpp_attribute(clang::musttail) &&    \
    !defined(POPULUS_NO_TAIL_CALLS)
#define GO_ON(SLOT, C, ISSUED)                                                 \
  [[clang::musttail]] return (SLOT)->run((SLOT), (C), (ISSUED))
#else
#define GO_ON(SLOT, C, ISSUED)                                                 \
  do {                                                                         \
    (C)->resume = (SLOT);                                                      \
    (C)->issued = (ISSUED);                                                    \
    return;                                                                    \
  } while (false)
#endif

void stop(const Slot *slot, Context *c, std::int64_t issued) {
  c->issued = issued;
  stop(*c, slot);
}

/// Leaves the interpreter for now, after the slot.
void pause(const Slot *slot, const Slot *next, Context *c,
           std::int64_t issued) {
  c->issued = issued;
  c->resume = next;
  c->pausedAt = slot;
}

template <typename Row>
using Result = decltype(Row::template call<Semantics<Row>>(
    std::declval<Context &>(), std::declval<const Operands &>()));

template <typename Row> auto call(Context &c, const Operands &operands) {
  return Row::template call<Semantics<Row>>(c, operands);
}

/// Runs to its end without knowing where it is.
template <typename Row>
constexpr bool IsOrdinary =
    !Row::IsSystem &&
    (std::is_void_v<Result<Row>> || std::is_same_v<Result<Row>, bool>);

template <typename Row> bool half(Context *c, const Operands &operands) {
  if constexpr (std::is_void_v<Result<Row>>) {
    call<Row>(*c, operands);
    return true;
  } else {
    return call<Row>(*c, operands);
  }
}

// ---- Ordinary instructions and bundles --------------------------------------

template <typename Row> bool stepLone(const Slot *slot, Context *c) {
  return half<Row>(c, slot->mainOperands);
}

template <typename Row>
void runLone(const Slot *slot, Context *c, std::int64_t issued) {
  if (!half<Row>(c, slot->mainOperands)) [[unlikely]]
    return stop(slot, c, issued);
  GO_ON(slot + 1, c, issued + Row::IssueSlots);
}

template <PairOrder Order> bool stepPairAs(const Slot *slot, Context *c) {
  if constexpr (Order == PairOrder::AuxFirst) {
    return slot->aux(c, slot->auxOperands) && slot->main(c, slot->mainOperands);
  } else if constexpr (Order == PairOrder::MainFirst) {
    return slot->main(c, slot->mainOperands) && slot->aux(c, slot->auxOperands);
  } else {
    // Each half reads what the other one writes.
    const Operands &aux = slot->auxOperands;
    if (!slot->aux(c, aux) || !slot->main(c, slot->mainOperands))
      return false;
    if (aux.r[AsideWords] == 2)
      writePair(*c, aux.r[AsideRegister], readPair(*c, AsideResult));
    else
      c->a[aux.r[AsideRegister]] = c->a[AsideResult];
    return true;
  }
}

template <PairOrder Order>
void runPairAs(const Slot *slot, Context *c, std::int64_t issued) {
  if (!stepPairAs<Order>(slot, c)) [[unlikely]]
    return stop(slot, c, issued);
  GO_ON(slot + 2, c, issued + slot->turns());
}

// ---- Control and system instructions ----------------------------------------

/// The other half of a bundle; it never depends on a control instruction.
template <bool Bundled> bool runOtherHalf(const Slot *slot, Context *c) {
  if constexpr (Bundled)
    return slot->aux(c, slot->auxOperands);
  return true;
}

template <bool Bundled> constexpr unsigned Length = Bundled ? 2 : 1;

template <bool Bundled> std::int64_t turnsOf(const Slot *slot) {
  return Bundled ? slot->turns() : 1;
}

/// Returns the target slot of a jump; null if the context returns or faults.
const Slot *follow(Context *c, Address target) {
  const Slot *slot = c->tile->code->find(target);
  if (slot) [[likely]]
    return slot;
  if (c->isSupervisor() && target == SupervisorReturn)
    c->exited = true;
  else
    c->fault(FaultKind::InvalidPc, target);
  return nullptr;
}

/// The rounds of a hardware loop. Bodies hold only ordinary bundles.
bool runBody(const Slot *body, Context *c, const Repeat &repeat) {
  for (std::uint32_t left = repeat.count; left != 0; --left)
    for (std::uint32_t i = 0; i != repeat.bundles; ++i) {
      const Slot *slot = body + 2 * i;
      if (!slot->step(slot, c)) [[unlikely]] {
        c->repeatCount = left;
        c->faultSlot = slot;
        return false;
      }
    }
  c->repeatCount = 0;
  return true;
}

template <typename Row, bool Bundled>
void runSpecial(const Slot *slot, Context *c, std::int64_t issued) {
  if (!runOtherHalf<Bundled>(slot, c)) [[unlikely]]
    return stop(slot, c, issued);
  const Slot *next = slot + Length<Bundled>;
  if constexpr (Row::IsSystem || std::is_same_v<Row, row::CALL>) {
    c->nextPc = c->tile->code->addressOf(next);
    c->issued = issued;
  }
  issued += turnsOf<Bundled>(slot);
  if constexpr (std::is_same_v<Result<Row>, Branch>) {
    if (call<Row>(*c, slot->mainOperands).taken) {
      next = slot->target;
      if (issued > c->turnLimit) [[unlikely]]
        return pause(slot, next, c, issued);
    }
  } else if constexpr (std::is_same_v<Result<Row>, Jump>) {
    next = follow(c, call<Row>(*c, slot->mainOperands).target);
    if (!next) [[unlikely]]
      return stop(slot, c, issued);
    if (issued > c->turnLimit) [[unlikely]]
      return pause(slot, next, c, issued);
  } else if constexpr (std::is_same_v<Result<Row>, Exit>) {
    c->exitStatus = call<Row>(*c, slot->mainOperands).status;
    c->exited = true;
    return stop(slot, c, issued);
  } else if constexpr (std::is_same_v<Result<Row>, Repeat>) {
    const Repeat repeat = call<Row>(*c, slot->mainOperands);
    if (!runBody(next, c, repeat)) [[unlikely]]
      return stop(slot, c, issued);
    issued += repeat.count * slot->bodyTurns;
    next += 2 * repeat.bundles;
  } else if constexpr (std::is_same_v<Result<Row>, bool>) {
    if (!call<Row>(*c, slot->mainOperands)) [[unlikely]]
      return stop(slot, c, issued);
  } else {
    // Only the supervisor waits, and it never runs by itself.
    static_assert(std::is_same_v<Result<Row>, Wait>);
    c->fault(FaultKind::WrongContext);
    return stop(slot, c, issued);
  }
  GO_ON(next, c, issued);
}

template <typename Row, bool Bundled>
bool stepSpecial(const Slot *slot, Context *c) {
  if (!runOtherHalf<Bundled>(slot, c))
    return false;
  const Slot *next = slot + Length<Bundled>;
  c->nextPc = c->tile->code->addressOf(next);
  if constexpr (std::is_same_v<Result<Row>, Branch>) {
    if (call<Row>(*c, slot->mainOperands).taken)
      c->resume = slot->target;
  } else if constexpr (std::is_same_v<Result<Row>, Jump>) {
    c->resume = follow(c, call<Row>(*c, slot->mainOperands).target);
    return c->resume || c->exited;
  } else if constexpr (std::is_same_v<Result<Row>, Exit>) {
    c->exitStatus = call<Row>(*c, slot->mainOperands).status;
    c->exited = true;
  } else if constexpr (std::is_same_v<Result<Row>, Repeat>) {
    const Repeat repeat = call<Row>(*c, slot->mainOperands);
    c->repeatCount = repeat.count;
    c->repeatFirst = next;
    c->repeatEnd = next + 2 * repeat.bundles;
    c->resume = repeat.count == 0 ? c->repeatEnd : next;
  } else if constexpr (std::is_same_v<Result<Row>, Wait>) {
    if (!call<Row>(*c, slot->mainOperands).done)
      c->resume = slot;
  } else {
    return call<Row>(*c, slot->mainOperands);
  }
  return true;
}

// ---- Tables -----------------------------------------------------------------

template <typename Row> bool halfNotSupported(Context *c, const Operands &) {
  c->faultName = Row::Mnemonic;
  return c->fault(FaultKind::NotSupported);
}
template <typename Row> bool stepNotSupported(const Slot *slot, Context *c) {
  return halfNotSupported<Row>(c, slot->mainOperands);
}
template <typename Row>
void runNotSupported(const Slot *slot, Context *c, std::int64_t issued) {
  stepNotSupported<Row>(slot, c);
  stop(slot, c, issued);
}

bool stepWrongContext(const Slot *, Context *c) {
  return c->fault(FaultKind::WrongContext);
}
void runWrongContext(const Slot *slot, Context *c, std::int64_t issued) {
  stepWrongContext(slot, c);
  stop(slot, c, issued);
}

template <typename Row> constexpr Handlers handlersFor() {
  constexpr bool SupervisorOnly = Row::Contexts == 2;
  if constexpr (!HasSemantics<Row>)
    return {runNotSupported<Row>, stepNotSupported<Row>, halfNotSupported<Row>,
            nullptr, nullptr};
  else if constexpr (IsOrdinary<Row>)
    return {runLone<Row>, stepLone<Row>, half<Row>, nullptr, nullptr};
  else if constexpr (std::is_same_v<Result<Row>, bool>)
    return {SupervisorOnly ? runWrongContext : runSpecial<Row, false>,
            stepSpecial<Row, false>, half<Row>, runSpecial<Row, true>,
            stepSpecial<Row, true>};
  else
    return {SupervisorOnly ? runWrongContext : runSpecial<Row, false>,
            stepSpecial<Row, false>, nullptr, runSpecial<Row, true>,
            stepSpecial<Row, true>};
}

#define HANDLERS(NAME) handlersFor<row::NAME>(),
constexpr Handlers AllHandlers[] = {POPULUS_EMULATOR_ROWS(HANDLERS)};
#undef HANDLERS

#define SUPPORTED(NAME) HasSemantics<row::NAME>,
constexpr bool Supported[] = {POPULUS_EMULATOR_ROWS(SUPPORTED)};
#undef SUPPORTED

template <BadSlot Kind> bool stepBadAs(const Slot *slot, Context *c) {
  if constexpr (Kind == BadSlot::Illegal)
    return c->fault(FaultKind::IllegalInstruction,
                    static_cast<std::uint32_t>(slot->mainOperands.imm));
  else if constexpr (Kind == BadSlot::BadTarget)
    return c->fault(FaultKind::InvalidPc,
                    static_cast<std::uint32_t>(slot->mainOperands.imm));
  else
    return c->fault(FaultKind::InvalidRepeat);
}
template <BadSlot Kind>
void runBadAs(const Slot *slot, Context *c, std::int64_t issued) {
  stepBadAs<Kind>(slot, c);
  stop(slot, c, issued);
}

} // namespace

const Handlers &handlersOf(std::size_t row) { return AllHandlers[row]; }
bool isSupported(std::size_t row) { return Supported[row]; }

RunHandler runPair(PairOrder order) {
  constexpr RunHandler Runs[] = {runPairAs<PairOrder::AuxFirst>,
                                 runPairAs<PairOrder::MainFirst>,
                                 runPairAs<PairOrder::AuxAside>};
  return Runs[static_cast<int>(order)];
}
StepHandler stepPair(PairOrder order) {
  constexpr StepHandler Steps[] = {stepPairAs<PairOrder::AuxFirst>,
                                   stepPairAs<PairOrder::MainFirst>,
                                   stepPairAs<PairOrder::AuxAside>};
  return Steps[static_cast<int>(order)];
}

RunHandler runBad(BadSlot kind) {
  constexpr RunHandler Runs[] = {runBadAs<BadSlot::Illegal>,
                                 runBadAs<BadSlot::BadTarget>,
                                 runBadAs<BadSlot::BadRepeat>};
  return Runs[static_cast<int>(kind)];
}
StepHandler stepBad(BadSlot kind) {
  constexpr StepHandler Steps[] = {stepBadAs<BadSlot::Illegal>,
                                   stepBadAs<BadSlot::BadTarget>,
                                   stepBadAs<BadSlot::BadRepeat>};
  return Steps[static_cast<int>(kind)];
}

bool loadWeightRun(Context &c, const Slot *slot) {
  Tile &tile = *c.tile;
  const auto [number, registers, end, sets] = slot->weightLoads;
  const std::uint32_t offset = tile.weightLoad - c.lo;
  const std::uint32_t bytesOfEach = 8 * registers;
  const std::uint32_t bytes = bytesOfEach * number;
  if (end > WeightRegisters::PerSet * tile.accumulatorSets ||
      tile.weightLoad % bytesOfEach != 0 || offset >= c.size ||
      c.size - offset < bytes ||
      (registers == 2 && tile.weightLoad < c.interleavedBegin))
    return false;
  const std::span indices(tile.code->weightRegisters(slot), number);
  if (registers == 2)
    loadRegisters<2>(tile.weightRegisters, indices, c.memory + offset);
  else
    loadRegisters<1>(tile.weightRegisters, indices, c.memory + offset);
  tile.setStaleWeights(sets);
  // Most often the next ones are behind these, after workers have run; nothing
  // is done where that is not memory.
  for (std::uint32_t at = 0; at < bytes; at += HostLine)
    prefetch<Access::Read>(c.memory + offset + bytes + at);
  tile.weightLoad += bytes;
  return true;
}

void makeWeights(Tile &tile, WeightKinds kinds) {
  constexpr unsigned Sets = WeightRegisters::Sets;
  const unsigned stale = tile.staleWeights & kinds;
  for (unsigned set = 0; set != Sets; ++set) {
    if (stale & HalfWeights & (0b0101u << set))
      makeHalfWeights(tile.weights, tile.weightRegisters, set);
    if (stale & SingleWeights & (0b0101u << set))
      makeSingleWeights(tile.weights, tile.weightRegisters, set);
  }
  tile.staleWeights &= static_cast<WeightKinds>(~kinds);
}

void interpret(Context &c) {
  c.pausedAt = nullptr;
  // Tail calls make this a loop of one round.
  while (c.resume && !c.pausedAt) {
    const Slot *slot = c.resume;
    slot->run(slot, &c, c.issued);
  }
}

} // namespace populus::runtime::emulator
