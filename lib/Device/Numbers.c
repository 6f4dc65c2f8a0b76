/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The integers of <stdlib.h>: texts as numbers, absolute values, quotients with
 * remainders, random numbers.
 */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

/* ---- Texts ----------------------------------------------------------------
 */

static int digitOf(char character) {
  if (character >= '0' && character <= '9')
    return character - '0';
  const char letter = character | 0x20;
  return letter >= 'a' && letter <= 'z' ? letter - 'a' + 10 : 99;
}

struct Parsed {
  uint64_t magnitude; /* at most the limit that was given */
  int isNegative;
};

/* A number, of which `limits` are the largest positive and negative magnitudes.
 * errno and *end are set as strtoull() does. */
static struct Parsed parse(const char *text, char **end, int base,
                           const uint64_t limits[2]) {
  struct Parsed result = {0, 0};
  const char *at = text;
  while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
    ++at;
  if (*at == '-' || *at == '+')
    result.isNegative = *at++ == '-';
  const int isHex =
      at[0] == '0' && (at[1] | 0x20) == 'x' && digitOf(at[2]) < 16;
  if (base == 0)
    base = isHex ? 16 : *at == '0' ? 8 : 10;
  if (base == 16 && isHex)
    at += 2;
  const uint64_t limit = limits[result.isNegative];
  const char *digits = at;
  int isTooLarge = 0;
  for (; digitOf(*at) < base; ++at) {
    const uint64_t digit = (uint64_t)digitOf(*at);
    isTooLarge |= result.magnitude > (limit - digit) / (uint64_t)base;
    result.magnitude = result.magnitude * (uint64_t)base + digit;
  }
  if (isTooLarge) {
    errno = ERANGE;
    result.magnitude = limit;
  }
  if (end)
    *end = (char *)(at == digits ? text : at);
  return result;
}

static int64_t parseSigned(const char *text, char **end, int base,
                           uint64_t most) {
  const uint64_t limits[2] = {most, most + 1};
  const struct Parsed parsed = parse(text, end, base, limits);
  return (int64_t)(parsed.isNegative ? -parsed.magnitude : parsed.magnitude);
}

static uint64_t parseUnsigned(const char *text, char **end, int base,
                              uint64_t most) {
  const uint64_t limits[2] = {most, most};
  const struct Parsed parsed = parse(text, end, base, limits);
  /* As the standard has it, -1 is the largest number. */
  if (parsed.isNegative && parsed.magnitude != most)
    return -parsed.magnitude & most;
  return parsed.magnitude;
}

long strtol(const char *restrict text, char **restrict end, int base) {
  return (long)parseSigned(text, end, base, LONG_MAX);
}
long long strtoll(const char *restrict text, char **restrict end, int base) {
  return parseSigned(text, end, base, LLONG_MAX);
}
unsigned long strtoul(const char *restrict text, char **restrict end,
                      int base) {
  return (unsigned long)parseUnsigned(text, end, base, ULONG_MAX);
}
unsigned long long strtoull(const char *restrict text, char **restrict end,
                            int base) {
  return parseUnsigned(text, end, base, ULLONG_MAX);
}
intmax_t strtoimax(const char *restrict text, char **restrict end, int base) {
  return strtoll(text, end, base);
}
uintmax_t strtoumax(const char *restrict text, char **restrict end, int base) {
  return strtoull(text, end, base);
}
int atoi(const char *text) { return (int)strtol(text, NULL, 10); }
long atol(const char *text) { return strtol(text, NULL, 10); }
long long atoll(const char *text) { return strtoll(text, NULL, 10); }

/* ---- Arithmetic -----------------------------------------------------------
 */

int abs(int value) { return value < 0 ? -value : value; }
long labs(long value) { return value < 0 ? -value : value; }
long long llabs(long long value) { return value < 0 ? -value : value; }
intmax_t imaxabs(intmax_t value) { return value < 0 ? -value : value; }

div_t div(int value, int by) { return (div_t){value / by, value % by}; }
ldiv_t ldiv(long value, long by) { return (ldiv_t){value / by, value % by}; }
lldiv_t lldiv(long long value, long long by) {
  return (lldiv_t){value / by, value % by};
}
imaxdiv_t imaxdiv(intmax_t value, intmax_t by) {
  return (imaxdiv_t){value / by, value % by};
}

/* ---- Random numbers -------------------------------------------------------
 */

static uint64_t randomState = 1;

void srand(unsigned seed) { randomState = seed; }

int rand(void) {
  randomState = randomState * 6364136223846793005u + 1442695040888963407u;
  return (int)(randomState >> 33 & RAND_MAX);
}
