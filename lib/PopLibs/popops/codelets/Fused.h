// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that generated vertices (FusedExpression.cpp) call. All values of
// such a vertex are blocks with the same number of elements: four if there are
// halves or bools among them. Floats are then computed in pairs.

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
  using Result = UnaryResult<Op, T>;
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

#ifdef __IPU__
/// Type that the auxiliary unit compares at once.
template <class T> struct LanesOf {
  using Type = float2;
};
template <> struct LanesOf<half> {
  using Type = half4;
};
template <class T> using Lanes = typename LanesOf<T>::Type;

POPULUS_INLINE float2 maskedBits(float2 x, float2 mask) {
  return __builtin_ipu_and_v2f32(x, mask);
}
POPULUS_INLINE half4 maskedBits(half4 x, half4 mask) {
  return __builtin_ipu_and_v4f16(x, mask);
}
POPULUS_INLINE float2 joinedBits(float2 x, float2 y) {
  return __builtin_ipu_or_v2f32(x, y);
}
POPULUS_INLINE half4 joinedBits(half4 x, half4 y) {
  return __builtin_ipu_or_v4f16(x, y);
}
#endif

/// a where x and y compare so, and b elsewhere.
template <expr::BinaryOpType Op, class T, class B>
POPULUS_INLINE B fusedChoose(B a, B b, B x, B y) {
#ifdef __IPU__
  if constexpr (isSame<B, Block<float, 4>>) {
    const auto part = [](Block<float, 2> a, Block<float, 2> b,
                         Block<float, 2> x, Block<float, 2> y) {
      return fusedChoose<Op, T>(a, b, x, y);
    };
    return __builtin_shufflevector(part(a.xy, b.xy, x.xy, y.xy),
                                   part(a.zw, b.zw, x.zw, y.zw), 0, 1, 2, 3);
  } else if constexpr (!isSame<B, T>) {
    using V = Lanes<T>;
    const V mask = maskOf<Op>(V(x), V(y));
    return B(joinedBits(maskedBits(V(a), mask), ipu::andc(V(b), mask)));
  } else
#endif
    return binary<Op>(x, y) ? a : b;
}

/// a where x and y compare so, and 0 elsewhere.
template <expr::BinaryOpType Op, class T, class B>
POPULUS_INLINE B fusedKeep(B a, B x, B y) {
#ifdef __IPU__
  if constexpr (isSame<B, Block<float, 4>>) {
    const auto part = [](Block<float, 2> a, Block<float, 2> x,
                         Block<float, 2> y) {
      return fusedKeep<Op, T>(a, x, y);
    };
    return __builtin_shufflevector(part(a.xy, x.xy, y.xy),
                                   part(a.zw, x.zw, y.zw), 0, 1, 2, 3);
  } else if constexpr (!isSame<B, T>) {
    using V = Lanes<T>;
    return B(maskedBits(V(a), maskOf<Op>(V(x), V(y))));
  } else
#endif
    return binary<Op>(x, y) ? a : T(0);
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
