#include <stdio.h>
#include <stdlib.h>

int helper(int x);

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
  static volatile char data[600000];
  data[helper(5)] = 1;
#endif
  return helper(3);
}
