// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that fill runs of elements with random numbers. A number is a hash
// of the seed, the modifier and the place of the element, so that vertices have
// no state and any of them can be computed at any time.

#include "Distribution.h"

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace poprand {

/// Every bit of the result depends on every bit of x.
inline unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  x ^= x >> 16;
  return x;
}

class Generator {
public:
  Generator(unsigned seed0, unsigned seed1, unsigned modifier)
      : low(mix(seed0 ^ mix(modifier))),
        high(mix(seed1 + 0x9e3779b9u * (modifier + 1))) {}

  /// The draw of that number for an element.
  unsigned bits(unsigned place, unsigned draw) const {
    return mix(mix(place + low) ^ (high + draw * 0x9e3779b9u));
  }
  /// From [0, 1).
  float unit(unsigned place, unsigned draw) const {
    return float(int(bits(place, draw) >> 8)) * 5.9604645e-8f;
  }
  float normal(unsigned place, unsigned draw) const {
    // Box and Muller; the first number must not be 0.
    const float u = unit(place, draw) + 2.9802322e-8f;
    const float angle = 6.2831853f * unit(place, draw + 1);
    return __builtin_sqrtf(-2.0f * __builtin_logf(u)) * __builtin_cosf(angle);
  }

private:
  unsigned low;
  unsigned high;
};

template <Distribution D>
inline float draw(const Generator &generator, unsigned place, float a, float b,
                  float c) {
  if constexpr (D == Distribution::UNIFORM) {
    return a + (b - a) * generator.unit(place, 0);
  } else if constexpr (D == Distribution::LOG_UNIFORM) {
    return __builtin_expf(a + (b - a) * generator.unit(place, 0));
  } else if constexpr (D == Distribution::NORMAL) {
    return a + b * generator.normal(place, 0);
  } else if constexpr (D == Distribution::TRUNCATED_NORMAL) {
    float x = generator.normal(place, 0);
    for (unsigned i = 2; __builtin_fabsf(x) > c; i += 2)
      x = generator.normal(place, i);
    return a + b * x;
  } else {
    return generator.unit(place, 0) < b ? a : 0.0f;
  }
}

/// Runs of elements: of lengths[i] from place starts[i] of the reference on.
#define FIELDS                                                                 \
  Input<Vector<unsigned, VectorLayout::ONE_PTR>> seed;                         \
  Vector<unsigned> starts;                                                     \
  Vector<unsigned, VectorLayout::ONE_PTR> lengths;                             \
  unsigned modifier;

template <Distribution D, class T> class Random : public Vertex {
public:
  FIELDS
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  float a;
  float b;
  float c;

  bool compute() {
    const Generator generator(seed[0], seed[1], modifier);
    unsigned at = 0;
    for (unsigned run = 0; run != starts.size(); ++run)
      for (unsigned i = 0; i != lengths[run]; ++i)
        out[at++] = T(draw<D>(generator, starts[run] + i, a, b, c));
    return true;
  }
};

/// Integers low + [0, range); a range of 0 stands for all.
class RandomInteger : public Vertex {
public:
  FIELDS
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> out;
  unsigned low;
  unsigned range;

  bool compute() {
    const Generator generator(seed[0], seed[1], modifier);
    unsigned at = 0;
    for (unsigned run = 0; run != starts.size(); ++run)
      for (unsigned i = 0; i != lengths[run]; ++i) {
        const unsigned bits = generator.bits(starts[run] + i, 0);
        const unsigned offset =
            range == 0 ? bits
                       : unsigned((unsigned long long)bits * range >> 32);
        out[at++] = low + offset;
      }
    return true;
  }
};

#define INSTANTIATE(T)                                                         \
  template class Random<Distribution::UNIFORM, T>;                             \
  template class Random<Distribution::LOG_UNIFORM, T>;                         \
  template class Random<Distribution::NORMAL, T>;                              \
  template class Random<Distribution::TRUNCATED_NORMAL, T>;                    \
  template class Random<Distribution::CHOICE, T>;
INSTANTIATE(float)
INSTANTIATE(half)
template class Random<Distribution::CHOICE, int>;
template class Random<Distribution::CHOICE, unsigned>;
template class Random<Distribution::CHOICE, bool>;

} // namespace poprand
