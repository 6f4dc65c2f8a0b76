/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * printf() and its like, puts() and putchar(), for plain programs on a tile.
 * The text of a call is gathered in a small buffer and written by host calls.
 * Standard output is not buffered between calls; what goes to a FILE is in
 * Files.c. A conversion that is not known is printed as it stands.
 */

#include "lib/Device/Print.h"
#include "lib/Device/HostCall.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

enum { StandardOutput = 1, BufferBytes = 128 };

/* ---- Sinks ----------------------------------------------------------------
 */

static void flush(struct Sink *sink) {
  if (sink->stream && sink->used)
    __populus_host_call(HostCallWrite, sink->stream,
                        (int)(intptr_t)sink->buffer, (int)sink->used);
  sink->used = 0;
}

void __populus_put(struct Sink *sink, char character) {
  ++sink->count;
  if (sink->stream && sink->used == sink->capacity)
    flush(sink);
  if (sink->used < sink->capacity)
    sink->buffer[sink->used++] = character;
}

static void repeat(struct Sink *sink, char character, int count) {
  for (; count > 0; --count)
    __populus_put(sink, character);
}

static void putText(struct Sink *sink, const char *text, int length) {
  for (; length > 0; --length)
    __populus_put(sink, *text++);
}

/* ---- Conversions ----------------------------------------------------------
 */

/* `bodyLength` characters follow, to which zeros may be added in front. */
static void putLeftSide(struct Sink *sink, const struct Conversion *c,
                        const char *prefix, int bodyLength, int canZeroPad) {
  int prefixLength = (int)strlen(prefix);
  int padding = c->width - prefixLength - bodyLength;
  int zeros = canZeroPad && c->isZeroPadded && !c->isLeft;
  if (!c->isLeft && !zeros)
    repeat(sink, ' ', padding);
  putText(sink, prefix, prefixLength);
  if (zeros)
    repeat(sink, '0', padding);
}

static void putRightSide(struct Sink *sink, const struct Conversion *c,
                         int begin) {
  if (c->isLeft)
    repeat(sink, ' ', c->width - (sink->count - begin));
}

static const char *signOf(const struct Conversion *c, int isNegative) {
  return isNegative ? "-" : c->isSigned ? "+" : c->isSpaced ? " " : "";
}

static void putInteger(struct Sink *sink, const struct Conversion *c,
                       uint64_t value, unsigned base, const char *prefix) {
  static const char lower[] = "0123456789abcdef", upper[] = "0123456789ABCDEF";
  const char *symbols = c->letter == 'X' ? upper : lower;
  char digits[22];
  int count = 0, begin = sink->count;
  for (; value > UINT32_MAX; value /= base)
    digits[count++] = symbols[value % base];
  for (uint32_t low = (uint32_t)value; low; low /= base)
    digits[count++] = symbols[low % base];
  int least = c->precision < 0 ? 1 : c->precision;
  if (c->letter == 'o' && c->isAlternate && least <= count)
    least = count + 1;
  int zeros = least > count ? least - count : 0;
  putLeftSide(sink, c, prefix, zeros + count, c->precision < 0);
  repeat(sink, '0', zeros);
  while (count)
    __populus_put(sink, digits[--count]);
  putRightSide(sink, c, begin);
}

static void putSigned(struct Sink *sink, const struct Conversion *c,
                      int64_t value) {
  uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
  putInteger(sink, c, magnitude, 10, signOf(c, value < 0));
}

static void putUnsigned(struct Sink *sink, const struct Conversion *c,
                        uint64_t value) {
  int isHex = (c->letter | 0x20) == 'x';
  const char *prefix = !isHex || !c->isAlternate || !value ? ""
                       : c->letter == 'X'                  ? "0X"
                                                           : "0x";
  putInteger(sink, c, value, isHex ? 16 : c->letter == 'o' ? 8 : 10, prefix);
}

static void putDouble(struct Sink *sink, const struct Conversion *c,
                      double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof(bits));
  int begin = sink->count;
  double magnitude = bits >> 63 ? -value : value;
  int isFinite = (bits >> 52 & 0x7ff) != 0x7ff;
  char prefix[4];
  strcpy(prefix, signOf(c, (int)(bits >> 63)));
  if (isFinite && (c->letter | 0x20) == 'a')
    strcat(prefix, c->letter == 'A' ? "0X" : "0x");
  struct Sink length = {0};
  __populus_put_double(&length, magnitude, c);
  putLeftSide(sink, c, prefix, length.count, isFinite);
  __populus_put_double(sink, magnitude, c);
  putRightSide(sink, c, begin);
}

static void putString(struct Sink *sink, const struct Conversion *c,
                      const char *text) {
  if (!text)
    text = "(null)";
  size_t most = c->precision < 0 ? SIZE_MAX : (size_t)c->precision;
  int begin = sink->count, length = (int)strnlen(text, most);
  putLeftSide(sink, c, "", length, 0);
  putText(sink, text, length);
  putRightSide(sink, c, begin);
}

static void putCharacter(struct Sink *sink, const struct Conversion *c,
                         char character) {
  int begin = sink->count;
  putLeftSide(sink, c, "", 1, 0);
  __populus_put(sink, character);
  putRightSide(sink, c, begin);
}

/* ---- Format strings -------------------------------------------------------
 */

static const char *readFlags(const char *format, struct Conversion *c) {
  for (;; ++format)
    switch (*format) {
    case '-':
      c->isLeft = 1;
      break;
    case '+':
      c->isSigned = 1;
      break;
    case ' ':
      c->isSpaced = 1;
      break;
    case '#':
      c->isAlternate = 1;
      break;
    case '0':
      c->isZeroPadded = 1;
      break;
    default:
      return format;
    }
}

