// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix (amp) and slim convolution (slic) units. All instructions are
// made of the same pieces: a set's accumulators as two vectors of eight units,
// a sum of products for all units at once, and a chain that moves on by a pair
// of units, giving a pair of results and taking a pair of partial sums.
//
// Sums are in f32, in a fixed order (docs/machine.md): for halves
// a + ((x0 w0 + x1 w1) + (x2 w2 + x3 w3)), where the products are exact and
// each sum is rounded; for floats one fused multiply-add. What comes out is
// checked and rounded like any accumulator that is read out.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_ENGINES_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_ENGINES_H

#include "runtime/Emulator/Semantics/Accumulators.h"
#include "runtime/Emulator/Tile.h"

#include <array>

namespace populus::runtime::emulator {

// ---- Vectors of eight units -------------------------------------------------

/// x * w + a, rounded once.
inline Units multiplyAdd(Units x, Units w, Units a) {
#ifdef __FMA__
  return _mm256_fmadd_ps(x, w, a);
#else
  for (unsigned i = 0; i != 8; ++i)
    a[i] = std::fma(x[i], w[i], a[i]);
  return a;
#endif
}

/// The same number for all units.
inline Units forAll(float x) { return Units{x, x, x, x, x, x, x, x}; }

/// The first `Count` units of `next`, the others of `old`.
template <unsigned Count> Units activeOf(Units next, Units old) {
  if constexpr (Count == 8)
    return next;
  else if constexpr (Count == 6)
    return __builtin_shufflevector(next, old, 0, 1, 2, 3, 4, 5, 14, 15);
  else if constexpr (Count == 4)
    return __builtin_shufflevector(next, old, 0, 1, 2, 3, 12, 13, 14, 15);
  else
    return __builtin_shufflevector(next, old, 0, 1, 10, 11, 12, 13, 14, 15);
}

/// A chain of `Count` units moved on by two, with the first two units of
/// `entering` at its end.
template <unsigned Count> Units movedOn(Units chain, Units entering) {
  if constexpr (Count == 8)
    return __builtin_shufflevector(chain, entering, 2, 3, 4, 5, 6, 7, 8, 9);
  else if constexpr (Count == 6)
    return __builtin_shufflevector(chain, entering, 2, 3, 4, 5, 8, 9, 6, 7);
  else if constexpr (Count == 4)
    return __builtin_shufflevector(chain, entering, 2, 3, 8, 9, 4, 5, 6, 7);
  else
    return __builtin_shufflevector(chain, entering, 8, 9, 2, 3, 4, 5, 6, 7);
}

// ---- Operands and results ---------------------------------------------------

inline Four fourHalves(const Context &c, Register r) {
#ifdef __F16C__
  if (areUsual16(readPair(c, r))) [[likely]]
    return wideLanes(c, r, 4);
#endif
  Four result;
  for (unsigned i = 0; i != 4; ++i)
    result[i] = operand16(half(c, r, i));
  return result;
}

// Partial sums that enter the chains, by set: a pair for each.
template <unsigned Sets> using Entering = std::array<Units, Sets>;
struct SinglesIn {
  template <unsigned Sets>
  static Entering<Sets> read(const Context &c, Register s) {
    static_assert(Sets == 1);
    return {Units{asFloat(c.a[s]), asFloat(c.a[s + 1])}};
  }
};
struct HalvesIn {
  template <unsigned Sets>
  static Entering<Sets> read(const Context &c, Register s) {
    const Four x = lanes<Sets>(c, s);
    if constexpr (Sets == 1)
      return {Units{x[0], x[1]}};
    else
      return {Units{x[0], x[1]}, Units{x[2], x[3]}};
  }

private:
  template <unsigned Sets> static Four lanes(const Context &c, Register s) {
    if constexpr (Sets == 2)
      return fourHalves(c, s);
#ifdef __F16C__
    if (areUsual16(c.a[s])) [[likely]]
      return wideLanes(c, s, 2);
#endif
    return Four{operand16(half(c, s, 0)), operand16(half(c, s, 1))};
  }
};

// Results: rounded before anything changes, for an exception must find the
// state as it was; written at the end.
class SinglesOut {
public:
  static constexpr unsigned Sets = 1;
  bool take(Context &c, const float *const *chains) {
    results = Pair{chains[0][0], chains[0][1]};
    if (areUsual(results)) [[likely]]
      return true;
    std::uint32_t events = 0;
    const std::uint32_t first = visible(results[0], events);
    const std::uint32_t second = visible(results[1], events);
    results = Pair{asFloat(first), asFloat(second)};
    return raise(c, events);
  }
  void write(Context &c, Register d) const { writeFloats(c, d, results); }

private:
  Pair results;
};
template <unsigned NumSets> class HalvesOut {
public:
  static constexpr unsigned Sets = NumSets;
  bool take(Context &c, const float *const *chains) {
#ifdef __F16C__
    if (roundsToNearest(c)) [[likely]] {
      Four values{chains[0][0], chains[0][1]};
      if constexpr (Sets == 2)
        values = Four{chains[0][0], chains[0][1], chains[1][0], chains[1][1]};
      lanes = narrowLanes(values);
      if (areUsual16(lanes)) [[likely]]
        return true;
    }
#endif
    HalfRounder rounder(c);
    std::uint16_t rounded[4] = {};
    for (unsigned i = 0; i != 2 * Sets; ++i)
      rounded[i] = rounder.round(chains[i / 2][i % 2]);
    lanes =
        words(halves(rounded[0], rounded[1]), halves(rounded[2], rounded[3]));
    return rounder.finish();
  }
  void write(Context &c, Register d) const {
    if constexpr (Sets == 2)
      writePair(c, d, lanes);
    else
      c.a[d] = static_cast<std::uint32_t>(lanes);
  }

private:
  std::uint64_t lanes;
};

// ---- Products ---------------------------------------------------------------

/// The four numbers that all units multiply with. `ManyShuffles`: the
/// instruction has so many shuffles that the host waits for them when it is
/// translated. From memory a number gets into all lanes without one; `volatile`
/// keeps it there.
template <bool ManyShuffles>
std::array<Units, 4> numbersForAll(const Context &c, Register s) {
  const Four numbers = fourHalves(c, s);
#ifdef POPULUS_TRANSLATE
  if constexpr (ManyShuffles) {
    const volatile Four kept = numbers;
    const auto *x = reinterpret_cast<const volatile float *>(&kept);
    return {forAll(x[0]), forAll(x[1]), forAll(x[2]), forAll(x[3])};
  }
#endif
  return {forAll(numbers[0]), forAll(numbers[1]), forAll(numbers[2]),
          forAll(numbers[3])};
}

/// Adds four products a unit.
template <bool ManyShuffles> class HalfProducts {
public:
  HalfProducts(const Context &c, Register s, unsigned column)
      : x(numbersForAll<ManyShuffles>(c, s)), weights(c.tile->weights),
        column(column) {}

  Units add(Units a, unsigned set) const {
    const auto &w = weights.half[set][column];
    const Units low =
        multiplyAdd(x[1], loadUnits(w[1]), x[0] * loadUnits(w[0]));
    const Units high =
        multiplyAdd(x[3], loadUnits(w[3]), x[2] * loadUnits(w[2]));
    return a + (low + high);
  }

private:
  std::array<Units, 4> x;
  const Weights &weights;
  unsigned column;
};

/// Adds one product a unit.
class SingleProduct {
public:
  SingleProduct(const Context &c, Register s, unsigned word)
      : x(forAll(asFloat(c.a[s]))), weights(c.tile->weights), word(word) {}

