/* Every conversion of printf; the host's own is the reference. */
#include <stdio.h>

int main(void) {
  printf("%d %i %u %x %X %o %c %s %%\n", -5, 7, 4000000000u, 0xbeef, 0xbeef, 8,
         'c', "text");
  printf("%lld %llu %llx %hhd %hu\n", -9223372036854775807LL - 1,
         18446744073709551615ULL, 0x123456789abcdefLL, 300, 70000);
  printf("[%5d][%-5d][%05d][%+d][% d][%.3d][%.0d]\n", 42, 42, -42, 42, 42, 7, 0);
  printf("[%#x][%#o][%#x][%8s][%-8s][%.2s][%*d][%-*d]\n", 255, 8, 0, "right",
         "left", "cut", 6, 1, 6, 2);
  printf("%f %f %.0f %.0f %.0f %.1f %.3f\n", 1.0 / 3, -0.0, 0.5, 1.5, 2.5, 0.25,
         9.9996);
  printf("%f\n%.60f\n", 1e300, 4.9406564584124654e-324 * 3e300);
  printf("%e %E %.0e %.10e %e\n", 12345.678, 1e-300, 9.5, 1.0 / 7, 0.0);
  printf("%g %g %g %g %g %g %#g %.3g\n", 0.0001, 0.00001, 1e20, 100000.0, 1e6,
         0.0, 1.5, 1234.0);
  printf("[%10.3f][%-10.3f][%010.3f][%+.1f]\n", -3.14159, 3.14159, -3.14159, 2.0);
  printf("%f %F [%6f] [%-6e]\n", __builtin_inf(), -__builtin_inf(),
         __builtin_inf(), __builtin_inf());
  printf("%.15g %.17g\n", 0.1, 0.1);
  int all;
  long long most;
  short few;
  signed char least;
  printf("%d%n %s%lln %5d%hn%hhn\n", 12, &all, "more", &most, 3, &few, &least);
  printf("%d %lld %d %d\n", all, most, few, least);
  return 0;
}
