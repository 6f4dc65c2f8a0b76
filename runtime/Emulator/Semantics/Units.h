// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accumulators as the matrix and slim convolution units see them: cells of
// eight units in a set, those of two sets side by side, and chains of a set's
// cells, which move on by two.
//
// A chain is a vector in the interpreter, which moves on by a shuffle. In
// translated code it is four pairs: there a pair that moves on is the same
// value by another name, and costs nothing. So cells are accessed by pairs or
// by units, and state that LLVM keeps in registers is copied in the same pieces
// (lib/Translate/StateCopy.h).

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_UNITS_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_UNITS_H

#include "runtime/Emulator/Semantics/FloatEnvironment.h"

#include <array>

namespace populus::runtime::emulator {

/// Eight lanes, or the units of a set.
typedef float Units __attribute__((vector_size(32)));

/// Vectors from and to memory that need not be aligned for them.
template <typename Vector> Vector loadLanes(const float *from) {
  Vector lanes;
  std::memcpy(&lanes, from, sizeof(lanes));
  return lanes;
}
template <typename Vector> void storeLanes(float *to, Vector lanes) {
  std::memcpy(to, &lanes, sizeof(lanes));
}

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

// ---- One or two sets --------------------------------------------------------

// Specialisations, because GCC ignores a vector size that is an expression.
template <unsigned Sets> struct VectorOfSets;
template <> struct VectorOfSets<1> {
  typedef float Type __attribute__((vector_size(32)));
};
template <> struct VectorOfSets<2> {
  typedef float Type __attribute__((vector_size(64)));
};

/// A number for each unit. (A class, for by themselves wider vectors than the
/// host's cannot be passed.)
template <unsigned Sets> struct Lanes {
  using Vector = typename VectorOfSets<Sets>::Type;
  Vector value;

  static Lanes load(const float *from) {
    Lanes lanes;
    std::memcpy(&lanes.value, from, sizeof(lanes.value));
    return lanes;
  }
  void store(float *to) const { std::memcpy(to, &value, sizeof(value)); }
  /// Returns the same number for all units.
  static Lanes all(float x) {
    Lanes lanes;
    for (unsigned i = 0; i != 8 * Sets; ++i)
      lanes.value[i] = x;
    return lanes;
  }

  /// Returns the same four numbers for each four units.
  static Lanes repeat(Four x) {
    Lanes lanes;
    for (unsigned i = 0; i != 8 * Sets; ++i)
      lanes.value[i] = x[i % 4];
    return lanes;
  }
  /// In each four of the first eight lanes number I of them; of the other
  /// eight number J.
  template <unsigned I, unsigned J> Lanes ofFours() const {
    static_assert(Sets == 2);
    constexpr unsigned K = I + 4, L = J + 8, M = J + 12;
    return {__builtin_shufflevector(value, value, I, I, I, I, K, K, K, K, L, L,
                                    L, L, M, M, M, M)};
  }
  static Lanes join(Units low, Units high) {
    static_assert(Sets == 2);
    return {__builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
                                    11, 12, 13, 14, 15)};
  }

  Lanes operator+(const Lanes &other) const { return {value + other.value}; }
  Lanes operator*(const Lanes &other) const { return {value * other.value}; }
  Units of(unsigned set) const {
    Units units;
    std::memcpy(&units, reinterpret_cast<const float *>(&value) + 8 * set,
                sizeof(units));
    return units;
  }
};

/// x * w + a, rounded once.
template <unsigned Sets>
Lanes<Sets> multiplyAdd(const Lanes<Sets> &x, const Lanes<Sets> &w,
                        const Lanes<Sets> &a) {
#if defined(__clang__)
  return {__builtin_elementwise_fma(x.value, w.value, a.value)};
#else
  Lanes<Sets> result;
  for (unsigned i = 0; i != 8 * Sets; ++i)
    result.value[i] = std::fma(x.value[i], w.value[i], a.value[i]);
  return result;
#endif
}

// ---- Chains -----------------------------------------------------------------

