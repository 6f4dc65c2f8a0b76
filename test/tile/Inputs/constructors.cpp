// Constructors of global objects, in two files, and everything that runs after
// main(). Each file defines one of them; the first defines main(), too.

#include <stdio.h>
#include <stdlib.h>

struct Object {
  int value;
  Object(int value) : value(value) { printf("Object %d\n", value); }
  ~Object() { printf("~Object %d\n", value); }
};

extern Object otherFiles;

#ifdef OTHER

Object otherFiles(30);

#else

Object first(1), second(2);
int squared(int n) {
  printf("squared\n");
  return n * n;
}
const int computed = squared(5);
template <typename T> struct Registered {
  static Object object;
};
template <typename T> Object Registered<T>::object(sizeof(T));
__attribute__((constructor(101))) void early() { printf("early\n"); }
__attribute__((constructor(102))) void later() { printf("later\n"); }
__attribute__((destructor)) void last() { printf("last\n"); }
void registered() {
  printf("registered\n");
  atexit([] { printf("by a handler\n"); });
}

int main(int argc, char **argv) {
  static Object local(3);
  atexit(registered);
  printf("main %d %d %d %d\n", argc, first.value + second.value, computed,
         otherFiles.value);
  if (Registered<char>::object.value == 1)
    exit(otherFiles.value + local.value);
  return 0;
}

#endif
