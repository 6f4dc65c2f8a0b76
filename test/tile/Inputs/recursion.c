/* Functions that call themselves, with the depth from the command line of popc. */
#include <stdio.h>

__attribute__((noinline)) int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) int odd(int n);
__attribute__((noinline)) int even(int n) {
  volatile char local[64];
  local[n & 63] = 1;
  return n == 0 ? local[0] : odd(n - 1);
}
int odd(int n) { return n == 0 ? 0 : even(n - 1); }

int main(void) {
  printf("%d %d\n", fibonacci(15), even(DEPTH));
  return 0;
}
