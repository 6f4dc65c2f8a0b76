#include <stdio.h>

int main(void) {
  unsigned state = 1;
  for (int round = 0; round < 3000000; ++round)
    state = state * 1664525u + (state >> 7);
  printf("%u\n", state);
  return 0;
}
