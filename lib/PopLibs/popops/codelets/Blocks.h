// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of elements in blocks that fit the tile's vector instructions: a block
// is two floats, or four elements where any of them are halves or bools. Where
// all of the operands are aligned, blocks are loaded and stored whole;
// otherwise they are put together from elements, and the arithmetic is the
// same. A half or a bool alone is expensive to store, because the tile writes
// whole words.
//
// Host code has blocks of one element.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_BLOCKS_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_BLOCKS_H

#include <ipu_vector_math>
#include <poplar/HalfFloat.hpp>

#define POPULUS_INLINE inline __attribute__((always_inline))

namespace popops {

template <class A, class B> constexpr bool isSame = false;
template <class A> constexpr bool isSame<A, A> = true;

/// Number of elements of these types that are processed at once.
template <class... T> constexpr unsigned blockSize() {
#ifdef __IPU__
  constexpr bool Packed = (... || (isSame<T, half> || isSame<T, bool>));
  constexpr bool Known =
      (... && (isSame<T, half> || isSame<T, bool> || sizeof(T) == sizeof(int)));
  if constexpr (Packed && Known)
    return 4;
  else if constexpr ((... && isSame<T, float>))
    return 2;
#endif
  return 1;
}

/// Four bools, as a word of bytes that are 0 or 1.
struct Bools {
  unsigned word;

