// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adds up the partial sums that several tiles have computed for the same
// results.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace poplin {

/// out[i] = sum of partials[n][i] over the depth, two results at a time. Halves
/// are written in pairs, since one alone means reading the word around it
/// first.
template <class Out, class Partial> class ReduceAdd : public Vertex {
public:
  Input<Vector<Partial, VectorLayout::ONE_PTR, 8>> partials;
  Output<Vector<Out>> out;
  unsigned depth;

  bool compute() {
    if (out.size() % 2 == 0)
      addPairs<true>(out.size() / 2);
    else
      addOdd();
    return true;
  }

private:
  using Pair = Partial __attribute__((ext_vector_type(2)));

  template <bool Aligned> static Pair load(const Partial *p) {
    if constexpr (Aligned)
      return *reinterpret_cast<const Pair *>(p);
    else
      return Pair{p[0], p[1]};
  }

  template <bool Aligned>
  __attribute__((always_inline)) void addPairs(unsigned pairs) {
    const Partial *from = &partials[0];
    Out *to = &out[0];
    const unsigned step = out.size(), more = depth - 1;
    for (; pairs != 0; --pairs) {
      const Partial *p = from;
      Pair sums = load<Aligned>(p);
      for (unsigned n = more; n != 0; --n)
        sums += load<Aligned>(p += step);
      store(to, sums);
      from += 2;
      to += 2;
    }
  }

  /// Every second row of partial sums begins between words of eight bytes. A
  /// function of its own, for it needs many registers, which would be saved for
  /// pairs as well.
  __attribute__((noinline)) void addOdd() {
    const unsigned count = out.size();
    addPairs<false>(count / 2);
    const Partial *p = &partials[count - 1];
    Partial sum = *p;
    for (unsigned n = depth; --n != 0;)
      sum += *(p += count);
    out[count - 1] = Out(sum);
  }

  static void store(float *to, const Pair &sums) {
    to[0] = sums[0];
    to[1] = sums[1];
  }
  static void store(half *to, const Pair &sums) {
    *reinterpret_cast<half2 *>(to) = half2{half(sums[0]), half(sums[1])};
  }
};

template class ReduceAdd<float, float>;
template class ReduceAdd<half, float>;

/// The same for results that are a multiple of four, four at a time. The code
/// for the IPU is in ReduceAdd.S, which knows the order of the fields.
template <class Out, class Partial> class ReduceAddVector : public Vertex {
public:
  static const bool isExternalCodelet = true;

  Input<Vector<Partial, VectorLayout::ONE_PTR, 8>> partials;
  Output<Vector<Out, VectorLayout::ONE_PTR, 8>> out;
  unsigned foursLessOne;
  unsigned depthLessOne;
  unsigned step; // from a partial sum to that of the next tile, in 8 bytes
  int stepBack;  // from behind the last one to the next four results, in bytes

#ifdef __IPU__
  bool compute();
#else
  bool compute() {
    const unsigned count = 4 * (foursLessOne + 1);
    unsigned i = 0;
    for (; i + 16 <= count; i += 16)
      addUp<16>(i);
    for (; i != count; i += 4)
      addUp<4>(i);
    return true;
  }

private:
  /// So many results at a time.
  template <unsigned Count> void addUp(unsigned first) {
    using Sums = Partial __attribute__((ext_vector_type(Count)));
    using Results = Out __attribute__((ext_vector_type(Count)));
    const Partial *p = &partials[first];
    Sums sums = 0;
    for (unsigned n = 0; n <= depthLessOne; ++n) {
      Sums next;
      __builtin_memcpy(&next, p, sizeof(next));
      sums += next;
      p += step * (8 / sizeof(Partial));
    }
    const Results results = __builtin_convertvector(sums, Results);
    __builtin_memcpy(&out[first], &results, sizeof(results));
  }
#endif
};

template class ReduceAddVector<float, float>;
template class ReduceAddVector<half, float>;

/// The same for sums in half, which are added up in float, eight at a time.
class ReduceAddHalves : public Vertex {
public:
  static const bool isExternalCodelet = true;

  Input<Vector<half, VectorLayout::ONE_PTR, 8>> partials;
  Output<Vector<half, VectorLayout::ONE_PTR, 8>> out;
  unsigned eightsLessOne;
  unsigned depthLessOne;
  unsigned step; // as of ReduceAddVector
  int stepBack;

#ifdef __IPU__
  bool compute();
#else
  bool compute() {
    const unsigned count = 8 * (eightsLessOne + 1);
    for (unsigned i = 0; i != count; ++i) {
      float sum = 0;
      for (unsigned n = 0; n <= depthLessOne; ++n)
        sum += float(partials[n * count + i]);
      out[i] = half(sum);
    }
    return true;
  }
#endif
};

} // namespace poplin
