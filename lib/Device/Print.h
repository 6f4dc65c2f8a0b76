/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where formatted characters go, and how numbers become text; shared by the two
 * files of printf().
 */

#ifndef POPULUS_LIB_DEVICE_PRINT_H
#define POPULUS_LIB_DEVICE_PRINT_H

#include <stdarg.h>
#include <stddef.h>

/* Keeps the first `capacity` characters in `buffer`; if `stream` is not 0, the
 * buffer is written to the host's stream when it is full. `count` counts all
 * characters. */
struct Sink {
  char *buffer;
  size_t capacity;
  size_t used;
  int stream;
  int count;
};

/* printf() to one of the host's streams. */
int __populus_vprint(int stream, const char *format, va_list arguments);

void __populus_put(struct Sink *sink, char character);

/* A conversion: %[flags][width][.precision][length]letter. */
struct Conversion {
  int isLeft, isSigned, isSpaced, isAlternate, isZeroPadded;
  int width;
  int precision; /* -1: none given */
  int size;      /* bytes of an integer */
  char letter;
};

/* The digits of |value| for a, e, f, g and their capitals, without sign, 0x and
 * padding. */
void __populus_put_double(struct Sink *sink, double value,
                          const struct Conversion *conversion);

#endif
