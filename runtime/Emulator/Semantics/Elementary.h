// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Square root, reciprocals, exponentials, logarithms, tanh and sigmoid:
// computed in double precision by the host's library and rounded once.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_ELEMENTARY_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_ELEMENTARY_H

#include "runtime/Emulator/Semantics/Arithmetic.h"

namespace populus::runtime::emulator {

/// The behaviour of a function at zero.
enum class AtZero { Value, Pole };

struct Sqrt {
  static constexpr AtZero Zero = AtZero::Value;
  static double run(double x) { return std::sqrt(x); }
};
struct Reciprocal {
  static constexpr AtZero Zero = AtZero::Pole;
  static double run(double x) { return 1 / x; }
};
struct ReciprocalSqrt {
  static constexpr AtZero Zero = AtZero::Pole;
  static double run(double x) {
    return x == 0 ? std::copysign(INFINITY, x) : 1 / std::sqrt(x);
  }
};
struct Exp {
  static constexpr AtZero Zero = AtZero::Value;
  static double run(double x) { return std::exp(x); }
};
struct Exp2 {
  static constexpr AtZero Zero = AtZero::Value;
  static double run(double x) { return std::exp2(x); }
};
struct Ln {
  static constexpr AtZero Zero = AtZero::Pole;
  static double run(double x) { return std::log(x); }
};
struct Log2 {
  static constexpr AtZero Zero = AtZero::Pole;
  static double run(double x) { return std::log2(x); }
};
struct Tanh {
  static constexpr AtZero Zero = AtZero::Value;
  static double run(double x) { return std::tanh(x); }
};
struct Sigmoid {
  static constexpr AtZero Zero = AtZero::Value;
  static double run(double x) { return 1 / (1 + std::exp(-x)); }
};

template <typename Function> bool unary32(Context &c, Register d, Register s) {
  const std::uint32_t x = c.a[s];
  const bool pole = Function::Zero == AtZero::Pole && (x << 1) == 0;
  std::uint32_t events = 0;
  const std::uint32_t result =
      finish32(static_cast<float>(Function::run(asFloat(x))),
               pole || !isFinite32(x), events);
  if (pole)
    events |= FpDivideByZero;
  if (events != 0 && !raise(c, events))
    return false;
  c.a[d] = result;
  return true;
}

template <typename Function> bool unary16(Context &c, Register d, Register s) {
  std::uint16_t result[2];
  HalfRounder rounder(c);
  bool pole = false;
  for (unsigned i = 0; i != 2; ++i) {
    const float x = operand16(half(c, s, i));
    pole |= Function::Zero == AtZero::Pole && x == 0;
    result[i] = rounder.round(static_cast<float>(Function::run(x)));
  }
  if (pole && !raise(c, FpDivideByZero))
    return false;
  if (!rounder.finish())
    return false;
  setHalves<2>(c, d, result);
  return true;
}

#define UNARY(NAME, ...)                                                       \
  INSTRUCTION(NAME, Register d, Register s) { return __VA_ARGS__(c, d, s); }

UNARY(F32SQRT, unary32<Sqrt>)
UNARY(F32OOX, unary32<Reciprocal>)
UNARY(F32OORX, unary32<ReciprocalSqrt>)
UNARY(F32EXP, unary32<Exp>)
UNARY(F32EXP2, unary32<Exp2>)
UNARY(F32LN, unary32<Ln>)
UNARY(F32LOG2, unary32<Log2>)
UNARY(F32TANH, unary32<Tanh>)
UNARY(F32SIGM, unary32<Sigmoid>)
UNARY(F16V2EXP, unary16<Exp>)
UNARY(F16V2EXP2, unary16<Exp2>)
UNARY(F16V2LN, unary16<Ln>)
UNARY(F16V2LOG2, unary16<Log2>)
UNARY(F16V2TANH, unary16<Tanh>)
UNARY(F16V2SIGM, unary16<Sigmoid>)

#undef UNARY

} // namespace populus::runtime::emulator

#endif
