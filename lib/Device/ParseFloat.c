/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Texts as floating-point numbers, correctly rounded: strtod() and its like. A
 * decimal number is kept digit by digit and multiplied or divided by powers of
 * two until it lies in [1/2, 1); then as many of its bits as the format has are
 * the integer part of one more product.
 */

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Digits beyond these cannot make a difference but by not being zero. */
enum { MostDigits = 800, MostShift = 27 };

/* 0.d0 d1 d2 ... * 10^point */
struct Decimal {
  unsigned char digits[MostDigits];
  int count;
  int point;
};

struct Format {
  int bits; /* of the mantissa */
  int leastExponent, greatestExponent;
};
static const struct Format Single = {24, -126, 127};
static const struct Format Double = {53, -1022, 1023};

/* ---- Decimal numbers times powers of two ----------------------------------
 */

static void trim(struct Decimal *decimal) {
  while (decimal->count && !decimal->digits[decimal->count - 1])
    --decimal->count;
  if (!decimal->count)
    decimal->point = 0;
}

/* A digit that there is no room for leaves its trace in the last one. */
static void append(struct Decimal *decimal, unsigned digit) {
  if (decimal->count < MostDigits)
    decimal->digits[decimal->count++] = (unsigned char)digit;
  else if (digit)
    decimal->digits[MostDigits - 1] |= 1;
}

static void multiply(struct Decimal *decimal, int shift) {
  uint64_t carry = 0;
  for (int i = decimal->count - 1; i >= 0; --i) {
    carry += (uint64_t)decimal->digits[i] << shift;
    decimal->digits[i] = (unsigned char)(carry % 10);
    carry /= 10;
  }
  unsigned char front[20];
  int extra = 0;
  for (; carry; carry /= 10)
    front[extra++] = (unsigned char)(carry % 10);
  struct Decimal old = *decimal;
  decimal->count = 0;
  decimal->point += extra;
  for (int i = extra; i-- > 0;)
    append(decimal, front[i]);
  for (int i = 0; i < old.count; ++i)
    append(decimal, old.digits[i]);
  trim(decimal);
}

static void divide(struct Decimal *decimal, int shift) {
  const struct Decimal old = *decimal;
  uint64_t rest = 0;
  int i = 0;
  decimal->count = 0;
  for (; i < old.count || rest; ++i) {
    rest = rest * 10 + (i < old.count ? old.digits[i] : 0);
    const unsigned digit = (unsigned)(rest >> shift);
    rest &= ((uint64_t)1 << shift) - 1;
    if (digit || decimal->count)
      append(decimal, digit);
    else
      --decimal->point;
    if (decimal->count == MostDigits && i >= old.count) {
      append(decimal, rest != 0);
      break;
    }
  }
  trim(decimal);
}

/* The integer part, rounded to even. */
static uint64_t rounded(const struct Decimal *decimal) {
  uint64_t value = 0;
  for (int i = 0; i < decimal->point; ++i)
    value = value * 10 + (i < decimal->count ? decimal->digits[i] : 0);
  const int next = decimal->point;
  if (next < 0 || next >= decimal->count)
    return value;
  const int isHalf = decimal->digits[next] == 5 && next + 1 == decimal->count;
  return value + (isHalf ? value & 1 : decimal->digits[next] >= 5);
}

/* ---- Results --------------------------------------------------------------
 */

