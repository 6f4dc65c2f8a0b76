/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * qsort() and bsearch(). A heap sort: it needs no memory and does not call
 * itself, which a tile's stack does not allow.
 */

#include <stddef.h>
#include <stdlib.h>

typedef int (*Compare)(const void *, const void *);

static void swap(char *a, char *b, size_t bytes) {
  for (; bytes; --bytes, ++a, ++b) {
    const char kept = *a;
    *a = *b;
    *b = kept;
  }
}

/* Moves the element at `root` down until none below it is larger. */
static void sink(char *base, size_t root, size_t count, size_t bytes,
                 Compare compare) {
  for (;;) {
    size_t child = 2 * root + 1;
    if (child >= count)
      return;
    if (child + 1 < count &&
        compare(base + child * bytes, base + (child + 1) * bytes) < 0)
      ++child;
    if (compare(base + root * bytes, base + child * bytes) >= 0)
      return;
    swap(base + root * bytes, base + child * bytes, bytes);
    root = child;
  }
}

void qsort(void *array, size_t count, size_t bytes, Compare compare) {
  char *base = array;
  for (size_t root = count / 2; root-- != 0;)
    sink(base, root, count, bytes, compare);
  for (size_t last = count; last-- > 1;) {
    swap(base, base + last * bytes, bytes);
    sink(base, 0, last, bytes, compare);
  }
}

void *bsearch(const void *key, const void *array, size_t count, size_t bytes,
              Compare compare) {
  const char *base = array;
  while (count != 0) {
    const char *middle = base + count / 2 * bytes;
    const int order = compare(key, middle);
    if (order == 0)
      return (void *)middle;
    if (order > 0) {
      base = middle + bytes;
      --count;
    }
    count /= 2;
  }
  return NULL;
}
