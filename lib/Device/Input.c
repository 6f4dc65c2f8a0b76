/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * stdin of plain programs. The host gives what it has, up to the size of a
 * buffer; before its first byte there is room for those that ungetc() puts
 * back. The FILE has the fields that the macros of newlib's <stdio.h> use.
 */

#include "lib/Device/Files.h"
#include "lib/Device/HostCall.h"

#include <stdint.h>
#include <stdio.h>

enum { Returned = 8, BufferBytes = 256 };

static unsigned char buffer[Returned + BufferBytes];

/* More bytes, of which it returns the first; newlib's getc() calls it. */
int __srget_r(struct _reent *state, FILE *file) {
  (void)state;
  file->_r = 0;
  unsigned char *const first = buffer + Returned;
  const int count =
      file == &__populus_input
          ? __populus_host_call(HostCallRead, (int)(intptr_t)first, BufferBytes,
                                0)
          : 0;
  if (count <= 0) {
    file->_flags |= __SEOF;
    return EOF;
  }
  file->_p = first + 1;
  file->_r = count - 1;
  return *first;
}

int fgetc(FILE *file) {
  if (file->_r <= 0)
    return __srget_r(_REENT, file);
  file->_r--;
  return *file->_p++;
}

#undef getc
int getc(FILE *file) { return fgetc(file); }

#undef getchar
int getchar(void) { return fgetc(stdin); }

int ungetc(int character, FILE *file) {
  if (character == EOF || file != &__populus_input || file->_p == buffer)
    return EOF;
  if (!file->_p)
    file->_p = buffer + Returned;
  *--file->_p = (unsigned char)character;
  file->_r++;
  file->_flags &= ~__SEOF;
  return (unsigned char)character;
}

char *fgets(char *restrict text, int size, FILE *restrict file) {
  int length = 0;
  while (length + 1 < size) {
    const int character = fgetc(file);
    if (character == EOF)
      break;
    text[length++] = (char)character;
    if (character == '\n')
      break;
  }
  if (length == 0)
    return NULL;
  text[length] = 0;
  return text;
}

size_t fread(void *restrict elements, size_t bytes, size_t count,
             FILE *restrict file) {
  unsigned char *to = elements;
  const size_t wanted = bytes * count;
  for (size_t i = 0; i != wanted; ++i) {
    const int character = fgetc(file);
    if (character == EOF)
      return i / bytes;
    to[i] = (unsigned char)character;
  }
  return wanted == 0 ? 0 : count;
}

#undef feof
int feof(FILE *file) { return (file->_flags & __SEOF) != 0; }

#undef ferror
int ferror(FILE *file) {
  (void)file;
  return 0;
}

#undef clearerr
void clearerr(FILE *file) { file->_flags &= ~__SEOF; }