  POPULUS_INLINE bool operator[](unsigned i) const {
    return word >> (8 * i) & 1;
  }
};

/// N elements; aligned to 8 bytes, the most that one instruction loads.
template <class T, unsigned N> struct BlockOf {
  typedef T Type __attribute__((ext_vector_type(N), aligned(8)));
};
template <class T> struct BlockOf<T, 1> {
  using Type = T;
};
template <> struct BlockOf<bool, 4> {
  using Type = Bools;
};
template <class T, unsigned N> using Block = typename BlockOf<T, N>::Type;

template <class T> POPULUS_INLINE bool isAligned(const T *p) {
  // Ints are loaded one by one.
  constexpr unsigned Bytes = isSame<T, bool>                       ? 4
                             : isSame<T, half> || isSame<T, float> ? 8
                                                                   : 1;
  return (reinterpret_cast<__UINTPTR_TYPE__>(p) & (Bytes - 1)) == 0;
}

template <unsigned N, class T> POPULUS_INLINE Block<T, N> splat(T value) {
  if constexpr (isSame<T, bool> && N == 4)
    return Bools{value * 0x01010101u};
  else
    return Block<T, N>(value);
}

template <class T, class B>
POPULUS_INLINE void setElement(B &block, unsigned i, T value) {
  if constexpr (isSame<B, Bools>)
    block.word = (block.word & ~(0xffu << (8 * i))) | unsigned(value)
                                                          << (8 * i);
  else
    block[i] = value;
}

/// The block from elements p[0], p[last], ... of which those after `last` are
/// the last one repeated.
template <unsigned N, class T>
POPULUS_INLINE Block<T, N> gatherBlock(const T *p, unsigned last = N - 1) {
  if constexpr (isSame<T, bool>) {
    Bools block{0};
    for (unsigned k = 0; k != N; ++k)
      block.word |= unsigned(p[k < last ? k : last]) << (8 * k);
    return block;
  } else {
    Block<T, N> block;
    for (unsigned k = 0; k != N; ++k)
      block[k] = p[k < last ? k : last];
    return block;
  }
}

/// The block from aligned memory.
template <unsigned N, class T>
POPULUS_INLINE Block<T, N> loadBlock(const T *p) {
  if constexpr (isSame<T, half> || isSame<T, float>)
    return *reinterpret_cast<const Block<T, N> *>(p);
  else if constexpr (isSame<T, bool>)
    return Bools{*reinterpret_cast<const unsigned *>(p)};
  else
    return gatherBlock<N>(p);
}

template <class T, unsigned N>
POPULUS_INLINE void storeBlock(T *p, const Block<T, N> &block) {
  if constexpr (isSame<T, half> || isSame<T, float>)
    *reinterpret_cast<Block<T, N> *>(p) = block;
  else if constexpr (isSame<T, bool>)
    *reinterpret_cast<unsigned *>(p) = block.word;
  else
    for (unsigned k = 0; k != N; ++k)
      p[k] = block[k];
}

/// Returns true if halves begin on a word. Other types need no alignment.
template <class T> POPULUS_INLINE bool isOnWord(const T *p) {
  return !isSame<T, half> || (reinterpret_cast<__UINTPTR_TYPE__>(p) & 3) == 0;
}

/// The block from elements of which halves begin on a word.
template <unsigned N, class T>
POPULUS_INLINE Block<T, N> loadPairs(const T *p) {
  if constexpr (isSame<T, half> && N == 4) {
    const half2 *pairs = reinterpret_cast<const half2 *>(p);
    const half2 low = pairs[0], high = pairs[1];
    return Block<T, N>{low[0], low[1], high[0], high[1]};
  } else {
    return gatherBlock<N>(p);
  }
}

/// The other half of the pair stays.
POPULUS_INLINE void storeFirst(half2 &pair, half value) {
  half2 changed = pair;
  changed[0] = value;
  pair = changed;
}

/// Stores the first `count` elements. Results begin on a word, and no other
/// vertex uses the rest of their last word.
template <class T, unsigned N>
POPULUS_INLINE void storePart(T *p, const Block<T, N> &block, unsigned count) {
  if constexpr (isSame<T, half>) {
    half2 *pairs = reinterpret_cast<half2 *>(p);
    if (count >= 2)
      pairs[0] = half2{block[0], block[1]};
    if (count == 4)
      pairs[1] = half2{block[2], block[3]};
    else if (count == 3)
      storeFirst(pairs[1], block[2]);
    else if (count == 1)
      storeFirst(pairs[0], block[0]);
  } else if constexpr (isSame<T, bool>) {
    if (count == N)
      storeBlock<T, N>(p, block);
    else
      for (unsigned k = 0; k != count; ++k)
        p[k] = block.word >> (8 * k) & 1;
  } else {
    for (unsigned k = 0; k != N; ++k)
      if (k < count)
        p[k] = block[k];
  }
}

/// out[i] = f(in[i]...), or with InPlace out[i] = f(out[i], in[i]...), block by
/// block. `f` takes and gives blocks, and single elements where a block is one.
template <bool InPlace, class Out, class F, class... In>
POPULUS_INLINE void mapBlocks(Out *out, unsigned count, F f,
                              const In *__restrict... in) {
  constexpr unsigned N = blockSize<Out, In...>();
  if constexpr (N == 1) {
    for (unsigned i = 0; i != count; ++i)
      if constexpr (InPlace)
        out[i] = f(out[i], in[i]...);
      else
        out[i] = f(in[i]...);
  } else {
    const auto apply = [&](auto load, unsigned at) {
      if constexpr (InPlace)
        return f(load(out + at), load(in + at)...);
      else
        return f(load(in + at)...);
    };
    constexpr bool HasHalves =
        ((InPlace && isSame<Out, half>) || ... || isSame<In, half>);
    const unsigned whole = count & ~(N - 1);
    if (whole != 0) {
      if ((isAligned(out) & ... & isAligned(in)))
        for (unsigned i = 0; i != whole; i += N)
          storeBlock<Out, N>(
              out + i, apply([](const auto *p) { return loadBlock<N>(p); }, i));
      else if (HasHalves && (isOnWord(out) & ... & isOnWord(in)))
        for (unsigned i = 0; i != whole; i += N)
          storePart<Out, N>(
              out + i, apply([](const auto *p) { return loadPairs<N>(p); }, i),
              N);
      else
        for (unsigned i = 0; i != whole; i += N)
          storePart<Out, N>(
              out + i,
              apply([](const auto *p) { return gatherBlock<N>(p); }, i), N);
    }
    const unsigned rest = count - whole;
    if (rest == 1)
      storePart<Out, N>(
          out + whole, apply([](const auto *p) { return splat<N>(*p); }, whole),
          1);
    else if (rest != 0)
      storePart<Out, N>(
          out + whole,
          apply([=](const auto *p) { return gatherBlock<N>(p, rest - 1); },
                whole),
          rest);
  }
}

/// The same as mapBlocks with an operand that has one value per run of
/// elements: out[i] = f(dense[i], the value of i's run), or f(out[i], ...) with
/// InPlace.
template <bool InPlace, class Out, class T, class F>
POPULUS_INLINE void
mapRuns(Out *out, const T *__restrict dense, const T *__restrict values,
        const unsigned short *__restrict lengths, unsigned numRuns, F f) {
  constexpr unsigned N = blockSize<Out, T>();
  const auto from = [&](unsigned at) -> const T * {
    if constexpr (InPlace)
      return out + at;
    else
      return dense + at;
  };
  if constexpr (N == 1) {
    unsigned next = 0;
    for (unsigned run = 0; run != numRuns; ++run) {
      const T value = values[run];
      const unsigned end = next + lengths[run];
      for (; next != end; ++next)
        out[next] = f(*from(next), value);
    }
  } else {
    if constexpr (N == 4)
      if (numRuns == 1 && lengths[0] == 1) {
        storePart<Out, N>(out, f(splat<N>(*from(0)), splat<N>(values[0])), 1);
        return;
      }
    const bool aligned = isAligned(out) & isAligned(from(0));
    unsigned at = 0, run = 0;
    unsigned left = numRuns == 0 ? 0 : lengths[0];
    while (run != numRuns) {
      const Block<T, N> value = splat<N>(values[run]);
      const unsigned end = at + (left & ~(N - 1));
      if (aligned)
        for (; at != end; at += N)
          storeBlock<Out, N>(out + at, f(loadBlock<N>(from(at)), value));
      else
        for (; at != end; at += N)
          storePart<Out, N>(out + at, f(gatherBlock<N>(from(at)), value), N);
      left &= N - 1;
      if (left == 0) {
        if (++run != numRuns)
          left = lengths[run];
        continue;
      }
      if (run + 1 == numRuns) {
        storePart<Out, N>(out + at,
                          f(gatherBlock<N>(from(at), left - 1), value), left);
        break;
      }
      // A block that several runs share.
      Block<T, N> shared = value;
      unsigned filled = 0;
      for (; filled != N; ++filled, --left) {
        if (left == 0) {
          if (++run == numRuns)
            break;
          left = lengths[run];
        }
        setElement(shared, filled, values[run]);
      }
      storePart<Out, N>(
          out + at, f(gatherBlock<N>(from(at), filled - 1), shared), filled);
      at += filled;
    }
  }
}

} // namespace popops

#endif
