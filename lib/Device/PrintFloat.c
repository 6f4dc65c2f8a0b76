/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Floating-point numbers as text, exactly. For decimal text, a double is an
 * integer times a power of two, hence an integer with a decimal point somewhere,
 * whose digits are computed in full and then rounded to even.
 */

#include "lib/Device/Print.h"

#include <stdint.h>
#include <string.h>

enum {
  WordBase = 1000000000, /* nine digits in a word */
  WordDigits = 9,
  MostWords = 88, /* 2^53 * 5^1074 has 767 digits */
  FractionBits = 52,
  ExponentBias = 1075
};

/* digits[0] is worth 10^(point-1); there are zeros on both sides. */
struct Decimal {
  char digits[MostWords * WordDigits];
  int count;
  int point;
};

/* The lowest word first. */
struct Big {
  uint32_t words[MostWords];
  int count;
};

static void multiply(struct Big *big, uint32_t factor) {
  uint64_t carry = 0;
  for (int i = 0; i < big->count; ++i) {
    carry += (uint64_t)big->words[i] * factor;
    big->words[i] = (uint32_t)(carry % WordBase);
    carry /= WordBase;
  }
  for (; carry; carry /= WordBase)
    big->words[big->count++] = (uint32_t)(carry % WordBase);
}

/* times factor^exponent, where factor^step still is a word. */
static void multiplyPower(struct Big *big, uint32_t factor, int step,
                          int exponent) {
  uint32_t large = 1;
  for (int i = 0; i < step; ++i)
    large *= factor;
  for (; exponent >= step; exponent -= step)
    multiply(big, large);
  for (; exponent > 0; --exponent)
    multiply(big, factor);
}

static void toDigits(const struct Big *big, struct Decimal *decimal) {
  decimal->count = 0;
  for (int i = big->count - 1; i >= 0; --i) {
    uint32_t word = big->words[i];
    for (uint32_t unit = WordBase / 10; unit; unit /= 10) {
      char digit = (char)(word / unit % 10);
      if (digit || decimal->count)
        decimal->digits[decimal->count++] = digit;
    }
  }
}

static void toDecimal(double value, struct Decimal *decimal) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  uint64_t mantissa = bits & (((uint64_t)1 << FractionBits) - 1);
  int exponent = (int)(bits >> FractionBits & 0x7ff);
  if (exponent)
    mantissa |= (uint64_t)1 << FractionBits;
  else
    exponent = 1;
  exponent -= ExponentBias;
  struct Big big;
  big.count = 0;
  for (; mantissa; mantissa /= WordBase)
    big.words[big.count++] = (uint32_t)(mantissa % WordBase);
  if (exponent >= 0)
    multiplyPower(&big, 2, 31, exponent);
  else
    multiplyPower(&big, 5, 13, -exponent);
  toDigits(&big, decimal);
  decimal->point = decimal->count + (exponent < 0 ? exponent : 0);
  if (!decimal->count)
    decimal->point = 1;
}

static int digitAt(const struct Decimal *decimal, int i) {
  return i >= 0 && i < decimal->count ? decimal->digits[i] : 0;
}

/* Whether what follows the first `kept` digits makes the last one go up. */
static int roundsUp(const struct Decimal *decimal, int kept) {
  int first = digitAt(decimal, kept);
  if (first != 5)
    return first > 5;
  for (int i = kept + 1; i < decimal->count; ++i)
    if (decimal->digits[i])
      return 1;
  return digitAt(decimal, kept - 1) & 1;
}

static void roundTo(struct Decimal *decimal, int kept) {
  if (kept >= decimal->count)
    return;
  if (kept < 0) {
    decimal->count = 0;
    return;
  }
  int up = roundsUp(decimal, kept);
  decimal->count = kept;
  if (!up)
    return;
  while (decimal->count && decimal->digits[decimal->count - 1] == 9)
    --decimal->count;
  if (decimal->count) {
    ++decimal->digits[decimal->count - 1];
  } else {
    decimal->digits[decimal->count++] = 1;
    ++decimal->point;
  }
}

static void putFraction(struct Sink *sink, const struct Decimal *decimal,
                        int from, int places, int isAlternate) {
  if (places > 0 || isAlternate)
    __populus_put(sink, '.');
  for (int i = 0; i < places; ++i)
    __populus_put(sink, (char)('0' + digitAt(decimal, from + i)));
}

static void putFixed(struct Sink *sink, struct Decimal *decimal, int places,
                     int isAlternate) {
  roundTo(decimal, decimal->point + places);
  if (decimal->point <= 0)
    __populus_put(sink, '0');
  for (int i = 0; i < decimal->point; ++i)
    __populus_put(sink, (char)('0' + digitAt(decimal, i)));
  putFraction(sink, decimal, decimal->point, places, isAlternate);
}

