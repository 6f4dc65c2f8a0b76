/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The standard streams as FILEs; there are no others. Output has no buffers:
 * its FILEs only say which of the host's streams they are. Input.c has the
 * input.
 */

#include "lib/Device/Files.h"
#include "lib/Device/HostCall.h"
#include "lib/Device/Print.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { StandardOutput = 1, StandardErrors = 2 };

/* What <stdio.h> of newlib takes the streams from. */
FILE __populus_input;
static FILE output, errors;
static struct _reent state = {
    ._stdin = &__populus_input, ._stdout = &output, ._stderr = &errors};
struct _reent *_impure_ptr = &state;

static int streamOf(const FILE *file) {
  return file == &errors ? StandardErrors : StandardOutput;
}

static void writeTo(FILE *file, const void *bytes, size_t size) {
  __populus_host_call(HostCallWrite, streamOf(file), (int)(intptr_t)bytes,
                      (int)size);
}

int vfprintf(FILE *restrict file, const char *restrict format,
             va_list arguments) {
  return __populus_vprint(streamOf(file), format, arguments);
}

int fprintf(FILE *restrict file, const char *restrict format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int count = vfprintf(file, format, arguments);
  va_end(arguments);
  return count;
}

size_t fwrite(const void *restrict elements, size_t bytes, size_t count,
              FILE *restrict file) {
  writeTo(file, elements, bytes * count);
  return count;
}

int fputs(const char *restrict text, FILE *restrict file) {
  writeTo(file, text, strlen(text));
  return 0;
}

int fputc(int character, FILE *file) {
  const char byte = (char)character;
  writeTo(file, &byte, 1);
  return (unsigned char)byte;
}

#undef putc
int putc(int character, FILE *file) { return fputc(character, file); }

int fflush(FILE *file) {
  (void)file;
  return 0;
}