static const char *readNumber(const char *format, int *number,
                              va_list *arguments) {
  *number = 0;
  if (*format == '*') {
    *number = va_arg(*arguments, int);
    return format + 1;
  }
  for (; *format >= '0' && *format <= '9'; ++format)
    *number = *number * 10 + (*format - '0');
  return format;
}

static const char *readLength(const char *format, int *size) {
  *size = sizeof(int);
  switch (*format) {
  case 'h':
    *size = format[1] == 'h' ? 1 : 2;
    return format + (*size == 1 ? 2 : 1);
  case 'l':
    *size = format[1] == 'l' ? sizeof(long long) : sizeof(long);
    return format + (format[1] == 'l' ? 2 : 1);
  case 'j':
    *size = sizeof(intmax_t);
    return format + 1;
  case 'z':
  case 't':
  case 'L': /* long double is double */
    return format + 1;
  default:
    return format;
  }
}

static const char *readConversion(const char *format, struct Conversion *c,
                                  va_list *arguments) {
  format = readFlags(format, c);
  format = readNumber(format, &c->width, arguments);
  if (c->width < 0) {
    c->isLeft = 1;
    c->width = -c->width;
  }
  c->precision = -1;
  if (*format == '.')
    format = readNumber(format + 1, &c->precision, arguments);
  format = readLength(format, &c->size);
  c->letter = *format;
  return format;
}

static uint64_t readUnsigned(int size, va_list *arguments) {
  if (size == 8)
    return va_arg(*arguments, uint64_t);
  uint32_t value = va_arg(*arguments, uint32_t);
  return size == 1 ? (uint8_t)value : size == 2 ? (uint16_t)value : value;
}

static int64_t readSigned(int size, va_list *arguments) {
  if (size == 8)
    return va_arg(*arguments, int64_t);
  int32_t value = va_arg(*arguments, int32_t);
  return size == 1 ? (int8_t)value : size == 2 ? (int16_t)value : value;
}

/* What `%n` asks for: how much has been printed so far. */
static void storeCount(const struct Sink *sink, int size, void *to) {
  switch (size) {
  case 1:
    *(int8_t *)to = (int8_t)sink->count;
    break;
  case 2:
    *(int16_t *)to = (int16_t)sink->count;
    break;
  case 8:
    *(int64_t *)to = sink->count;
    break;
  default:
    *(int32_t *)to = sink->count;
  }
}

/* False: the conversion is not known, and no argument was taken. */
static int convert(struct Sink *sink, const struct Conversion *c,
                   va_list *arguments) {
  switch (c->letter) {
  case 'd':
  case 'i':
    putSigned(sink, c, readSigned(c->size, arguments));
    return 1;
  case 'u':
  case 'x':
  case 'X':
  case 'o':
    putUnsigned(sink, c, readUnsigned(c->size, arguments));
    return 1;
  case 'p': {
    struct Conversion pointer = *c;
    pointer.letter = 'x';
    putInteger(sink, &pointer, (uintptr_t)va_arg(*arguments, void *), 16, "0x");
    return 1;
  }
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    putDouble(sink, c, va_arg(*arguments, double));
    return 1;
  case 's':
    putString(sink, c, va_arg(*arguments, const char *));
    return 1;
  case 'c':
    putCharacter(sink, c, (char)va_arg(*arguments, int));
    return 1;
  case 'n':
    storeCount(sink, c->size, va_arg(*arguments, void *));
    return 1;
  case '%':
    __populus_put(sink, '%');
    return 1;
  default:
    return 0;
  }
}

static void formatText(struct Sink *sink, const char *format,
                       va_list *arguments) {
  while (*format) {
    if (*format != '%') {
      __populus_put(sink, *format++);
      continue;
    }
    struct Conversion c = {0};
    const char *end = readConversion(format + 1, &c, arguments);
    if (convert(sink, &c, arguments))
      format = end + 1;
    else
      __populus_put(sink, *format++);
  }
}

/* ---- Functions of <stdio.h> -----------------------------------------------
 */

int __populus_vprint(int stream, const char *format, va_list arguments) {
  char buffer[BufferBytes];
  struct Sink sink = {buffer, sizeof(buffer), 0, stream, 0};
  va_list copy;
  va_copy(copy, arguments);
  formatText(&sink, format, &copy);
  va_end(copy);
  flush(&sink);
  return sink.count;
}

int vprintf(const char *restrict format, va_list arguments) {
  return __populus_vprint(StandardOutput, format, arguments);
}

int printf(const char *restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vprintf(format, arguments);
  va_end(arguments);
  return count;
}

int vsnprintf(char *restrict to, size_t size, const char *restrict format,
              va_list arguments) {
  struct Sink sink = {to, size ? size - 1 : 0, 0, 0, 0};
  va_list copy;
  va_copy(copy, arguments);
  formatText(&sink, format, &copy);
  va_end(copy);
  if (size)
    to[sink.used] = 0;
  return sink.count;
}

int snprintf(char *restrict to, size_t size, const char *restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(to, size, format, arguments);
  va_end(arguments);
  return count;
}

int sprintf(char *restrict to, const char *restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsnprintf(to, SIZE_MAX, format, arguments);
  va_end(arguments);
  return count;
}

int putchar(int character) {
  char byte = (char)character;
  __populus_host_call(HostCallWrite, StandardOutput, (int)(intptr_t)&byte, 1);
  return (unsigned char)byte;
}

int puts(const char *text) {
  __populus_host_call(HostCallWrite, StandardOutput, (int)(intptr_t)text,
                      (int)strlen(text));
  return putchar('\n');
}
