// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference. A row's name says how it works on lanes: F32V2ADD_b is ADD on
// two singles, with the first word of the first source in both lanes.

#include "Reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

namespace populus::runtime::test {

namespace {

using u32 = std::uint32_t;
using Wide = __float128;

constexpr u32 Invalid = 1, DivideByZero = 2, Overflow = 4;
const Wide Infinity = std::numeric_limits<double>::infinity();
const Wide NotANumber = std::numeric_limits<double>::quiet_NaN();

bool isNan(Wide x) { return x != x; }
bool isInfinite(Wide x) { return x == Infinity || x == -Infinity; }
bool isNegative(Wide x) { return std::signbit(static_cast<long double>(x)); }
Wide magnitude(Wide x) { return isNegative(x) ? -x : x; }

/// A binary floating-point format.
struct Format {
  int precision;
  int leastExponent; // of normal numbers
  unsigned fractionBits;
  unsigned bits;

  u32 signBit() const { return 1u << (bits - 1); }
  u32 exponents() const { return (signBit() - 1) >> fractionBits; }
};
constexpr Format Single = {24, -126, 23, 32};
constexpr Format Half = {11, -14, 10, 16};

Wide decode(u32 value, const Format &format) {
  const u32 fraction = value & ((1u << format.fractionBits) - 1);
  const u32 exponent = (value & (format.signBit() - 1)) >> format.fractionBits;
  Wide result;
  if (exponent == format.exponents())
    result = fraction ? NotANumber : Infinity;
  else if (exponent == 0)
    result = std::ldexp(static_cast<long double>(fraction),
                        format.leastExponent - (format.precision - 1));
  else
    result = std::ldexp(
        static_cast<long double>(fraction | 1u << format.fractionBits),
        format.leastExponent + static_cast<int>(exponent) - 1 -
            (format.precision - 1));
  return value & format.signBit() ? -result : result;
}

/// The nearest number of the format with an unlimited exponent at the top; ties
/// to even.
Wide rounded(Wide x, const Format &format) {
  if (x == 0 || isNan(x) || isInfinite(x))
    return x;
  int exponent = 0;
  std::frexp(static_cast<long double>(x), &exponent);
  const Wide unit =
      std::ldexp(1.0L, std::max(exponent - 1, format.leastExponent) -
                           (format.precision - 1));
  const Wide scaled = magnitude(x) / unit;
  auto whole = static_cast<long long>(scaled);
  const Wide rest = scaled - whole;
  if (rest > 0.5 || (rest == 0.5 && whole % 2 != 0))
    ++whole;
  const Wide result = whole * unit;
  return isNegative(x) ? -result : result;
}

u32 encode(Wide x, const Format &format) {
  const u32 sign = isNegative(x) ? format.signBit() : 0;
  if (isNan(x))
    return format.bits == 32 ? 0x7fc00000 : 0x7e00;
  if (isInfinite(x))
    return sign | format.exponents() << format.fractionBits;
  const Wide unit =
      std::ldexp(1.0L, format.leastExponent - (format.precision - 1));
  const Wide size = magnitude(x);
  if (size == 0)
    return sign;
  // Denormals and the first binade count in units; above, each binade halves.
  int exponent = 0;
  std::frexp(static_cast<long double>(size), &exponent);
  const int shift = std::max(0, exponent - 1 - format.leastExponent);
  const auto count = static_cast<std::uint64_t>(
      size / unit / static_cast<Wide>(std::ldexp(1.0L, shift)));
  return sign | static_cast<u32>(count + (static_cast<std::uint64_t>(shift)
                                          << format.fractionBits));
}

/// Rounds a result; `exact` says that it comes from numbers, so that an
/// infinity is an overflow.
u32 finish(Wide x, const Format &format, bool fromNumbers, u32 &flags) {
  if (isNan(x)) {
    flags |= Invalid;
    return encode(x, format);
  }
  Wide result = rounded(x, format);
  const Wide largest = format.bits == 32 ? Wide(0x1.fffffep127L) : Wide(65504);
  if (magnitude(result) > largest && fromNumbers) {
    flags |= Overflow;
    result = format.bits == 32 ? Infinity : largest;
    if (isNegative(x))
      result = -result;
  }
  return encode(result, format);
}

// ---- Lanes ------------------------------------------------------------------

/// Result of one lane.
struct Lane {
  u32 bits;
  u32 flags = 0;
};
using LaneFunction = std::function<Lane(u32 x, u32 y, const Format &format)>;

/// Halves that are infinite count as NaN in arithmetic.
Wide operand(u32 value, const Format &format) {
  const Wide x = decode(value, format);
  return format.bits == 16 && isInfinite(x) ? NotANumber : x;
}

template <typename Operation> LaneFunction arithmetic(Operation operation) {
  return [operation](u32 a, u32 b, const Format &format) {
    const Wide x = operand(a, format), y = operand(b, format);
    Lane lane{};
    const bool numbers = !isInfinite(x) && !isInfinite(y);
    lane.bits = finish(operation(x, y), format, numbers, lane.flags);
    return lane;
  };
}

template <typename Predicate> LaneFunction comparison(Predicate predicate) {
  return [predicate](u32 a, u32 b, const Format &format) {
    const Wide x = decode(a, format), y = decode(b, format);
    const u32 yes = format.bits == 32 ? 0xffffffff : 0xffff;
    Lane lane{predicate(x, y) ? yes : 0};
    if (isNan(x) || isNan(y))
      lane.flags = Invalid;
    return lane;
  };
}

/// A number is preferred to a NaN; -0 is less than +0.
Wide larger(Wide x, Wide y) {
  if (isNan(x) || isNan(y))
    return isNan(x) ? y : x;
  if (x == y)
    return isNegative(x) ? y : x;
  return x > y ? x : y;
}
Wide smaller(Wide x, Wide y) {
  if (isNan(x) || isNan(y))
    return isNan(x) ? y : x;
  if (x == y)
    return isNegative(x) ? x : y;
  return x < y ? x : y;
}

template <typename Choice> LaneFunction choice(Choice choose) {
  return [choose](u32 a, u32 b, const Format &format) {
    return Lane{encode(choose(decode(a, format), decode(b, format)), format)};
  };
}

const std::map<std::string, LaneFunction> &binaryFunctions() {
  static const std::map<std::string, LaneFunction> table = {
      {"ADD", arithmetic([](Wide x, Wide y) { return x + y; })},
      {"SUB", arithmetic([](Wide x, Wide y) { return x - y; })},
      {"MUL", arithmetic([](Wide x, Wide y) { return x * y; })},
      {"ABSADD",
       arithmetic([](Wide x, Wide y) { return magnitude(x) + magnitude(y); })},
      {"MIN", choice(smaller)},
      {"MAX", choice(larger)},
      {"ABSMAX", choice([](Wide x, Wide y) {
         return larger(magnitude(x), magnitude(y));
       })},
      {"CMPEQ", comparison([](Wide x, Wide y) { return x == y; })},
      {"CMPNE", comparison([](Wide x, Wide y) { return x != y; })},
      {"CMPLT", comparison([](Wide x, Wide y) { return x < y; })},
      {"CMPLE", comparison([](Wide x, Wide y) { return x <= y; })},
      {"CMPGT", comparison([](Wide x, Wide y) { return x > y; })},
      {"CMPGE", comparison([](Wide x, Wide y) { return x >= y; })},
  };
  return table;
}

/// Functions of one number.
const std::map<std::string, std::function<long double(long double)>> &
elementaryFunctions() {
  using Number = long double;
  static const std::map<std::string, std::function<Number(Number)>> table = {
      {"SQRT", [](Number x) { return std::sqrt(x); }},
      {"OOX", [](Number x) { return 1 / x; }},
      {"OORX", [](Number x) { return 1 / std::sqrt(x); }},
      {"EXP", [](Number x) { return std::exp(x); }},
      {"EXP2", [](Number x) { return std::exp2(x); }},
      {"LN", [](Number x) { return std::log(x); }},
      {"LOG2", [](Number x) { return std::log2(x); }},
      {"SIGM", [](Number x) { return 1 / (1 + std::exp(-x)); }},
      {"TANH", [](Number x) { return std::tanh(x); }},
  };
  return table;
}

LaneFunction
elementary(const std::function<long double(long double)> &function) {
  return [function](u32 a, u32, const Format &format) {
    const Wide x = operand(a, format);
    const Wide y = function(static_cast<long double>(x));
    // At a pole the result is infinite, which halves cannot be.
    const bool pole = isInfinite(y) && x == 0;
    const bool fromNumbers = !isInfinite(x) && !(pole && format.bits == 32);
    Lane lane{};
    lane.bits = finish(y, format, fromNumbers, lane.flags);
    if (pole)
      lane.flags |= DivideByZero;
    return lane;
  };
}

Lane classify(u32 value, const Format &format) {
  const Wide x = decode(value, format);
  const bool negative = value & format.signBit();
  const auto signedCode = [&](u32 code) { return Lane{code + !negative}; };
  if (isNan(x))
    return Lane{value >> (format.fractionBits - 1) & 1 ? 2u : 1u};
  if (isInfinite(x))
    return signedCode(3);
  if (x == 0)
    return signedCode(5);
  const Wide least = std::ldexp(1.0L, format.leastExponent);
  return signedCode(magnitude(x) < least ? 7 : 9);
}

// ---- Rows -------------------------------------------------------------------

/// The parts of a name such as F16V4ADD_bl.
struct RowName {
  const Format *format;
  unsigned lanes;
  std::string operation;
  std::string form;
};

std::optional<RowName> parseName(const std::string &row) {
  if (!row.starts_with("F32") && !row.starts_with("F16"))
    return std::nullopt;
  RowName name{row.starts_with("F32") ? &Single : &Half, 1, row.substr(3), ""};
  if (name.operation.size() > 2 && name.operation[0] == 'V' &&
      name.operation[1] >= '0' && name.operation[1] <= '9') {
    name.lanes = static_cast<unsigned>(name.operation[1] - '0');
    name.operation.erase(0, 2);
  }
  const std::size_t underscore = name.operation.find('_');
  if (underscore != std::string::npos) {
    name.form = name.operation.substr(underscore + 1);
    name.operation.resize(underscore);
  }
  return name;
}

u32 laneOf(const u32 *words, unsigned lane, const Format &format) {
  if (format.bits == 32)
    return words[lane];
  return words[lane / 2] >> (lane % 2 * 16) & 0xffff;
}

void putLane(Expected &result, unsigned lane, u32 bits, const Format &format) {
  u32 *words[] = {&result.low, &result.high};
  if (format.bits == 32)
    *words[lane] = bits;
  else
    *words[lane / 2] |= bits << (lane % 2 * 16);
}

/// The lane of the first source that is combined with a lane.
unsigned sourceLane(const std::string &form, unsigned lane) {
  if (form == "b" || form == "bl")
    return 0;
  return form == "bu" ? 1 : lane;
}

Reference laneByLane(const RowName &name, unsigned sources,
                     const LaneFunction &function, unsigned ulps = 0) {
  const Format &format = *name.format;
  const bool halves = format.bits == 16;
  return {halves ? Inputs::Halves : Inputs::Singles, sources,
          [=, &format](const Operands4 &in) {
            Expected result;
            result.ulps = ulps;
            result.halves = halves;
            for (unsigned lane = 0; lane != name.lanes; ++lane) {
              const Lane got =
                  function(laneOf(&in[0], sourceLane(name.form, lane), format),
                           laneOf(&in[2], lane, format), format);
              putLane(result, lane, got.bits, format);
              result.flags |= got.flags;
            }
            return result;
          }};
}

Reference clamp(const RowName &name) {
  const Format &format = *name.format;
  return {format.bits == 16 ? Inputs::Halves : Inputs::Singles, 2,
          [=, &format](const Operands4 &in) {
            Expected result;
            const Wide low = decode(laneOf(&in[2], 0, format), format);
            const Wide high = decode(laneOf(&in[2], 1, format), format);
            for (unsigned lane = 0; lane != name.lanes; ++lane) {
              const Wide x = decode(laneOf(&in[0], lane, format), format);
              putLane(result, lane,
                      encode(smaller(larger(x, low), high), format), format);
            }
            return result;
          }};
}

Reference classification(const RowName &name) {
  const Format &format = *name.format;
  return {format.bits == 16 ? Inputs::Halves : Inputs::Singles, 1,
          [=, &format](const Operands4 &in) {
            Expected result;
            for (unsigned lane = 0; lane != name.lanes; ++lane)
              result.low |= classify(laneOf(&in[0], lane, format), format).bits
                            << (8 * lane);
            return result;
          }};
}

/// To the nearest integer, ties to even; what is too large saturates.
Reference toInteger(long double least, long double largest) {
  return {Inputs::Singles, 1, [=](const Operands4 &in) {
            Expected result;
            const Wide x = decode(in[0], Single);
            if (isNan(x)) {
              result.flags = Invalid;
              return result;
            }
            const long double number =
                std::nearbyint(static_cast<long double>(x));
            const long double inside = std::clamp(number, least, largest);
            if (inside != number)
              result.flags = Invalid;
            result.low = static_cast<u32>(static_cast<long long>(inside));
            return result;
          }};
}

template <typename Integer> Reference fromInteger() {
  return {Inputs::Integers, 1, [](const Operands4 &in) {
            Expected result;
            result.low =
                finish(static_cast<Integer>(in[0]), Single, true, result.flags);
            return result;
          }};
}

/// Sums of pairs of halves, as singles.
Reference sumsOfPairs(unsigned pairs) {
  return {Inputs::Halves, 1, [=](const Operands4 &in) {
            Expected result;
            u32 *words[] = {&result.low, &result.high};
            for (unsigned i = 0; i != pairs; ++i)
              *words[i] = finish(operand(in[i] & 0xffff, Half) +
                                     operand(in[i] >> 16, Half),
                                 Single, true, result.flags);
            return result;
          }};
}

/// Halves to singles: infinities stay.
Reference widened(unsigned lanes) {
  return {Inputs::Halves, 1, [=](const Operands4 &in) {
            Expected result;
            u32 *words[] = {&result.low, &result.high};
            for (unsigned i = 0; i != lanes; ++i)
              *words[i] = finish(decode(laneOf(&in[0], i, Half), Half), Single,
                                 false, result.flags);
            return result;
          }};
}

/// The larger of each pair of halves; one pair gives both halves of the result.
Reference largerOfPairs(unsigned pairs) {
  return {Inputs::Halves, 1, [=](const Operands4 &in) {
            Expected result;
            for (unsigned i = 0; i != 2; ++i) {
              const u32 word = in[i % pairs];
              const Wide x = decode(word & 0xffff, Half);
              putLane(result, i,
                      encode(larger(x, decode(word >> 16, Half)), Half), Half);
            }
            return result;
          }};
}

/// Singles to halves; one gives both halves of the result.
Reference narrowed(unsigned lanes) {
  return {Inputs::Singles, 1, [=](const Operands4 &in) {
            Expected result;
            for (unsigned i = 0; i != std::max(lanes, 2u); ++i) {
              const Wide x = decode(in[i % lanes], Single);
              putLane(result, i, finish(x, Half, true, result.flags), Half);
            }
            return result;
          }};
}

/// Pairs of words: both words of the result from x and y.
template <typename Function> Reference onPairs(unsigned sources, Function f) {
  using u64 = std::uint64_t;
  return {Inputs::Integers, sources, [f](const Operands4 &in) {
            const u64 result =
                f(in[0] | u64(in[1]) << 32, in[2] | u64(in[3]) << 32);
            Expected expected;
            expected.low = static_cast<u32>(result);
            expected.high = static_cast<u32>(result >> 32);
            return expected;
          }};
}

const std::map<std::string, Reference> &specialRows() {
  using u64 = std::uint64_t;
  constexpr u64 Low = 0xffffffff;
  static const std::map<std::string, Reference> table = {
      {"F32TOI32", toInteger(-0x1p31L, 0x1p31L - 1)},
      {"F32TOUI32", toInteger(0, 0x1p32L - 1)},
      {"F32FROMI32", fromInteger<std::int32_t>()},
      {"F32FROMUI32", fromInteger<std::uint32_t>()},
      {"F16V2SUM", sumsOfPairs(1)},
      {"F16V4SUM", sumsOfPairs(2)},
      {"F16TOF32", widened(1)},
      {"F16V2TOF32", widened(2)},
      {"F32TOF16", narrowed(1)},
      {"F32V2TOF16", narrowed(2)},
      {"F32V4TOF16", narrowed(4)},
      {"F16V2MAXC", largerOfPairs(1)},
      {"F16V4MAXC", largerOfPairs(2)},
      {"AND64", onPairs(2, [](u64 x, u64 y) { return x & y; })},
      {"ANDC64", onPairs(2, [](u64 x, u64 y) { return x & ~y; })},
      {"OR64", onPairs(2, [](u64 x, u64 y) { return x | y; })},
      {"NOT64", onPairs(1, [](u64 x, u64) { return ~x; })},
      {"ROLL32", onPairs(2, [](u64 x, u64 y) { return x >> 32 | y << 32; })},
      {"SORT4X32LO",
       onPairs(2, [](u64 x, u64 y) { return (x & Low) | y << 32; })},
      {"SORT4X32HI",
       onPairs(2, [](u64 x, u64 y) { return x >> 32 | (y & ~Low); })},
  };
  return table;
}

} // namespace

std::optional<Reference> rowReference(const std::string &row) {
  if (const auto found = specialRows().find(row); found != specialRows().end())
    return found->second;
  const std::optional<RowName> name = parseName(row);
  if (!name)
    return std::nullopt;
  if (name->operation == "DIV")
    return laneByLane(*name, 2, [](u32 a, u32 b, const Format &format) {
      const Wide x = decode(a, format), y = decode(b, format);
      Lane lane =
          arithmetic([](Wide p, Wide q) { return p / q; })(a, b, format);
      if (y == 0 && x != 0 && !isNan(x) && !isInfinite(x))
        lane.flags = DivideByZero;
      return lane;
    });
  if (name->operation == "CLAMP")
    return clamp(*name);
  if (name->operation == "CLASS")
    return classification(*name);
  if (const auto found = binaryFunctions().find(name->operation);
      found != binaryFunctions().end())
    return laneByLane(*name, 2, found->second);
  if (const auto found = elementaryFunctions().find(name->operation);
      found != elementaryFunctions().end())
    return laneByLane(*name, 1, elementary(found->second), 1);
  return std::nullopt;
}

// ---- Integers ---------------------------------------------------------------

namespace {

/// A word from bytes of {y, x}: 0 to 3 are those of x, 4 to 7 those of y.
IntegerFunction bytes(unsigned b0, unsigned b1, unsigned b2, unsigned b3) {
  return [=](u32 x, u32 y) {
    const std::uint64_t both = std::uint64_t(y) << 32 | x;
    u32 result = 0;
    unsigned at = 0;
    for (unsigned b : {b0, b1, b2, b3})
      result |= static_cast<u32>(both >> (8 * b) & 0xff) << (8 * at++);
    return result;
  };
}

std::int32_t asSigned(u32 x) { return static_cast<std::int32_t>(x); }

u32 bitsReversedInBytes(u32 x, u32) {
  u32 result = 0;
  for (unsigned i = 0; i != 32; ++i)
    result |= (x >> i & 1) << (i / 8 * 8 + 7 - i % 8);
  return result;
}

/// Bits below the sign bit that are equal to it, from the top.
u32 copiesOfSign(u32 x, u32) {
  u32 count = 0;
  while (count != 31 && (x >> (30 - count) & 1) == x >> 31)
    ++count;
  return count;
}

u32 leadingZeros(u32 x, u32) {
  u32 count = 0;
  while (count != 32 && (x >> (31 - count) & 1) == 0)
    ++count;
  return count;
}

} // namespace

std::optional<IntegerFunction> integerReference(const std::string &mnemonic) {
  using u64 = std::uint64_t;
  using s64 = std::int64_t;
  static const std::map<std::string, IntegerFunction> table = {
      {"add", [](u32 x, u32 y) { return static_cast<u32>(u64(x) + y); }},
      {"sub", [](u32 x, u32 y) { return static_cast<u32>(s64(x) - s64(y)); }},
      {"mul", [](u32 x, u32 y) { return static_cast<u32>(u64(x) * y); }},
      {"max", [](u32 x, u32 y) { return asSigned(x) > asSigned(y) ? x : y; }},
      {"min", [](u32 x, u32 y) { return asSigned(x) < asSigned(y) ? x : y; }},
      {"and", [](u32 x, u32 y) { return x & y; }},
      {"andc", [](u32 x, u32 y) { return x & ~y; }},
      {"or", [](u32 x, u32 y) { return x | y; }},
      {"xor", [](u32 x, u32 y) { return x ^ y; }},
      {"xnor", [](u32 x, u32 y) { return ~(x ^ y); }},
      {"not", [](u32 x, u32) { return ~x; }},
      {"shl", [](u32 x, u32 y) { return y > 31 ? 0 : x << y; }},
      {"shr", [](u32 x, u32 y) { return y > 31 ? 0 : x >> y; }},
      {"shrs",
       [](u32 x, u32 y) {
         return static_cast<u32>(s64(asSigned(x)) >> std::min(y, 31u));
       }},
      {"cmpeq", [](u32 x, u32 y) { return u32(x == y); }},
      {"cmpne", [](u32 x, u32 y) { return u32(x != y); }},
      {"cmpslt", [](u32 x, u32 y) { return u32(asSigned(x) < asSigned(y)); }},
      {"cmpult", [](u32 x, u32 y) { return u32(x < y); }},
      {"abs",
       [](u32 x, u32) {
         return x == 0x80000000 ? 0 : u32(std::abs(asSigned(x)));
       }},
      {"clz", leadingZeros},
      {"cms", copiesOfSign},
      {"popc", [](u32 x, u32) { return u32(std::popcount(x)); }},
      {"bitrev8", bitsReversedInBytes},
      {"swap8", bytes(1, 0, 3, 2)},
      {"sort8", bytes(0, 2, 1, 3)},
      {"roll8l", bytes(3, 4, 5, 6)},
      {"roll8r", bytes(1, 2, 3, 4)},
      {"roll16", bytes(2, 3, 4, 5)},
      {"shuf8x8lo", bytes(0, 4, 1, 5)},
      {"shuf8x8hi", bytes(2, 6, 3, 7)},
      {"sort8x8lo", bytes(0, 2, 4, 6)},
      {"sort8x8hi", bytes(1, 3, 5, 7)},
      {"sort4x16lo", bytes(0, 1, 4, 5)},
      {"sort4x16hi", bytes(2, 3, 6, 7)},
  };
  std::string name = mnemonic;
  if (!table.contains(name) && name.ends_with('z'))
    name.pop_back(); // addz and its like
  const auto found = table.find(name);
  if (found == table.end())
    return std::nullopt;
  return found->second;
}

} // namespace populus::runtime::test
