/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Finding and splitting: the functions of <string.h> that look for characters
 * and texts, and those that copy what they have measured.
 */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void *memchr(const void *memory, int wanted, size_t bytes) {
  const unsigned char *at = memory;
  for (; bytes; --bytes, ++at)
    if (*at == (unsigned char)wanted)
      return (void *)at;
  return NULL;
}

char *strncat(char *restrict to, const char *restrict from, size_t most) {
  char *out = to + strlen(to);
  for (; most && *from; --most)
    *out++ = *from++;
  *out = 0;
  return to;
}

static size_t spanOf(const char *text, const char *set, int isMember) {
  size_t length = 0;
  while (text[length] && (strchr(set, text[length]) != NULL) == isMember)
    ++length;
  return length;
}

size_t strspn(const char *text, const char *set) {
  return spanOf(text, set, 1);
}
size_t strcspn(const char *text, const char *set) {
  return spanOf(text, set, 0);
}

char *strpbrk(const char *text, const char *set) {
  text += strcspn(text, set);
  return *text ? (char *)text : NULL;
}

char *strstr(const char *text, const char *wanted) {
  const size_t length = strlen(wanted);
  for (; strncmp(text, wanted, length) != 0; ++text)
    if (!*text)
      return NULL;
  return (char *)text;
}

char *strtok_r(char *restrict text, const char *restrict separators,
               char **restrict rest) {
  char *token = text ? text : *rest;
  token += strspn(token, separators);
  char *end = token + strcspn(token, separators);
  *rest = end;
  if (end == token)
    return NULL;
  if (*end) {
    *end = 0;
    *rest = end + 1;
  }
  return token;
}

char *strtok(char *restrict text, const char *restrict separators) {
  static char *rest;
  return strtok_r(text, separators, &rest);
}

char *strndup(const char *text, size_t most) {
  const size_t length = strnlen(text, most);
  char *copy = malloc(length + 1);
  if (copy) {
    memcpy(copy, text, length);
    copy[length] = 0;
  }
  return copy;
}

char *strdup(const char *text) { return strndup(text, (size_t)-1); }
