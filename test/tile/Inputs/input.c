/* Arguments, standard input by all functions that read, the clock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int isSorted(const long *times, int count) {
  for (int i = 1; i < count; i++)
    if (times[i] < times[i - 1])
      return 0;
  return 1;
}

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++)
    printf("argument %d: '%s'\n", i, argv[i]);
  printf("null at the end: %d\n", argv[argc] == NULL);

  const int first = getchar();
  printf("first '%c', put back %d\n", first, ungetc(first, stdin) == first);
  char line[40];
  if (fgets(line, sizeof(line), stdin))
    printf("line: %s", line);
  if (fgets(line, 4, stdin))
    printf("three: %s\n", line);
  printf("next: %c", getc(stdin));
  printf("%c\n", fgetc(stdin));
  char block[10];
  const size_t blocks = fread(block, 5, 2, stdin);
  printf("%d blocks: %.10s\n", (int)blocks, block);

  unsigned sum = 0;
  int count = 0, character;
  while ((character = getchar()) != EOF) {
    sum = sum * 31 + (unsigned)character;
    count++;
  }
  printf("%d more, %u\n", count, sum);
  printf("at the end: %d, error: %d\n", feof(stdin) != 0, ferror(stdin) != 0);
  printf("nothing: %d %d\n", getchar() == EOF, fgets(line, 40, stdin) == NULL);

  if (argc > 3)
    __builtin_trap();
  long times[3];
  for (int i = 0; i < 3; i++)
    times[i] = (long)clock();
  time_t now;
  printf("time goes on: %d, a date: %d\n", isSorted(times, 3),
         time(&now) == now && now > 1700000000);
  return argc;
}
