// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one context of a tile (a worker or the supervisor) and the few
// operations on it that all instruction semantics are written in: register
// pairs, checked memory access, faults. Nothing here knows how instructions are
// found or dispatched.
//
// Registers that ignore writes ($m12..$m15, $azero) need no test when they are
// written: the decoder redirects such writes to spare entries behind the files.

#ifndef POPULUS_RUNTIME_EMULATOR_MACHINE_CONTEXT_H
#define POPULUS_RUNTIME_EMULATOR_MACHINE_CONTEXT_H

#include "runtime/Target/TargetInfo.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace populus::runtime::emulator {

using Register = unsigned;

/// The reason why a context stopped before its end.
enum class FaultKind : std::uint8_t {
  None,
  Misaligned,         // address: the access
  OutOfRange,         // address: the access
  StoreToCode,        // address: the access
  NotInterleaved,     // address: a 128-bit load outside region 1
  SameDestination,    // two loads of one instruction into one register
  InvalidPc,          // address: where the branch led
  IllegalInstruction, // address: the word
  NotSupported,       // an instruction of the table that has no semantics yet
  WrongContext,       // a supervisor instruction in a worker or the reverse
  InvalidRepeat,      // body of rpt is not of plain bundles
  InvalidControlRegister, // address: its number
  InvalidImmediate,       // address: its value
  RunWhileActive,         // runall while workers are active, or no free worker
  FloatInvalid,
  FloatDivideByZero,
  FloatOverflow,
  Trap,            // address: its number
  UnknownHostCall, // address: its number
  CycleLimit,      // still running at the limit of the session
  Interrupted,     // still running when the session was asked to end
  Breakpoint,      // not a fault: where the session was asked to stop
};

struct Slot;
struct Tile;
class Watcher;
class AccessRecord;

// $m numbers with a role, and the spare entries.
inline constexpr Register WorkerBase = 12;
inline constexpr Register VertexBase = 13;
inline constexpr Register LinkRegister = 10;
inline constexpr Register StackPointer = 11;
inline constexpr Register SpareM = 16;
inline constexpr Register SpareA = 16;

struct Context {
  std::uint64_t prng[2] = {};
  // Registers. m[14] and m[15] are zero and never written; a[8] to a[15], too.
  std::uint32_t m[18] = {};

  // Starting and ending a vertex touches two lines of the host's memory, which
  // begin with m[WorkerBase] and end with the registers $a.

  std::uint32_t fpStatus = 0;
  std::uint32_t fpControl = 0;

  // The position of the context. nextPc is valid in semantics of control
  // instructions, issued in those of system instructions.
  Address nextPc = 0;
  unsigned waiting = 0;       // turns until the current instruction is done
  std::int64_t issued = 0;    // turns of this context since it was launched
  std::int64_t turnLimit = 0; // leave the engine when `issued` is above
  const Slot *resume = nullptr;
  const Slot *pausedAt = nullptr; // the branch after which it was left
  std::uint64_t launchedAt = 0;
  const Slot *launchedFrom = nullptr;
  const Slot *repeatFirst = nullptr;
  const Slot *repeatEnd = nullptr;
  bool active = false;
  bool exited = false;
  bool exitStatus = false;
  FaultKind faultKind = FaultKind::None;

  alignas(16) std::uint32_t a[20] = {};
  /// Two sets of accumulators, by unit: the even ones ($AACC[16 * set + 2 *
  /// unit]), which add up, and the odd ones, which carry partial sums in and
  /// out.
  alignas(32) float working[2][8] = {};
  alignas(32) float staging[2][8] = {};
  std::uint32_t tas = 0;
  std::uint32_t repeatCount = 0;
  std::uint32_t debugData = 0;

  std::uint32_t faultAddress = 0;
  const Slot *faultSlot = nullptr;
  const char *faultName = nullptr; // mnemonic, for FaultKind::NotSupported

  // Executing changes only what stands before this line (Window.cpp).

  // Memory of the tile: loads reach [lo, lo + size), stores [storeLo, ...).
  // Both sizes are 0 if a hook is to be told of accesses: every access then
  // takes the path of a bad one, and other contexts pay nothing for the hook.
  alignas(64) std::uint8_t *memory = nullptr;
  std::uint8_t *storeMemory = nullptr;
  Address lo = 0;
  Address storeLo = 0;
  std::uint32_t size = 0;
  std::uint32_t storeSize = 0;
  /// Recording code notes accesses here.
  AccessRecord *record = nullptr;
  Address interleavedBegin = 0;
  unsigned number = 0; // 0 to 5: workers, 6: the supervisor

  Watcher *watcher = nullptr;
  Tile *tile = nullptr;

  bool isSupervisor() const { return number == 6; }

  /// Stops the context; the result is the semantics' "no".
  bool fault(FaultKind kind, std::uint32_t address = 0) {
    faultKind = kind;
    faultAddress = address;
    return false;
  }
};

