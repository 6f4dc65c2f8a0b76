/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C functions on blocks of memory, which compiled code calls for structure
 * copies and loops too. Words are copied as words where both sides are aligned:
 * storing a byte takes the tile a load, a merge and a store. Workers, which have
 * pairs of floating-point registers, move eight bytes at once where they can.
 */

typedef __SIZE_TYPE__ size_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef unsigned char Byte;

typedef float Pair __attribute__((ext_vector_type(2)));

#define WORKER __attribute__((target("worker"), noinline))

/* Loads run ahead of stores, which memmove relies on where it copies down. */
WORKER static void copyPairs(Pair *restrict to, const Pair *restrict from,
                             size_t count) {
  for (; count; --count)
    *to++ = *from++;
}

WORKER static void fillPairs(Pair *to, unsigned word, size_t count) {
  float bits;
  __builtin_memcpy(&bits, &word, sizeof(bits));
  for (; count; --count)
    *to++ = bits;
}

/* The supervisor calls the rest too. */
#pragma clang attribute push(__attribute__((target("both"))),                  \
                             apply_to = function)

/* Fewer bytes are not worth a call. */
enum { LeastForPairs = 16 };

static int isAligned(const void *a, const void *b, size_t size) {
  return (((uintptr_t)a | (uintptr_t)b) & (size - 1)) == 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  Byte *out = to;
  const Byte *in = from;
  int areAlike = (((uintptr_t)to ^ (uintptr_t)from) & 7) == 0;
  if (count >= LeastForPairs && areAlike && ((uintptr_t)to & 3) == 0 &&
      __builtin_ipu_is_worker_mode()) {
    if ((uintptr_t)to & 4) {
      *(unsigned *)out = *(const unsigned *)in;
      out += 4;
      in += 4;
      count -= 4;
    }
    copyPairs((Pair *)out, (const Pair *)in, count / 8);
    out += count & ~7u;
    in += count & ~7u;
    count &= 7;
  }
  if (isAligned(to, from, 4))
    for (; count >= 4; count -= 4, out += 4, in += 4)
      *(unsigned *)out = *(const unsigned *)in;
  for (; count; --count)
    *out++ = *in++;
  return to;
}

void *memmove(void *to, const void *from, size_t count) {
  Byte *out = to;
  const Byte *in = from;
  if ((uintptr_t)to - (uintptr_t)from >= count)
    return memcpy(to, from, count);
  /* The end of the source would be overwritten: start there. */
  out += count;
  in += count;
  if (isAligned(out, in, 4))
    for (; count >= 4; count -= 4) {
      out -= 4;
      in -= 4;
      *(unsigned *)out = *(const unsigned *)in;
    }
  for (; count; --count)
    *--out = *--in;
  return to;
}

void *memset(void *to, int value, size_t count) {
  Byte *out = to;
  unsigned word = (Byte)value * 0x01010101u;
  for (; count && ((uintptr_t)out & 3); --count)
    *out++ = (Byte)value;
  if (count >= LeastForPairs && __builtin_ipu_is_worker_mode()) {
    if ((uintptr_t)out & 4) {
      *(unsigned *)out = word;
      out += 4;
      count -= 4;
    }
    fillPairs((Pair *)out, word, count / 8);
    out += count & ~7u;
    count &= 7;
  }
  for (; count >= 4; count -= 4, out += 4)
    *(unsigned *)out = word;
  for (; count; --count)
    *out++ = (Byte)value;
  return to;
}

int memcmp(const void *a, const void *b, size_t count) {
  const Byte *x = a, *y = b;
  for (; count; --count, ++x, ++y)
    if (*x != *y)
      return *x - *y;
  return 0;
}

int bcmp(const void *a, const void *b, size_t count) {
  return memcmp(a, b, count);
}

#pragma clang attribute pop