/* mantissa * 2^exponent, which a double can hold. */
static double compose(uint64_t mantissa, int exponent) {
  uint64_t bits = 0;
  if (mantissa) {
    for (; !(mantissa >> 52) && exponent > -1074; --exponent)
      mantissa <<= 1;
    bits = mantissa & (((uint64_t)1 << 52) - 1);
    if (mantissa >> 52)
      bits |= (uint64_t)(exponent + 1075) << 52;
  }
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

static double outOfRange(double value) {
  errno = ERANGE;
  return value;
}

/* A mantissa rounded to the format's bits, or to those that small numbers
 * have, which may tell of their loss. */
static double inRange(uint64_t mantissa, int exponent, int isExact,
                      const struct Format *format) {
  if (mantissa >> format->bits) {
    mantissa >>= 1;
    ++exponent;
  }
  if (exponent + format->bits - 1 > format->greatestExponent)
    return outOfRange(__builtin_inf());
  if (!isExact && !(mantissa >> (format->bits - 1)))
    errno = ERANGE;
  return compose(mantissa, exponent);
}

static double fromDecimal(struct Decimal *decimal,
                          const struct Format *format) {
  trim(decimal);
  if (!decimal->count)
    return 0;
  if (decimal->point > 310)
    return outOfRange(__builtin_inf());
  if (decimal->point < -330)
    return outOfRange(0);
  int exponent = 0; /* of the factor that has been taken out */
  while (decimal->point > 0) {
    const int shift = decimal->point > 8 ? MostShift : 3;
    divide(decimal, shift);
    exponent += shift;
  }
  while (decimal->point < 0 || decimal->digits[0] < 5) {
    const int shift = decimal->point < -8 ? MostShift : 1;
    multiply(decimal, shift);
    exponent -= shift;
  }
  int bits = format->bits;
  if (exponent <= format->leastExponent)
    bits -= format->leastExponent + 1 - exponent;
  if (bits < 0)
    return outOfRange(0);
  for (int left = bits; left > 0; left -= MostShift)
    multiply(decimal, left < MostShift ? left : MostShift);
  return inRange(rounded(decimal), exponent - bits,
                 decimal->count <= decimal->point, format);
}

/* ---- Texts ----------------------------------------------------------------
 */

static int isDigit(char character) {
  return character >= '0' && character <= '9';
}

static int hexDigit(char character) {
  const char letter = character | 0x20;
  return isDigit(character)               ? character - '0'
         : letter >= 'a' && letter <= 'f' ? letter - 'a' + 10
                                          : -1;
}

/* The letters of `word`, in either case; the end of them, or null. */
static const char *afterWord(const char *at, const char *word) {
  for (; *word; ++word, ++at)
    if ((*at | 0x20) != *word)
      return NULL;
  return at;
}

/* [e|p][sign]digits, if there are digits; the value stays small. */
static const char *readExponent(const char *at, char letter, int *exponent) {
  if ((*at | 0x20) != letter)
    return at;
  const char *digits = at + 1;
  const int isNegative = *digits == '-';
  if (*digits == '-' || *digits == '+')
    ++digits;
  if (!isDigit(*digits))
    return at;
  int value = 0;
  for (; isDigit(*digits); ++digits)
    if (value < 100000)
      value = value * 10 + (*digits - '0');
  *exponent += isNegative ? -value : value;
  return digits;
}

/* Null: there is no number. */
static const char *readDecimal(const char *at, const struct Format *format,
                               double *value) {
  struct Decimal decimal;
  decimal.count = decimal.point = 0;
  int hasDigits = 0, isFraction = 0;
  for (;; ++at) {
    if (*at == '.' && !isFraction) {
      isFraction = 1;
      continue;
    }
    if (!isDigit(*at))
      break;
    hasDigits = 1;
    const unsigned digit = (unsigned)(*at - '0');
    if (digit || decimal.count) {
      append(&decimal, digit);
      decimal.point += !isFraction;
    } else {
      decimal.point -= isFraction;
    }
  }
  if (!hasDigits)
    return NULL;
  at = readExponent(at, 'e', &decimal.point);
  *value = fromDecimal(&decimal, format);
  return at;
}

/* 64 bits of the number, of which the last one tells whether more follow. */
static double fromBinary(uint64_t bits, int exponent,
                         const struct Format *format) {
  if (!bits)
    return 0;
  for (; !(bits >> 63); --exponent)
    bits <<= 1;
  int dropped = 64 - format->bits;
  const int least = format->leastExponent - format->bits + 1;
  if (exponent + dropped < least)
    dropped = least - exponent;
  if (dropped > 64 || exponent < -20000)
    return outOfRange(0);
  if (exponent > 20000)
    return outOfRange(__builtin_inf());
  const uint64_t kept = dropped == 64 ? 0 : bits >> dropped;
  const uint64_t half = (uint64_t)1 << (dropped - 1);
  const uint64_t rest = bits & (half | (half - 1));
  const int up = rest > half || (rest == half && (kept & 1));
  return inRange(kept + (uint64_t)up, exponent + dropped, rest == 0, format);
}

static const char *readHex(const char *at, const struct Format *format,
                           double *value) {
  uint64_t bits = 0;
  int exponent = 0, hasDigits = 0, isFraction = 0;
  for (;; ++at) {
    if (*at == '.' && !isFraction) {
      isFraction = 1;
      continue;
    }
    const int digit = hexDigit(*at);
    if (digit < 0)
      break;
    hasDigits = 1;
    if (bits >> 60) {
      bits |= digit != 0;
      exponent += isFraction ? 0 : 4;
    } else {
      bits = bits << 4 | (uint64_t)digit;
      exponent -= isFraction ? 4 : 0;
    }
  }
  if (!hasDigits)
    return NULL;
  at = readExponent(at, 'p', &exponent);
  *value = fromBinary(bits, exponent, format);
  return at;
}

static const char *readName(const char *at, double *value) {
  const char *end = afterWord(at, "inf");
  if (end) {
    *value = __builtin_inf();
    const char *longer = afterWord(end, "inity");
    return longer ? longer : end;
  }
  end = afterWord(at, "nan");
  if (!end)
    return NULL;
  *value = __builtin_nan("");
  if (*end != '(')
    return end;
  const char *inside = end + 1;
  while (isalnum((unsigned char)*inside) || *inside == '_')
    ++inside;
  return *inside == ')' ? inside + 1 : end;
}

static double parse(const char *text, char **end, const struct Format *format) {
  const char *at = text;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
    ++at;
  const int isNegative = *at == '-';
  if (*at == '-' || *at == '+')
    ++at;
  double value = 0;
  const char *after = readName(at, &value);
  if (!after && at[0] == '0' && (at[1] | 0x20) == 'x')
    after = readHex(at + 2, format, &value);
  if (!after)
    after = readDecimal(at, format, &value);
  if (end)
    *end = (char *)(after ? after : text);
  if (!after)
    return 0;
  return isNegative ? -value : value;
}

double strtod(const char *restrict text, char **restrict end) {
  return parse(text, end, &Double);
}
float strtof(const char *restrict text, char **restrict end) {
  return (float)parse(text, end, &Single);
}
long double strtold(const char *restrict text, char **restrict end) {
  return parse(text, end, &Double);
}
double atof(const char *text) { return strtod(text, NULL); }
