// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What vertices that are written for an expression (FusedExpression.cpp) call.
// All values of such a vertex are blocks of the same number of elements: four
// where halves or bools are among them, then floats are done two by two.

#ifndef POPULUS_LIB_POPLIBS_POPOPS_CODELETS_FUSED_H
#define POPULUS_LIB_POPLIBS_POPOPS_CODELETS_FUSED_H

#include "BinaryFunctions.h"
#include "Choose.h"
#include "Conversions.h"
#include "UnaryFunctions.h"

namespace popops {

#ifdef __IPU__
constexpr bool OnTile = true;
#else
constexpr bool OnTile = false;
#endif

/// Applies a function of blocks of two floats to one block of four or two.
template <class F>
POPULUS_INLINE Block<float, 4> byPairs(F f, Block<float, 4> x) {
  return __builtin_shufflevector(Block<float, 2>(f(Block<float, 2>(x.xy))),
                                 Block<float, 2>(f(Block<float, 2>(x.zw))), 0,
                                 1, 2, 3);
}
template <class F>
POPULUS_INLINE Block<float, 4> byPairs(F f, Block<float, 4> x,
                                       Block<float, 4> y) {
  return __builtin_shufflevector(
      Block<float, 2>(f(Block<float, 2>(x.xy), Block<float, 2>(y.xy))),
      Block<float, 2>(f(Block<float, 2>(x.zw), Block<float, 2>(y.zw))), 0, 1, 2,
      3);
}

template <expr::UnaryOpType Op, class T, class B>
POPULUS_INLINE auto fusedUnary(B x) {
  using Result = typename UnaryResult<Op, T>::Type;
  if constexpr (isSame<B, Block<float, 4>> && isSame<Result, float>)
    return byPairs([](Block<float, 2> pair) { return unaryBlock<Op, T>(pair); },
                   x);
  else
    return unaryBlock<Op, T>(x);
}

template <expr::BinaryOpType Op, class T, class B>
POPULUS_INLINE auto fusedBinary(B x, B y) {
  if constexpr (isSame<B, Block<float, 4>> && !isComparison(Op))
    return byPairs([](Block<float, 2> a,
                      Block<float, 2> b) { return binaryBlock<Op, T>(a, b); },
                   x, y);
  else
    return binaryBlock<Op, T>(x, y);
}

template <class From, class To, class B> POPULUS_INLINE auto fusedCast(B x) {
  if constexpr (isSame<B, From>)
    return Convert<To, From>::apply(x);
  else
    return ConvertBlock<From, To>()(x);
}

template <class B, class C>
POPULUS_INLINE B fusedSelect(B a, B b, C condition) {
  return Choose()(a, b, condition);
}

/// out[i] = f(in[i]...), or with InPlace out[i] = f(out[i], in[i]...), in
/// blocks of N. Elements that are not aligned and those at the end share a
/// loop, for the code of an expression may be long.
template <unsigned N, bool InPlace, class Out, class F, class... In>
POPULUS_INLINE void mapFused(Out *__restrict out, unsigned count, F f,
                             const In *__restrict... in) {
  const auto apply = [=](auto load, unsigned at) {
    if constexpr (InPlace)
      return f(load(out + at), load(in + at)...);
    else
      return f(load(in + at)...);
  };
  if constexpr (N == 1) {
    for (unsigned i = 0; i != count; ++i)
      out[i] = apply([](const auto *p) { return *p; }, i);
  } else {
    unsigned done = 0;
    if ((isAligned(out) & ... & isAligned(in))) {
      done = count & ~(N - 1);
      for (unsigned i = 0; i != done; i += N)
        storeBlock<Out, N>(
            out + i, apply([](const auto *p) { return loadBlock<N>(p); }, i));
    }
    for (; done < count; done += N) {
      const unsigned left = count - done < N ? count - done : N;
      storePart<Out, N>(
          out + done,
          apply([=](const auto *p) { return gatherBlock<N>(p, left - 1); },
                done),
          left);
    }
  }
}

} // namespace popops

#endif