#ifdef POPULUS_TRANSLATE
// Not an array: LLVM would use memmove to move the chain on.
class Chain {
public:
  static Chain load(const float *cells) {
    return {loadLanes<Pair>(cells), loadLanes<Pair>(cells + 2),
            loadLanes<Pair>(cells + 4), loadLanes<Pair>(cells + 6)};
  }
  /// The first `Count` cells; the others stay as they were.
  template <unsigned Count> void store(float *cells) const {
    storeLanes(cells, first);
    if constexpr (Count > 2)
      storeLanes(cells + 2, second);
    if constexpr (Count > 4)
      storeLanes(cells + 4, third);
    if constexpr (Count > 6)
      storeLanes(cells + 6, fourth);
  }
  /// Moves `Count` cells on, with a pair at their end.
  template <unsigned Count> void move(Pair entering) {
    if constexpr (Count == 8)
      *this = {second, third, fourth, entering};
    else if constexpr (Count == 6)
      *this = {second, third, entering, fourth};
    else if constexpr (Count == 4)
      *this = {second, entering, third, fourth};
    else
      *this = {entering, second, third, fourth};
  }
  Chain operator+(Units x) const {
    return {first + __builtin_shufflevector(x, x, 0, 1),
            second + __builtin_shufflevector(x, x, 2, 3),
            third + __builtin_shufflevector(x, x, 4, 5),
            fourth + __builtin_shufflevector(x, x, 6, 7)};
  }
  Units units() const {
    const Four lower = __builtin_shufflevector(first, second, 0, 1, 2, 3);
    const Four upper = __builtin_shufflevector(third, fourth, 0, 1, 2, 3);
    return __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7);
  }

private:
  Chain(Pair first, Pair second, Pair third, Pair fourth)
      : first(first), second(second), third(third), fourth(fourth) {}

  Pair first, second, third, fourth;
};
#else
class Chain {
public:
  static Chain load(const float *cells) { return {loadLanes<Units>(cells)}; }
  template <unsigned Count> void store(float *cells) const {
    storeLanes(cells, activeOf<Count>(cells_, loadLanes<Units>(cells)));
  }
  template <unsigned Count> void move(Pair entering) {
    const Units next{entering[0], entering[1]};
    if constexpr (Count == 8)
      cells_ = __builtin_shufflevector(cells_, next, 2, 3, 4, 5, 6, 7, 8, 9);
    else if constexpr (Count == 6)
      cells_ = __builtin_shufflevector(cells_, next, 2, 3, 4, 5, 8, 9, 6, 7);
    else if constexpr (Count == 4)
      cells_ = __builtin_shufflevector(cells_, next, 2, 3, 8, 9, 4, 5, 6, 7);
    else
      cells_ = __builtin_shufflevector(cells_, next, 8, 9, 2, 3, 4, 5, 6, 7);
  }
  Chain operator+(Units x) const { return {cells_ + x}; }
  Units units() const { return cells_; }

private:
  Chain(Units cells) : cells_(cells) {}

  Units cells_;
};
#endif

/// The chains of one or two sets of cells.
template <unsigned Sets>
std::array<Chain, Sets> chainsOf(const float (*cells)[8]) {
  if constexpr (Sets == 1)
    return {Chain::load(cells[0])};
  else
    return {Chain::load(cells[0]), Chain::load(cells[1])};
}
/// The cells of chains side by side.
template <unsigned Sets>
Lanes<Sets> unitsOf(const std::array<Chain, Sets> &chains) {
  if constexpr (Sets == 1) {
    return {chains[0].units()};
  } else {
    return {__builtin_shufflevector(chains[0].units(), chains[1].units(), 0, 1,
                                    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                    15)};
  }
}
template <unsigned Count, unsigned Sets>
Lanes<Sets> activeOf(const Lanes<Sets> &next, const Lanes<Sets> &old) {
  if constexpr (Count == 8) {
    return next;
  } else if constexpr (Sets == 1) {
    return {activeOf<Count>(next.value, old.value)};
  } else {
    const Units first = activeOf<Count>(next.of(0), old.of(0));
    const Units second = activeOf<Count>(next.of(1), old.of(1));
    return {__builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
                                    10, 11, 12, 13, 14, 15)};
  }
}

} // namespace populus::runtime::emulator

#endif