  Units add(Units a, unsigned set) const {
    return multiplyAdd(x, loadUnits(weights.single[set][word]), a);
  }

private:
  Units x;
  const Weights &weights;
  unsigned word;
};

// ---- Matrix unit ------------------------------------------------------------

/// The immediate: bits 2:0 the phase; bits 4:3 how many engines of two units
/// take part: 4, 2 or 1.
struct AmpFlags {
  unsigned phase;
  unsigned engines; // code
  bool valid;

  AmpFlags(std::int32_t imm, unsigned phases)
      : phase(imm & 7), engines(imm >> 3 & 3),
        valid(imm < 24 && phase < phases) {}
};

/// What happens to the staging cells of a set in a step.
enum class Chain { Moves, Stays, TakesResults };

/// One step of one set.
template <unsigned Count, typename Products>
void stepSet(Context &c, unsigned set, bool firstPhase, Chain chain,
             const Products &products, Units entering) {
  const Units working = loadUnits(c.working[set]);
  const Units staging = loadUnits(c.staging[set]);
  // The first phase begins with the partial sums that have been staged, and the
  // chain goes on with the finished results.
  const Units base = firstPhase ? staging : working;
  const Units source = firstPhase ? working : staging;
  storeUnits(c.working[set], activeOf<Count>(products.add(base, set), working));
  if (chain == Chain::Moves)
    storeUnits(c.staging[set],
               activeOf<Count>(movedOn<Count>(source, entering), staging));
  else if (chain == Chain::TakesResults)
    storeUnits(c.staging[set], activeOf<Count>(working, staging));
}
template <typename Products>
void stepSet(const AmpFlags &flags, Context &c, unsigned set, Chain chain,
             const Products &products, Units entering) {
  const bool first = flags.phase == 0;
  if (flags.engines == 0)
    stepSet<8>(c, set, first, chain, products, entering);
  else if (flags.engines == 1)
    stepSet<4>(c, set, first, chain, products, entering);
  else
    stepSet<2>(c, set, first, chain, products, entering);
}

/// Where the results of a step come from.
inline const float *outgoing(const Context &c, unsigned set, unsigned phase) {
  return phase == 0 ? c.working[set] : c.staging[set];
}

template <typename In, typename Out>
bool halfAmp(Context &c, Register d, Register s0, Register s1,
             std::int32_t imm) {
  const AmpFlags flags(imm, 4);
  if (!flags.valid)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  const float *const chains[] = {outgoing(c, 0, flags.phase),
                                 outgoing(c, 1, flags.phase)};
  Out results;
  if (!results.take(c, chains)) [[unlikely]]
    return false;
  const HalfProducts<Out::Sets == 2> products(c, s0, flags.phase);
  const auto entering = In::template read<Out::Sets>(c, s1);
  for (unsigned set = 0; set != Out::Sets; ++set)
    stepSet(flags, c, set, Chain::Moves, products, entering[set]);
  results.write(c, d);
  return true;
}

#define ENGINE(NAME, ...)                                                      \
  INSTRUCTION(NAME, Register d, Register s0, Register s1, std::int32_t imm) {  \
    return __VA_ARGS__(c, d, s0, s1, imm);                                     \
  }
ENGINE(F16V4SISOAMP, halfAmp<SinglesIn, SinglesOut>)
ENGINE(F16V4SIHOAMP, halfAmp<SinglesIn, HalvesOut<1>>)
ENGINE(F16V4HIHOAMP, halfAmp<HalvesIn, HalvesOut<1>>)
ENGINE(F16V4HIHOV4AMP, halfAmp<HalvesIn, HalvesOut<2>>)

/// One or two sets of the f32 unit. Partial sums and results of set 0 pass in
/// even phases, those of set 1 in odd ones.
template <unsigned Sets>
bool singleAmp(Context &c, Register d, Register s0, Register s1,
               std::int32_t imm) {
  const AmpFlags flags(imm, 8);
  if (!flags.valid)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  const unsigned moving = flags.phase % 2; // the set whose chain moves
  SinglesOut results;
  if (moving < Sets) {
    const float *const chains[] = {outgoing(c, moving, flags.phase)};
    if (!results.take(c, chains)) [[unlikely]]
      return false;
  }
  const SingleProduct product(c, s0, flags.phase);
  const Units entering = SinglesIn::read<1>(c, s1)[0];
  for (unsigned set = 0; set != Sets; ++set) {
    Chain chain = set == moving ? Chain::Moves : Chain::Stays;
    if (flags.phase == 0 && set == 1)
      chain = Chain::TakesResults;
    stepSet(flags, c, set, chain, product, entering);
  }
  if (moving < Sets)
    results.write(c, d);
  else
    writePair(c, d, 0);
  return true;
}
ENGINE(F32SISOAMP, singleAmp<1>)
ENGINE(F32SISOV2AMP, singleAmp<2>)

// ---- Slim convolution unit --------------------------------------------------

/// The immediate: bits 1:0 the window (a column of weights), bit 2 set for
/// three taps instead of four; in f32 bit 3 for the second word of the input.
struct SlicFlags {
  unsigned window;
  bool threeTaps;
  bool secondWord;

