#include <stdio.h>
#include <stdlib.h>

int helper(int x);
#ifdef LARGE
volatile char data[640000];
#endif

int main(void) {
  puts("before");
#if defined(EXIT)
  exit(helper(EXIT));
#elif defined(ABORT)
  abort();
#elif defined(FAULT)
  *(volatile int *)helper(0x100) = 1;
#elif defined(ENDLESS)
  for (volatile int i = 0;; ++i)
    ;
#elif defined(LARGE)
  data[helper(5)] = 1;
#endif
  return helper(3);
}
