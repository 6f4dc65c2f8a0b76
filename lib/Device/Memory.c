/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C functions on blocks of memory, which compiled code calls for structure
 * copies and loops too. Words are copied as words where both sides are aligned:
 * storing a byte takes the tile a load, a merge and a store.
 */

typedef __SIZE_TYPE__ size_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef unsigned char Byte;

static int isAligned(const void *a, const void *b) {
  return (((uintptr_t)a | (uintptr_t)b) & 3) == 0;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) {
  Byte *out = to;
  const Byte *in = from;
  if (isAligned(to, from))
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
  if (isAligned(out, in))
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
