/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * malloc() from the memory that a plain program leaves free. The heap is a list
 * of blocks, in order of their addresses, of which neighbours that are free are
 * joined when memory is asked for. Codelets have no heap.
 */

#include "lib/Device/Heap.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The head of a block. `bytes` counts the head, too. */
struct Block {
  uint32_t bytes;
  uint32_t isUsed;
};

static char *heapBegin, *heapEnd;

void __populus_set_heap(char *begin, char *end) {
  heapBegin = heapEnd = begin;
  if (end - begin <= (ptrdiff_t)sizeof(struct Block))
    return;
  heapEnd = end;
  *(struct Block *)begin = (struct Block){(uint32_t)(end - begin), 0};
}

static struct Block *following(struct Block *block) {
  return (struct Block *)((char *)block + block->bytes);
}

static int isBlock(const struct Block *block) {
  return (const char *)block < heapEnd;
}

void *malloc(size_t size) {
  if (size > (size_t)(heapEnd - heapBegin)) {
    errno = ENOMEM;
    return NULL;
  }
  uint32_t wanted = (uint32_t)(size + sizeof(struct Block) + 7) & ~7u;
  for (struct Block *block = (struct Block *)heapBegin; isBlock(block);
       block = following(block)) {
    if (block->isUsed)
      continue;
    while (isBlock(following(block)) && !following(block)->isUsed)
      block->bytes += following(block)->bytes;
    if (block->bytes < wanted)
      continue;
    if (block->bytes - wanted > sizeof(struct Block)) {
      uint32_t rest = block->bytes - wanted;
      block->bytes = wanted;
      *following(block) = (struct Block){rest, 0};
    }
    block->isUsed = 1;
    return block + 1;
  }
  errno = ENOMEM;
  return NULL;
}

void free(void *memory) {
  if (memory)
    ((struct Block *)memory - 1)->isUsed = 0;
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  void *memory = malloc(bytes);
  if (memory)
    memset(memory, 0, bytes);
  return memory;
}

void *realloc(void *old, size_t size) {
  void *memory = malloc(size);
  if (memory && old) {
    size_t had = ((struct Block *)old - 1)->bytes - sizeof(struct Block);
    memcpy(memory, old, had < size ? had : size);
    free(old);
  }
  return memory;
}
