// Functions of the C library that small programs use; the output is compared
// with that of the host's compiler.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int byValue(const void *a, const void *b) {
  const int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

static void numbers(void) {
  static const char *const texts[] = {"0",
                                      "  42x",
                                      "-17",
                                      "+8",
                                      "0x1f",
                                      "0x",
                                      "077",
                                      "zz",
                                      "",
                                      "2147483647",
                                      "2147483648",
                                      "-2147483648",
                                      "-2147483649",
                                      "9223372036854775808",
                                      "-9223372036854775809",
                                      "18446744073709551616",
                                      "-1",
                                      "z9"};
  static const int bases[] = {0, 10, 16, 36};
  for (unsigned i = 0; i != sizeof(texts) / sizeof(*texts); ++i)
    for (unsigned b = 0; b != 4; ++b) {
      char *end;
      errno = 0;
      const long long value = strtoll(texts[i], &end, bases[b]);
      printf("%s %d: %lld %d %d", texts[i], bases[b], value,
             (int)(end - texts[i]), errno == ERANGE);
      errno = 0;
      const unsigned long long positive = strtoull(texts[i], &end, bases[b]);
      printf(" %llu %d %d\n", positive, (int)(end - texts[i]), errno == ERANGE);
    }
  printf("%d %d %d\n", atoi("123abc"), abs(-5), (int)labs(-7L));
  const div_t d = div(-17, 5);
  const lldiv_t l = lldiv(1000000000000LL, 7);
  printf("%d %d %lld %lld\n", d.quot, d.rem, l.quot, l.rem);
}

static void texts(void) {
  char line[64] = "one, two;three  four";
  for (char *word = strtok(line, " ,;"); word; word = strtok(NULL, " ,;"))
    printf("[%s]", word);
  char *copy = strdup("a copy");
  strncat(strcpy(line, "ab"), "cdef", 2);
  printf("%s %s %d %d\n", copy, line, (int)strspn("aabc", "ab"),
         (int)strcspn("hello", "lo"));
  free(copy);
  printf("%s %s %d %s\n", strstr("a needle in hay", "need"),
         strpbrk("key=value", "=:"), strstr("abc", "abd") == NULL,
         (char *)memchr("some bytes", 'b', 10));
  printf("%d %d\n", memchr("some", 'x', 4) == NULL, strstr("abc", "")[0]);
}

static void sorting(void) {
  int values[200];
  unsigned seed = 1;
  for (int i = 0; i != 200; ++i) {
    seed = seed * 1103515245 + 12345;
    values[i] = (int)(seed >> 16) % 1000;
  }
  qsort(values, 200, sizeof(int), byValue);
  for (int i = 0; i != 200; i += 20)
    printf("%d ", values[i]);
  int wanted = values[123], missing = 5000;
  const int *found = bsearch(&wanted, values, 200, sizeof(int), byValue);
  printf("%d %d\n", *found == wanted,
         bsearch(&missing, values, 200, sizeof(int), byValue) == NULL);
}

int main(void) {
  numbers();
  texts();
  sorting();
  srand(1);
  const int first = rand();
  srand(1);
  const int again = rand();
  printf("%d %d\n", first == again, again != rand());
  fprintf(stdout, "%d and ", 7);
  fputs("text ", stdout);
  fwrite("bytes\n", 1, 6, stdout);
  fputc('.', stdout);
  putc('\n', stdout);
  fflush(stdout);
  fprintf(stderr, "an error %s\n", "text");
  return 0;
}
