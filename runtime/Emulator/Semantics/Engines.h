// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix (amp) and slim convolution (slic) units. All instructions are
// made of the same pieces: a set's accumulators as two vectors of eight units,
// a sum of products for all units at once, and a chain that moves on by a pair
// of units, giving a pair of results and taking a pair of partial sums.
//
// Sums are in f32, in a fixed order (docs/machine.md): for halves a + ((x0 w0 +
// x1 w1) + (x2 w2 + x3 w3)), where the products are exact and each sum is
// rounded; for floats one fused multiply-add. Results are checked and rounded
// like any accumulator that is read.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_ENGINES_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_ENGINES_H

#include "runtime/Emulator/Semantics/Accumulators.h"
#include "runtime/Emulator/Tile/Tile.h"

#include <array>

namespace populus::runtime::emulator {

// ---- Operands and results ---------------------------------------------------

// In a loop of translated code all that enters the units may come by a test of
// results later (lib/Translate/MatrixLoop.h). So the tests of halves that enter
// and of results that leave from the chain are questions of their own, and it
// is told when all results of a position are finished.
#ifdef POPULUS_TRANSLATE
extern "C" {
bool populus_usual_inputs(std::uint64_t halves);
bool populus_usual_staged(Pair x);
bool populus_usual_staged_halves(std::uint64_t halves);
void populus_finished_1(const float *sums);
void populus_finished_2(const float *sums);
void populus_finished_halves_1(const float *sums);
void populus_finished_halves_2(const float *sums);
}
inline bool areUsualInputs(std::uint64_t halves) {
  return populus_usual_inputs(halves);
}
inline bool areUsualStaged(Pair x) { return populus_usual_staged(x); }
inline bool areUsualStaged16(std::uint64_t halves) {
  return populus_usual_staged_halves(halves);
}
template <unsigned Sets, bool Halves> void noteFinished(const float *sums) {
  if constexpr (Halves)
    Sets == 1 ? populus_finished_halves_1(sums)
              : populus_finished_halves_2(sums);
  else
    Sets == 1 ? populus_finished_1(sums) : populus_finished_2(sums);
}
#else
inline bool areUsualInputs(std::uint64_t halves) { return areUsual16(halves); }
inline bool areUsualStaged(Pair x) { return areUsual(x); }
inline bool areUsualStaged16(std::uint64_t halves) {
  return areUsual16(halves);
}
template <unsigned Sets, bool Halves> void noteFinished(const float *) {}
#endif

inline Four fourHalves(const Context &c, Register r) {
#ifdef __F16C__
  if (areUsualInputs(readPair(c, r))) [[likely]]
    return wideLanes(c, r, 4);
#endif
  Four result;
  for (unsigned i = 0; i != 4; ++i)
    result[i] = operand16(half(c, r, i));
  return result;
}

// Partial sums that enter the chains, by set: a pair for each.
template <unsigned Sets> using Entering = std::array<Pair, Sets>;
struct SinglesIn {
  template <unsigned Sets>
  static Entering<Sets> read(const Context &c, Register s) {
    static_assert(Sets == 1);
    return {readFloats(c, s)};
  }
};
struct HalvesIn {
  template <unsigned Sets>
  static Entering<Sets> read(const Context &c, Register s) {
    const Four x = lanes<Sets>(c, s);
    if constexpr (Sets == 1)
      return {Pair{x[0], x[1]}};
    else
      return {Pair{x[0], x[1]}, Pair{x[2], x[3]}};
  }

private:
  template <unsigned Sets> static Four lanes(const Context &c, Register s) {
    if constexpr (Sets == 2)
      return fourHalves(c, s);
#ifdef __F16C__
    if (areUsualInputs(c.a[s])) [[likely]]
      return wideLanes(c, s, 2);
#endif
    return Four{operand16(half(c, s, 0)), operand16(half(c, s, 1))};
  }
};

/// The source of results: finished sums, or a chain that passes them on.
enum class From { Sums, Chain };

// Results: rounded before anything changes, for an exception must find the
// state as it was; written at the end.
class SinglesOut {
public:
  static constexpr unsigned Sets = 1;
  static constexpr bool AreHalves = false;
  bool take(Context &c, const std::array<Pair, 1> &outgoing, From from) {
    results = outgoing[0];
    if (from == From::Chain ? areUsualStaged(results) : areUsual(results))
        [[likely]]
      return true;
    return makeVisible(c, results);
  }
  void write(Context &c, Register d) const { writeFloats(c, d, results); }

private:
  Pair results;
};
template <unsigned NumSets> class HalvesOut {
public:
  static constexpr unsigned Sets = NumSets;
  static constexpr bool AreHalves = true;
  [[gnu::always_inline]] bool
  take(Context &c, const std::array<Pair, Sets> &outgoing, From from) {
#ifdef __F16C__
    if (roundsToNearest(c)) [[likely]] {
      const Pair last = Sets == 2 ? outgoing[Sets - 1] : Pair{};
      const Four values =
          __builtin_shufflevector(outgoing[0], last, 0, 1, 2, 3);
      lanes = narrowLanes(values);
      if (from == From::Chain ? areUsualStaged16(lanes) : areUsual16(lanes))
          [[likely]]
        return true;
    }
#endif
    HalfRounder rounder(c);
    std::uint16_t rounded[4] = {};
    for (unsigned i = 0; i != 2 * Sets; ++i)
      rounded[i] = rounder.round(outgoing[i / 2][i % 2]);
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

/// Sets that are computed at once: the interpreter's host vectors hold one.
#ifdef POPULUS_TRANSLATE
template <unsigned Sets> inline constexpr unsigned AtOnce = Sets;
#else
template <unsigned Sets> inline constexpr unsigned AtOnce = 1;
#endif

#ifdef POPULUS_TRANSLATE
// The weights have been made before translated code begins.
inline const Weights &weightsOf(const Context &c, WeightKinds) {
  return c.tile->weights;
}
#else
inline const Weights &weightsOf(const Context &c, WeightKinds kinds) {
  needWeights(*c.tile, kinds);
  return c.tile->weights;
}
#endif

/// Four products a unit.
class HalfProducts {
public:
  HalfProducts(const Context &c, Register s, unsigned column)
      : x(numbers(c, s)), weights(weightsOf(c, HalfWeights).half[column]) {}

  /// The sums of `Sets` sets from one on.
  template <unsigned Sets> Lanes<Sets> sum(unsigned set) const;
  template <unsigned Sets>
  Lanes<Sets> addTo(const Lanes<Sets> &a, unsigned set) const {
    return a + sum<Sets>(set);
  }

private:
  const float *weight(unsigned channel, unsigned set) const {
    return weights[channel][set];
  }

#ifdef POPULUS_TRANSLATE
  // The four of them, again and again: to repeat bits is a matter of loading
  // them, and then shuffles stay within four lanes.
  using Numbers = Lanes<2>;
  static Numbers numbers(const Context &c, Register s) {
#ifdef __F16C__
    if (areUsualInputs(readPair(c, s))) [[likely]] {
      typedef std::uint64_t Bits __attribute__((vector_size(32)));
      typedef _Float16 Halves __attribute__((vector_size(32)));
      const Bits bits = readPair(c, s) - Bits{};
      return {__builtin_convertvector(std::bit_cast<Halves>(bits),
                                      Lanes<2>::Vector)};
    }
#endif
    return Lanes<2>::repeat(fourHalves(c, s));
  }
#else
  using Numbers = Four;
  static Numbers numbers(const Context &c, Register s) {
    return fourHalves(c, s);
  }
#endif

  Numbers x;
  const float (&weights)[4][2][8];
};

#ifdef POPULUS_TRANSLATE
template <> inline Lanes<2> HalfProducts::sum<2>(unsigned set) const {
  const auto w = [&](unsigned channel) {
    return Lanes<2>::load(weight(channel, set));
  };
  return multiplyAdd(x.ofFours<1, 1>(), w(1), x.ofFours<0, 0>() * w(0)) +
         multiplyAdd(x.ofFours<3, 3>(), w(3), x.ofFours<2, 2>() * w(2));
}
// Two channels at once.
template <> inline Lanes<1> HalfProducts::sum<1>(unsigned set) const {
  const auto w = [&](unsigned channel) {
    return Lanes<2>::join(loadLanes<Units>(weight(channel, set)),
                          loadLanes<Units>(weight(channel + 2, set)));
  };
  const Lanes<2> sums =
      multiplyAdd(x.ofFours<1, 3>(), w(1), x.ofFours<0, 2>() * w(0));
  return {sums.of(0) + sums.of(1)};
}
#else
template <> inline Lanes<1> HalfProducts::sum<1>(unsigned set) const {
  const auto w = [&](unsigned channel) {
    return Lanes<1>::load(weight(channel, set));
  };
  return multiplyAdd(Lanes<1>::all(x[1]), w(1), Lanes<1>::all(x[0]) * w(0)) +
         multiplyAdd(Lanes<1>::all(x[3]), w(3), Lanes<1>::all(x[2]) * w(2));
}
#endif

/// One product a unit.
class SingleProduct {
public:
  SingleProduct(const Context &c, Register s, unsigned word)
      : x(Lanes<1>::all(asFloat(c.a[s])).value),
        weights(weightsOf(c, SingleWeights).single[word]) {}

  template <unsigned Sets>
  Lanes<Sets> addTo(const Lanes<Sets> &a, unsigned set) const {
    return multiplyAdd(numbers<Sets>(), Lanes<Sets>::load(weights[set]), a);
  }

private:
  template <unsigned Sets> Lanes<Sets> numbers() const {
    if constexpr (Sets == 1)
      return {x};
    else
      return Lanes<2>::join(x, x);
  }

  Units x;
  const float (&weights)[2][8];
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

/// A step of the first `Count` units of each set; `moves`: whose chains move
/// on.
template <unsigned Count, unsigned Sets, typename Products>
void stepUnits(Context &c, bool firstPhase, const std::array<bool, Sets> &moves,
               const Products &products, const Entering<Sets> &entering) {
  constexpr unsigned Now = AtOnce<Sets>;
  for (unsigned set = 0; set != Sets; set += Now) {
    const std::array<Chain, Now> working = chainsOf<Now>(c.working + set);
    const std::array<Chain, Now> staging = chainsOf<Now>(c.staging + set);
    const Lanes<Now> sums = Lanes<Now>::load(c.working[set]);
    // The first phase begins with the partial sums that have been staged, and
    // the chain goes on with the finished results.
    const Lanes<Now> next = products.template addTo<Now>(
        firstPhase ? unitsOf<Now>(staging) : sums, set);
    activeOf<Count>(next, sums).store(c.working[set]);
    for (unsigned i = 0; i != Now; ++i) {
      Chain chain = firstPhase ? working[i] : staging[i];
      if (moves[set + i])
        chain.move<Count>(entering[set + i]);
      if (moves[set + i] || firstPhase)
        chain.store<Count>(c.staging[set + i]);
    }
  }
}
template <unsigned Sets, typename Products>
void stepUnits(const AmpFlags &flags, Context &c,
               const std::array<bool, Sets> &moves, const Products &products,
               const Entering<Sets> &entering) {
  const bool first = flags.phase == 0;
  if (flags.engines == 0)
    stepUnits<8, Sets>(c, first, moves, products, entering);
  else if (flags.engines == 1)
    stepUnits<4, Sets>(c, first, moves, products, entering);
  else
    stepUnits<2, Sets>(c, first, moves, products, entering);
}

/// Returns the unrounded results of a step: the working accumulators in phase
/// 0, else the staged ones.
inline Pair outgoing(const Context &c, unsigned set, unsigned phase) {
  return loadLanes<Pair>(phase == 0 ? c.working[set] : c.staging[set]);
}

template <typename In, typename Out>
bool halfAmp(Context &c, Register d, Register s0, Register s1,
             std::int32_t imm) {
  constexpr unsigned Sets = Out::Sets;
  const AmpFlags flags(imm, 4);
  if (!flags.valid)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  std::array<Pair, Sets> leaving;
  for (unsigned set = 0; set != Sets; ++set)
    leaving[set] = outgoing(c, set, flags.phase);
  Out results;
  if (flags.phase == 0)
    noteFinished<Sets, Out::AreHalves>(c.working[0]);
  if (!results.take(c, leaving, From::Chain)) [[unlikely]]
    return false;
  std::array<bool, Sets> moves;
  moves.fill(true);
  stepUnits<Sets>(flags, c, moves, HalfProducts(c, s0, flags.phase),
                  In::template read<Sets>(c, s1));
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
  if (flags.phase == 0)
    noteFinished<Sets, false>(c.working[0]);
  if (moving < Sets && !results.take(c, {outgoing(c, moving, flags.phase)},
                                     From::Chain)) [[unlikely]]
    return false;
  std::array<bool, Sets> moves;
  Entering<Sets> entering;
  for (unsigned set = 0; set != Sets; ++set) {
    moves[set] = set == moving;
    entering[set] = readFloats(c, s1);
  }
  stepUnits<Sets>(flags, c, moves, SingleProduct(c, s0, flags.phase), entering);
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

// The units are stages: two for each tap. Their chain moves on before products
// are added.

/// A step of the first `Count` units of each set.
template <unsigned Count, unsigned Sets>
void slide(Context &c, const HalfProducts &products,
           const Entering<Sets> &entering) {
  constexpr unsigned Now = AtOnce<Sets>;
  for (unsigned set = 0; set != Sets; set += Now) {
    const Lanes<Now> sum = products.sum<Now>(set);
    for (unsigned i = 0; i != Now; ++i) {
      Chain chain = Chain::load(c.working[set + i]);
      chain.move<Count>(entering[set + i]);
      (chain + sum.of(i)).template store<Count>(c.working[set + i]);
    }
  }
}
/// Slides in f32; `moves` is false if only products are added.
template <unsigned Count>
void slide(Context &c, bool moves, const SingleProduct &product,
           Pair entering) {
  const Lanes<1> old = Lanes<1>::load(c.working[0]);
  Chain chain = Chain::load(c.working[0]);
  if (moves)
    chain.move<Count>(entering);
  activeOf<Count>(product.addTo<1>({chain.units()}, 0), old)
      .store(c.working[0]);
}

template <typename In, typename Out>
bool halfSlic(Context &c, Register d, Register s0, Register s1,
              std::int32_t imm) {
  constexpr unsigned Sets = Out::Sets;
  if (imm > 7)
    return c.fault(FaultKind::InvalidImmediate, std::uint32_t(imm));
  const SlicFlags flags(imm);
  std::array<Pair, Sets> leaving;
  for (unsigned set = 0; set != Sets; ++set)
    leaving[set] = loadLanes<Pair>(c.working[set]);
  Out results;
  if (!results.take(c, leaving, From::Sums)) [[unlikely]]
    return false;
  const HalfProducts products(c, s0, flags.window);
  const Entering<Sets> entering = In::template read<Sets>(c, s1);
  if (flags.threeTaps)
    slide<6, Sets>(c, products, entering);
  else
    slide<8, Sets>(c, products, entering);
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
  SinglesOut results;
  if (!flags.secondWord &&
      !results.take(c, {loadLanes<Pair>(c.working[0])}, From::Sums))
    return false;
  const SingleProduct product(c, s0, 2 * flags.window + flags.secondWord);
  if (flags.threeTaps)
    slide<6>(c, !flags.secondWord, product, readFloats(c, s1));
  else
    slide<8>(c, !flags.secondWord, product, readFloats(c, s1));
  if (flags.secondWord)
    writePair(c, d, 0);
  else
    results.write(c, d);
  return true;
}

} // namespace populus::runtime::emulator

#endif
