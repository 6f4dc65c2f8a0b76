// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The provenance of the pointers of a vertex: for each register, and for each
// place in memory that the vertex has stored a pointer to, the regions
// (VertexRegions.h) that the value came from. The first load of a field's
// address from the vertex state begins it. For example, with `in` and `out` of
// 16 bytes side by side,
//
//   ld32 $m0, $m13, $m15, 0   // the address of `in`:         $m0 is of `in`
//   add  $m1, $m0, 16         //                              $m1 is of `in`
//   ld32 $a0, $m1, $m15, 0    // in[4], although that is where `out` begins
//
// An origin is a sum of at most one region and the negative of at most one:
// compilers turn `out[i]` into `in + (out - in) + 4 * i`. Sums and differences
// are recognised by their results, so no table of instructions is needed. A
// value that has any other combination of origins has an unknown one, and an
// access through it is one of any region, as without provenance.

#ifndef POPULUS_RUNTIME_EMULATOR_CHECKS_PROVENANCE_H
#define POPULUS_RUNTIME_EMULATOR_CHECKS_PROVENANCE_H

#include "runtime/Emulator/Checks/VertexRegions.h"
#include "runtime/Emulator/Code/SlotFacts.h"
#include "runtime/Emulator/Tile/Tile.h"

#include <array>
#include <bitset>
#include <unordered_map>

namespace populus::runtime::emulator {

/// The origin of a value.
class Origin {
public:
  Origin() = default; // none: a number
  /// The address of a region, or a place at some distance of it.
  explicit Origin(std::size_t region)
      : plus(static_cast<std::uint32_t>(region + 1)) {}
  static Origin unknown() {
    Origin origin;
    origin.plus = origin.minus = Unknown;
    return origin;
  }

  bool isNone() const { return plus == 0 && minus == 0; }
  bool isUnknown() const { return plus == Unknown; }
  bool isPointer() const { return plus != 0 && minus == 0; }
  /// The index of a pointer's region.
  std::size_t region() const { return plus - 1; }

  Origin operator-() const;
  Origin operator+(const Origin &other) const;
  Origin operator-(const Origin &other) const { return *this + -other; }
  bool operator==(const Origin &) const = default;

private:
  static constexpr std::uint32_t Unknown = ~std::uint32_t(0);

  // Index of a region, plus one; 0 is none.
  std::uint32_t plus = 0;
  std::uint32_t minus = 0;
};

class Provenance {
public:
  void beginVertex(const VertexRegions &regions, Address state);
  /// A worker begins to run for the vertex.
  void beginWorker(unsigned context);

  /// Before a slot is executed.
  void before(const Context &c, const PointerFacts &facts) {
    Registers &of = contexts[c.number];
    if (of.isFresh) [[unlikely]]
      begin(of, c);
    if (of.pending) [[unlikely]]
      settle(of, c);
    of.facts = &facts;
    of.address = Origin();
    if (of.marked & (facts.read | facts.written)) [[unlikely]]
      execute(of, c);
    else
      of.stored = {};
  }
  /// The origin of the address that the context's current slot accesses.
  Origin ofAddress(unsigned context) const { return contexts[context].address; }
  /// The slot has made an access, its load number `load`.
  void accessed(unsigned context, Address address, unsigned bytes, bool store,
                unsigned load);

private:
  static constexpr unsigned NumContexts = NumWorkers + 1;
  static constexpr unsigned NumRegisters = 32;
  static constexpr unsigned WordBytes = 4;
  /// A value with an origin, at its address.
  struct Stored {
    Origin origin;
    unsigned bytes = 0;
  };
  /// The sources of a computation whose result is not there yet.
  struct Computation {
    std::array<Origin, 3> origins;
    std::array<std::uint32_t, 3> values = {};
  };
  struct Registers {
    std::array<Origin, NumRegisters> origins;
    std::uint32_t marked = 0; // those with an origin
    bool isFresh = false;
    const PointerFacts *facts = nullptr;
    const PointerFacts *pending = nullptr; // its result is not there yet
    Computation computation;
    Origin address;
    std::array<Origin, 2> stored; // words
  };

  static void set(Registers &of, unsigned r, Origin origin);
  static Origin get(const Registers &of, unsigned r);
  void begin(Registers &of, const Context &c) const;
  static void execute(Registers &of, const Context &c);
  static void settle(Registers &of, const Context &c);
  static Origin resultOf(const Computation &computation,
                         const PointerFacts &facts, std::uint32_t result);

  void put(Address address, unsigned bytes, Origin origin);
  void erase(Address address, unsigned bytes);
  Origin at(Address address, unsigned bytes) const;
  bool mayHold(Address address) const {
    return filled[address / WordBytes % FilterSize];
  }

  std::array<Registers, NumContexts> contexts;
  std::unordered_map<Address, Stored> memory;
  /// Quickly excludes words that hold nothing.
  static constexpr std::size_t FilterSize = 4096;
  std::bitset<FilterSize> filled;
  Address state = 0;
  Origin ofState;
};

} // namespace populus::runtime::emulator

#endif
