// A load through a pointer that is off by one byte, on line 5.
#include <stdio.h>
#include <stdlib.h>

static int element(const int *p, int i) { return p[i]; }

int main(void) {
  int *numbers = malloc(40);
  for (int i = 0; i < 10; i++)
    numbers[i] = i;
  printf("%d\n", element(numbers, 3));
  return element((const int *)((char *)numbers + 1), 2);
}
