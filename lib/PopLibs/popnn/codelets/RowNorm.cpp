// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that bring rows to mean 0 and variance 1, or only to a mean square
// of 1, and scale and shift them. All is computed in float, of halves too.
//
// A mean is a float and what that float is short of it. So the mean of large
// elements that differ little is as exact as their differences are, and
// elements minus the float are exact.
//
// Rows are whole on a worker (NormaliseRows), or in parts: RowPartMoments looks
// at a part, and NormaliseRowPart joins what all parts of its row have, and
// normalises its own elements. Each row and part begins at 8 bytes.

#include "lib/PopLibs/popops/codelets/Blocks.h"

#include <poplar/Vertex.hpp>

using namespace poplar;
using popops::loadBlock;
using popops::storeBlock;
using popops::storePart;

namespace popnn {
namespace {

/// Elements in blocks, as floats.
template <class T, unsigned BlockSize = popops::blockSize<T>()> struct Floats {
  static constexpr unsigned N = BlockSize;
  typedef float Type __attribute__((ext_vector_type(N)));

  POPULUS_INLINE static Type widen(const popops::Block<T, N> &x) {
    return __builtin_convertvector(x, Type);
  }
  POPULUS_INLINE static popops::Block<T, N> narrow(Type x) {
    return __builtin_convertvector(x, popops::Block<T, N>);
  }
  POPULUS_INLINE static Type load(const T *p) { return widen(loadBlock<N>(p)); }
  POPULUS_INLINE static Type of(float x) { return Type(x); }
  POPULUS_INLINE static float sum(Type lanes) {
    float total = lanes[0];
    for (unsigned k = 1; k != N; ++k)
      total += lanes[k];
    return total;
  }
};

/// Single elements, in host code.
template <class T> struct Floats<T, 1> {
  static constexpr unsigned N = 1;
  using Type = float;
  static float widen(T x) { return float(x); }
  static T narrow(float x) { return T(x); }
  static float load(const T *p) { return float(*p); }
  static float of(float x) { return x; }
  static float sum(float x) { return x; }
};

/// The mean is base + rest; `squares` is the sum of squared differences from
/// it, or of squares where the mean is left alone.
struct Moments {
  float base = 0, rest = 0, squares = 0;
};

/// Neighbouring halves are added at once.
template <class T> POPULUS_INLINE auto sumOfBlock(const T *p) {
#ifdef __IPU__
  if constexpr (popops::isSame<T, half>)
    return __builtin_ipu_f16v4sum(loadBlock<4>(p));
  else
#endif
    return Floats<T>::load(p);
}

template <class T> POPULUS_INLINE float sumOf(const T *p, unsigned count) {
  constexpr unsigned N = Floats<T>::N;
  using Sums = decltype(sumOfBlock(p));
  Sums lanes = {};
  const T *const end = p + (count & ~(N - 1));
  for (; p != end; p += N)
    lanes += sumOfBlock(p);
  float total = Floats<float>::sum(lanes);
  for (unsigned k = 0; k != (count & (N - 1)); ++k)
    total += float(p[k]);
  return total;
}

/// Two passes: a float near the mean, then differences from that.
template <bool Centre, class T>
POPULUS_INLINE Moments momentsOf(const T *p, unsigned count, float share) {
  using F = Floats<T>;
  constexpr unsigned N = F::N;
  Moments m;
  if constexpr (Centre)
    m.base = sumOf(p, count) * share;
  using Pairs = Floats<float>;
  const auto base = Pairs::of(m.base);
  auto sums = Pairs::of(0), squares = Pairs::of(0);
  const auto add = [&](auto x) {
    if constexpr (Centre) {
      x = base - x; // as the tile subtracts from a scalar
      sums += x;
    }
    squares += x * x;
  };
  const T *const end = p + (count & ~(N - 1));
  for (; p != end; p += N) {
    const auto x = F::load(p);
    if constexpr (N == 4) {
      add(x.lo);
      add(x.hi);
    } else {
      add(x);
    }
  }
  float sum = -Pairs::sum(sums);
  m.squares = Pairs::sum(squares);
  for (unsigned k = 0; k != (count & (N - 1)); ++k) {
    const float x = float(p[k]) - m.base;
    sum += x;
    m.squares += x * x;
  }
  if constexpr (Centre) {
    m.rest = sum * share;
    m.squares -= sum * m.rest;
  }
  return m;
}

/// Factors of a row's normalisation.
struct Scale {
  float base, rest, inverse;
};

inline Scale scaleOf(const Moments &m, float share, float epsilon) {
  // Rounding may make them negative.
  const float squares = m.squares < 0.0f ? 0.0f : m.squares;
  return {m.base, m.rest, ipu::rsqrt(squares * share + epsilon)};
}

/// A sum or product of elements, which rounds to their type.
template <class E, class F> POPULUS_INLINE E rounded(E a, E b, F f) {
  if constexpr (popops::isSame<E, half>)
    return half(f(float(a), float(b)));
  else
    return f(a, b);
}

/// Parameters: 0, a scale, or a scale and a shift, for each element.
template <bool Centre, unsigned Parameters, class T>
POPULUS_INLINE void normalise(T *__restrict p, unsigned count, const Scale &s,
                              const T *__restrict scale,
                              const T *__restrict shift) {
  using F = Floats<T>;
  constexpr unsigned N = F::N;
  using Elements = popops::Block<T, N>;
  // Signs are such that the vectors of one value are operands which the tile
  // takes as scalars.
  const auto base = F::of(s.base), inverse = F::of(s.inverse);
  const auto minusInverse = F::of(-s.inverse);
  const auto minusRest = F::of(-(s.rest * s.inverse));
  const auto one = [&](const Elements &given, auto load) {
    auto x = F::widen(given);
    if constexpr (Centre)
      x = minusRest + minusInverse * (base - x);
    else
      x = inverse * x;
    Elements e = F::narrow(x);
    if constexpr (Parameters >= 1)
      e = rounded(e, load(scale), [](auto a, auto b) { return a * b; });
    if constexpr (Parameters == 2)
      e = rounded(e, load(shift), [](auto a, auto b) { return a + b; });
    return e;
  };
  if constexpr (N == 1) {
    for (unsigned i = 0; i != count; ++i)
      p[i] = one(p[i], [&](const T *from) { return from[i]; });
  } else {
    const unsigned whole = count & ~(N - 1), left = count - whole;
    for (unsigned i = 0; i != whole; i += N)
      storeBlock<T, N>(p + i, one(loadBlock<N>(p + i), [&](const T *from) {
                         return loadBlock<N>(from + i);
                       }));
    if (left == 0)
      return;
    const auto load = [&](const T *from) {
      return popops::gatherBlock<N>(from + whole, left - 1);
    };
    storePart<T, N>(p + whole, one(load(p), load), left);
  }
}

} // namespace

/// Moments of a part: base, rest and squares; only squares without Centre.
template <class T, bool Centre> class RowPartMoments : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  unsigned count;
  /// 1 / count.
  float share;

