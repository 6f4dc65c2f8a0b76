/* Blocks that are freed are used again, neighbours together. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
  static void *blocks[4096];
  int count = 0;
  for (; count < 4096 && (blocks[count] = malloc(1000)); ++count)
    memset(blocks[count], count, 1000);
  printf("many: %d\n", count > 300);
  int bad = 0;
  for (int i = 0; i < count; ++i)
    bad += *(unsigned char *)blocks[i] != (unsigned char)i ||
           (uintptr_t)blocks[i] % 8 != 0;
  printf("bad: %d\n", bad);
  /* The last one may lie beside what is left over. */
  for (int i = 0; i + 1 < count; i += 2)
    free(blocks[i]);
  printf("large in holes: %d\n", malloc(1500) != NULL);
  for (int i = 1; i < count; i += 2)
    free(blocks[i]);
  free((count & 1) ? blocks[count - 1] : NULL);
  char *large = malloc(100000);
  printf("large: %d\n", large != NULL);
  strcpy(large, "kept");
  large = realloc(large, 200000);
  printf("moved: %s\n", large);
  char *zero = calloc(100, 10);
  for (int i = 0; i < 1000; ++i)
    bad += zero[i];
  printf("not zero: %d\n", bad);
  printf("too large: %d %d\n", malloc(-1u) == NULL, calloc(1u << 31, 2) == NULL);
  return 0;
}