static void putExponent(struct Sink *sink, int exponent, int leastDigits) {
  __populus_put(sink, exponent < 0 ? '-' : '+');
  if (exponent < 0)
    exponent = -exponent;
  for (int unit = 1000, left = 4; left; unit /= 10, --left)
    if (left <= leastDigits || exponent >= unit)
      __populus_put(sink, (char)('0' + exponent / unit % 10));
}

static void putScientific(struct Sink *sink, struct Decimal *decimal,
                          int places, int isAlternate, char letter) {
  roundTo(decimal, places + 1);
  int exponent = decimal->count ? decimal->point - 1 : 0;
  __populus_put(sink, (char)('0' + digitAt(decimal, 0)));
  putFraction(sink, decimal, 1, places, isAlternate);
  __populus_put(sink, letter);
  putExponent(sink, exponent, 2);
}

/* %g: the shorter form, without zeros at the end unless with '#'. */
static void putGeneral(struct Sink *sink, struct Decimal *decimal,
                       const struct Conversion *conversion, int precision) {
  if (precision == 0)
    precision = 1;
  roundTo(decimal, precision);
  int exponent = decimal->count ? decimal->point - 1 : 0;
  int digits = precision;
  if (!conversion->isAlternate) {
    while (decimal->count && !decimal->digits[decimal->count - 1])
      --decimal->count;
    digits = decimal->count ? decimal->count : 1;
  }
  if (exponent < -4 || exponent >= precision) {
    putScientific(sink, decimal, digits - 1, conversion->isAlternate,
                  (char)(conversion->letter - 'g' + 'e'));
    return;
  }
  int places = digits - 1 - exponent;
  putFixed(sink, decimal, places > 0 ? places : 0, conversion->isAlternate);
}

/* %a: as many hexadecimal digits of the fraction as asked for, else those that
 * are not zero. */
static void putHex(struct Sink *sink, double value,
                   const struct Conversion *conversion) {
  const char *symbols =
      conversion->letter == 'A' ? "0123456789ABCDEF" : "0123456789abcdef";
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  uint64_t mantissa = bits & (((uint64_t)1 << FractionBits) - 1);
  int exponent = (int)(bits >> FractionBits);
  if (exponent)
    mantissa |= (uint64_t)1 << FractionBits;
  else if (mantissa)
    exponent = 1;
  exponent -= mantissa ? ExponentBias - FractionBits : 0;
  int places = FractionBits / 4;
  if (conversion->precision < 0) {
    while (places && !(mantissa >> (FractionBits - 4 * places) & 15))
      --places;
  } else if (conversion->precision < places) {
    places = conversion->precision;
    const int dropped = FractionBits - 4 * places;
    const uint64_t unit = (uint64_t)1 << dropped;
    const uint64_t rest = mantissa & (unit - 1);
    mantissa -= rest;
    if (rest > unit / 2 || (rest == unit / 2 && (mantissa & unit)))
      mantissa += unit;
  }
  __populus_put(sink, symbols[mantissa >> FractionBits]);
  if (places || conversion->precision > 0 || conversion->isAlternate)
    __populus_put(sink, '.');
  for (int i = 1; i <= places; ++i)
    __populus_put(sink, symbols[mantissa >> (FractionBits - 4 * i) & 15]);
  for (int i = places; i < conversion->precision; ++i)
    __populus_put(sink, '0');
  __populus_put(sink, conversion->letter == 'A' ? 'P' : 'p');
  putExponent(sink, exponent, 1);
}

void __populus_put_double(struct Sink *sink, double value,
                          const struct Conversion *conversion) {
  int isCapital = conversion->letter < 'a';
  if (value != value || value == __builtin_inf()) {
    const char *name = value != value ? isCapital ? "NAN" : "nan"
                       : isCapital    ? "INF"
                                      : "inf";
    while (*name)
      __populus_put(sink, *name++);
    return;
  }
  if ((conversion->letter | 0x20) == 'a') {
    putHex(sink, value, conversion);
    return;
  }
  int precision = conversion->precision < 0 ? 6 : conversion->precision;
  struct Decimal decimal;
  toDecimal(value, &decimal);
  switch (conversion->letter | 0x20) {
  case 'f':
    putFixed(sink, &decimal, precision, conversion->isAlternate);
    return;
  case 'e':
    putScientific(sink, &decimal, precision, conversion->isAlternate,
                  conversion->letter);
    return;
  default:
    putGeneral(sink, &decimal, conversion, precision);
  }
}
