/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The C functions on strings that small programs use.
 */

#include <stddef.h>

size_t strlen(const char *text) {
  const char *end = text;
  while (*end)
    ++end;
  return (size_t)(end - text);
}

size_t strnlen(const char *text, size_t most) {
  size_t length = 0;
  while (length < most && text[length])
    ++length;
  return length;
}

int strncmp(const char *a, const char *b, size_t count) {
  for (; count; --count, ++a, ++b)
    if (*a != *b || !*a)
      return (unsigned char)*a - (unsigned char)*b;
  return 0;
}

int strcmp(const char *a, const char *b) { return strncmp(a, b, (size_t)-1); }

char *stpcpy(char *restrict to, const char *restrict from) {
  while ((*to = *from++))
    ++to;
  return to;
}

char *strcpy(char *restrict to, const char *restrict from) {
  stpcpy(to, from);
  return to;
}

char *strncpy(char *restrict to, const char *restrict from, size_t count) {
  char *out = to;
  for (; count && *from; --count)
    *out++ = *from++;
  for (; count; --count)
    *out++ = 0;
  return to;
}

char *strcat(char *restrict to, const char *restrict from) {
  strcpy(to + strlen(to), from);
  return to;
}

char *strchr(const char *text, int wanted) {
  for (; *text != (char)wanted; ++text)
    if (!*text)
      return NULL;
  return (char *)text;
}

char *strrchr(const char *text, int wanted) {
  const char *found = NULL;
  do
    if (*text == (char)wanted)
      found = text;
  while (*text++);
  return (char *)found;
}