  explicit SlicFlags(std::int32_t imm)
      : window(imm & 3), threeTaps(imm & 4), secondWord(imm & 8) {}
};

/// The units are stages: two for each tap. `moves` is false where only products
/// are added.
template <unsigned Count, typename Products>
void slideSet(Context &c, unsigned set, bool moves, const Products &products,
              Units entering) {
  const Units working = loadUnits(c.working[set]);
  const Units base = moves ? movedOn<Count>(working, entering) : working;
  storeUnits(c.working[set], activeOf<Count>(products.add(base, set), working));
}
template <typename Products>
void slideSet(const SlicFlags &flags, Context &c, unsigned set,
              const Products &products, Units entering) {
  if (flags.threeTaps)
    slideSet<6>(c, set, !flags.secondWord, products, entering);
  else
    slideSet<8>(c, set, !flags.secondWord, products, entering);
}

template <typename In, typename Out>
bool halfSlic(Context &c, Register d, Register s0, Register s1,
              std::int32_t imm) {
  if (imm > 7)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  const SlicFlags flags(imm);
  const float *const chains[] = {c.working[0], c.working[1]};
  Out results;
  if (!results.take(c, chains)) [[unlikely]]
    return false;
  const HalfProducts<true> products(c, s0, flags.window);
  const auto entering = In::template read<Out::Sets>(c, s1);
  for (unsigned set = 0; set != Out::Sets; ++set)
    slideSet(flags, c, set, products, entering[set]);
  results.write(c, d);
  return true;
}
ENGINE(F16V4SISOSLIC, halfSlic<SinglesIn, SinglesOut>)
ENGINE(F16V4SIHOSLIC, halfSlic<SinglesIn, HalvesOut<1>>)
ENGINE(F16V4HIHOSLIC, halfSlic<HalvesIn, HalvesOut<1>>)
ENGINE(F16V4HIHOV4SLIC, halfSlic<HalvesIn, HalvesOut<2>>)
#undef ENGINE

// Two instructions for two inputs: the first one moves, the second one only
// adds and gives zeros.
INSTRUCTION(F32SISOSLIC, Register d, Register s0, Register s1,
            std::int32_t imm) {
  if (imm > 15)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  const SlicFlags flags(imm);
  const float *const chains[] = {c.working[0]};
  SinglesOut results;
  if (!flags.secondWord && !results.take(c, chains))
    return false;
  const SingleProduct product(c, s0, 2 * flags.window + flags.secondWord);
  slideSet(flags, c, 0, product, SinglesIn::read<1>(c, s1)[0]);
  if (flags.secondWord)
    writePair(c, d, 0);
  else
    results.write(c, d);
  return true;
}

} // namespace populus::runtime::emulator

#endif