  bool compute() {
    const Moments m = momentsOf<Centre>(&in[0], count, share);
    float *to = &out[0];
    if constexpr (Centre) {
      *to++ = m.base;
      *to++ = m.rest;
    }
    *to = m.squares;
    return true;
  }
};

namespace {

/// Joins the moments of parts by Chan's formula. Parts have the same size but
/// for the last one, of `last` elements. Differences are from the first part's
/// base.
template <bool Centre>
POPULUS_INLINE Moments join(const float *bases, const float *rests,
                            const float *squares, unsigned parts, float size,
                            float last, float share) {
  using F = Floats<float>;
  constexpr unsigned N = F::N;
  Moments m;
  const unsigned whole = parts & ~(N - 1);
  auto total = F::of(0);
  for (unsigned i = 0; i != whole; i += N)
    total += F::load(squares + i);
  m.squares = F::sum(total);
  if (whole != parts)
    m.squares += squares[whole];
  if constexpr (Centre) {
    const float base = bases[0];
    const auto first = F::of(base);
    auto sums = F::of(0), bends = F::of(0);
    for (unsigned i = 0; i != whole; i += N) {
      const auto x = (F::load(bases + i) - first) + F::load(rests + i);
      sums += x;
      bends += x * x;
    }
    // Sums as if all parts had the same size, then a correction for the last
    // one.
    const float x = (bases[parts - 1] - base) + rests[parts - 1];
    float sum = F::sum(sums), bend = F::sum(bends);
    if (whole != parts) {
      sum += x;
      bend += x * x;
    }
    const float less = last - size;
    sum = sum * size + less * x;
    bend = bend * size + less * (x * x);
    const float offset = sum * share;
    m.squares += bend - sum * offset;
    m.base = base + offset;
    m.rest = offset - (m.base - base);
  }
  return m;
}

} // namespace

