/* Texts as floating-point numbers and %a; the host's own are the reference. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const Texts[] = {"",
                                    ".",
                                    "-0",
                                    "1.",
                                    ".5",
                                    "1e",
                                    "1e+",
                                    "1e5x",
                                    "0x",
                                    "0x.8p1",
                                    "0x1p-1074",
                                    "0x1.8p-1075",
                                    "0x1p-1075",
                                    "0x1.fffffffffffff8p1023",
                                    "0x1p1024",
                                    "inf",
                                    "-INFINITY",
                                    "infin",
                                    "nan",
                                    "nan(12)",
                                    "nan(",
                                    "1e309",
                                    "1e-400",
                                    "4.9e-324",
                                    "2.4703282292062327e-324",
                                    "2.4703282292062328e-324",
                                    "2.2250738585072011e-308",
                                    "1.7976931348623157e308",
                                    "1.7976931348623159e308",
                                    "9007199254740993",
                                    "  12.5 ",
                                    "1.1754943508222875e-38",
                                    "3.4028235677973366e38",
                                    "7.0064923216240853e-46",
                                    "7.0064923216240854e-46",
                                    "0.1",
                                    "1e23",
                                    "123456789012345678901234567890",
                                    "0x10000000000000000000001",
                                    "0x1.000000000000080000000000001p0",
                                    "1e99999999999",
                                    "0e999999",
                                    "--5"};

static void parse(const char *text) {
  char *end, *endSingle;
  errno = 0;
  const double value = strtod(text, &end);
  const int error = errno;
  errno = 0;
  const float single = strtof(text, &endSingle);
  printf("'%.30s' %.17g %d %d, %.9g %d %d\n", text, value, (int)(end - text),
         error == ERANGE, single, (int)(endSingle - text), errno == ERANGE);
}

int main(void) {
  char text[900];
  for (unsigned i = 0; i != sizeof(Texts) / sizeof(Texts[0]); ++i)
    parse(Texts[i]);
  uint64_t state = 1;
  for (int i = 0; i != 60; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value;
    memcpy(&value, &state, sizeof(value));
    sprintf(text,
            i % 3 == 0   ? "%.17g"
            : i % 3 == 1 ? "%.40e"
                         : "%.700g",
            value);
    parse(text);
    sprintf(text, "%.*a", i % 16, value);
    printf("%s\n", text);
    parse(text);
  }
  printf("%a %A [%20a] [%-20.2a] [%020a] %+a %#.0a %.20a\n", 1.0, -0.1, 255.5,
         255.5, -255.5, 0.0, 1.5, 1e-310);
  printf("%a %A [%9a]\n", __builtin_inf(), -__builtin_inf(), __builtin_inf());
  printf("%.17g\n", atof("2.5e3 "));
  return 0;
}
