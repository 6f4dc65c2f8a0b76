/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * <time.h> of plain programs: the time that the tile has run, by its counter of
 * cycles, and the host's date.
 */

#include "lib/Device/Clock.h"
#include "lib/Device/HostCall.h"

#include <time.h>

static unsigned clockHz = 1;

void __populus_set_clock(unsigned hz) { clockHz = hz; }

/* The halves of the counter are read one after the other; the upper one must
 * not have changed meanwhile.
 */
static unsigned long long cycles(void) {
  unsigned upper = __builtin_ipu_get_scount_u(), lower;
  for (;;) {
    lower = __builtin_ipu_get_scount_l();
    const unsigned again = __builtin_ipu_get_scount_u();
    if (again == upper)
      return (unsigned long long)upper << 32 | lower;
    upper = again;
  }
}

clock_t clock(void) { return (clock_t)(cycles() * CLOCKS_PER_SEC / clockHz); }

time_t time(time_t *result) {
  const time_t now = (unsigned)__populus_host_call(HostCallTime, 0, 0, 0);
  if (result)
    *result = now;
  return now;
}