// Each further cache line per worker makes a vertex on cold tiles cost half as
// much again.
static_assert(sizeof(Context) <= 512);
static_assert(offsetof(Context, m) + WorkerBase * sizeof(std::uint32_t) == 64 &&
              offsetof(Context, a) <= 192);

/// Looks on while contexts run slot by slot (Watch.h): traces, checks, stops.
class Watcher {
public:
  virtual ~Watcher() = default;
  /// Before a slot is executed. False: the context stops; fault() was called.
  virtual bool before(Context &c, const Slot *slot) = 0;
  /// An access, before it is made. False: it is bad; fault() was called.
  virtual bool access(Context &c, Address address, unsigned bytes,
                      bool store) = 0;
};

/// 64 bits of an $a pair.
inline std::uint64_t readPair(const Context &c, Register r) {
  std::uint64_t value;
  std::memcpy(&value, &c.a[r], sizeof(value));
  return value;
}
inline void writePair(Context &c, Register r, std::uint64_t value) {
  std::memcpy(&c.a[r], &value, sizeof(value));
}

inline float asFloat(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint32_t asBits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

namespace detail {

#ifdef POPULUS_TRANSLATE
// The translator leaves out tests that it has made in advance. After a bad
// access the interpreter finds out what is wrong.
extern "C" bool populus_outside(std::uint32_t offset, std::uint32_t size,
                                unsigned log2);
inline bool accessFault(Context &, Address, unsigned, bool) { return false; }
#else
inline bool accessFault(Context &c, Address address, unsigned bytes,
                        bool store) {
  if (address % bytes != 0)
    return c.fault(FaultKind::Misaligned, address);
  if (store && address >= c.lo && address < c.storeLo)
    return c.fault(FaultKind::StoreToCode, address);
  return c.fault(FaultKind::OutOfRange, address);
}
#endif
/// An access that failed the test: a bad one, or one to tell the watcher of.
inline bool admit(Context &c, Address address, unsigned bytes, bool store) {
#ifndef POPULUS_TRANSLATE // watched contexts are interpreted
  if (c.size == 0)
    return c.watcher->access(c, address, bytes, store);
#endif
  return accessFault(c, address, bytes, store);
}

/// One test for range and alignment: misaligned low bits rotate to the top and
/// make the offset too large.
template <typename T> bool outside(std::uint32_t offset, std::uint32_t size) {
  constexpr int Log2 = std::countr_zero(sizeof(T));
#ifdef POPULUS_TRANSLATE
  return populus_outside(offset, size, Log2);
#else
  return std::rotr(offset, Log2) >= (size >> Log2);
#endif
}

} // namespace detail

/// An access that has been found to be good, by its offset in memory.
#ifdef POPULUS_TRANSLATE
extern "C" void populus_note(const Context *c, std::uint32_t offset,
                             std::uint32_t bytes, bool store);
#else
inline void populus_note(const Context *, std::uint32_t, std::uint32_t, bool) {}
#endif

/// Returns the host address of an access that has been found to be good;
/// `which` counts the accesses of an instruction.
#ifdef POPULUS_TRANSLATE
// The translator may know better. Both kinds are in the same terms, so that
// LLVM sees how far apart they are.
extern "C" {
std::uint8_t *populus_place_0(std::uint8_t *memory, std::uint32_t offset);
std::uint8_t *populus_place_1(std::uint8_t *memory, std::uint32_t offset);
std::uint8_t *populus_place_2(std::uint8_t *memory, std::uint32_t offset);
}
inline std::uint8_t *placeOf(const Context &c, Address address, bool,
                             unsigned which) {
  const auto place = which == 0   ? populus_place_0
                     : which == 1 ? populus_place_1
                                  : populus_place_2;
  return place(c.memory, address - c.lo);
}
#else
inline std::uint8_t *placeOf(const Context &c, Address address, bool isStore,
                             unsigned) {
  return isStore ? c.storeMemory + (address - c.storeLo)
                 : c.memory + (address - c.lo);
}
#endif

/// Reads little-endian memory; false, and a fault, if the address is bad.
template <typename T>
[[gnu::always_inline]] inline bool load(Context &c, Address address, T &value,
                                        unsigned which = 0) {
  const std::uint32_t offset = address - c.lo;
  if (detail::outside<T>(offset, c.size)) [[unlikely]]
    if (!detail::admit(c, address, sizeof(T), false))
      return false;
  populus_note(&c, offset, sizeof(T), false);
  std::memcpy(&value, placeOf(c, address, false, which), sizeof(T));
  return true;
}

template <typename T>
[[gnu::always_inline]] inline bool store(Context &c, Address address, T value,
                                         unsigned which = 0) {
  const std::uint32_t offset = address - c.storeLo;
  if (detail::outside<T>(offset, c.storeSize)) [[unlikely]]
    if (!detail::admit(c, address, sizeof(T), true))
      return false;
  populus_note(&c, address - c.lo, sizeof(T), true);
  std::memcpy(placeOf(c, address, true, which), &value, sizeof(T));
  return true;
}

} // namespace populus::runtime::emulator

#endif