/// The elements of a worker, all of one row whose parts have been looked at.
template <class T, bool Centre, unsigned Parameters>
class NormaliseRowPart : public Vertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR, 8>> x;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> scale;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> shift;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> bases;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> rests;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> squares;
  unsigned count;
  unsigned parts;
  /// Elements of a part and of the last one; 1 / those of the row.
  float size;
  float last;
  float share;
  float epsilon;

  bool compute() {
    const Moments m = join<Centre>(&bases[0], &rests[0], &squares[0], parts,
                                   size, last, share);
    normalise<Centre, Parameters>(&x[0], count, scaleOf(m, share, epsilon),
                                  &scale[0], &shift[0]);
    return true;
  }
};

/// The mean of a row in parts, and 1 / its deviation.
template <bool Centre> class JoinRowMoments : public Vertex {
public:
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> bases;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> rests;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> squares;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  unsigned parts;
  float size;
  float last;
  float share;
  float epsilon;

  bool compute() {
    const Moments m = join<Centre>(&bases[0], &rests[0], &squares[0], parts,
                                   size, last, share);
    out[0] = m.base + m.rest;
    out[1] = scaleOf(m, share, epsilon).inverse;
    return true;
  }
};

/// Rows of `count` elements, `stride` from one to the next. `out` is the mean
/// of each row and 1 / its deviation.
template <class T, bool Centre, unsigned Parameters>
class NormaliseRows : public Vertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR, 8>> x;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> scale;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> shift;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  unsigned rows;
  unsigned count;
  unsigned stride;
  float share;
  float epsilon;

  bool compute() {
    T *row = &x[0];
    float *to = &out[0];
    for (unsigned r = rows; r != 0; --r, row += stride, to += 2) {
      const Moments m = momentsOf<Centre>(row, count, share);
      const Scale s = scaleOf(m, share, epsilon);
      to[0] = m.base + m.rest;
      to[1] = s.inverse;
      normalise<Centre, Parameters>(row, count, s, &scale[0], &shift[0]);
    }
    return true;
  }
};

template class JoinRowMoments<false>;
template class JoinRowMoments<true>;
#define PARAMETERS(T, CENTRE, N)                                               \
  template class NormaliseRowPart<T, CENTRE, N>;                               \
  template class NormaliseRows<T, CENTRE, N>;
#define FORMS(T, CENTRE)                                                       \
  template class RowPartMoments<T, CENTRE>;                                    \
  PARAMETERS(T, CENTRE, 0)                                                     \
  PARAMETERS(T, CENTRE, 1)                                                     \
  PARAMETERS(T, CENTRE, 2)
FORMS(float, false)
FORMS(float, true)
FORMS(half, false)
FORMS(half, true)

} // namespace popnn
