// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Does something undefined: the argument says what.
#include <stdlib.h>

int table[4];

int main(int argc, char **argv) {
  volatile int large = 0x7fffffff, zero = 0, many = 40;
  switch (atoi(argv[1])) {
  case 0:
    return large + argc; // an addition
  case 1:
    return argc / zero;
  case 2:
    return argc << many;
  case 3:
    return table[many];
  case 4:
    return large * large;
  }
  return 0;
}
