/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Plain programs (ipu-run --tile): what happens before main() and after it. The
 * constructors of global objects are in a list that the linker makes of all
 * objects' .init_array; destructors are what they and the program have
 * registered with atexit(), and those in .fini_array. None of this happens
 * where codelets run.
 */

#include "lib/Device/Clock.h"
#include "lib/Device/Heap.h"
#include "lib/Device/HostCall.h"

#include <stddef.h>
#include <stdlib.h>

/* What ipu-run puts into the tile's memory for the start code. */
struct Start {
  char *heapBegin;
  char *heapEnd;
  int numArguments;
  char **arguments;
  unsigned clockHz;
};

/* Between these the linker puts the lists; without it, they are null. */
typedef void (*Function)(void);
extern Function __init_array_start[] __attribute__((weak));
extern Function __init_array_end[] __attribute__((weak));
extern Function __fini_array_start[] __attribute__((weak));
extern Function __fini_array_end[] __attribute__((weak));

/* Compilers pass its address to say which program asks; there is just one. */
void *__dso_handle;

/* The last one that was registered comes first. */
struct Handler {
  struct Handler *next;
  void (*function)(void *);
  void *argument;
};

static struct Handler *handlers;

int main(int argc, char **argv);

int __cxa_atexit(void (*function)(void *), void *argument, void *program) {
  (void)program;
  struct Handler *handler = malloc(sizeof(struct Handler));
  if (!handler)
    return -1;
  *handler = (struct Handler){handlers, function, argument};
  handlers = handler;
  return 0;
}

static void callPlain(void *function) { ((Function)function)(); }

int atexit(void (*function)(void)) {
  return __cxa_atexit(callPlain, (void *)function, NULL);
}

void _Exit(int status) {
  __populus_host_call(HostCallExit, status, 0, 0);
  __builtin_trap();
}

void exit(int status) {
  while (handlers) {
    struct Handler *handler = handlers;
    handlers = handler->next;
    handler->function(handler->argument);
  }
  for (Function *next = __fini_array_end; next != __fini_array_start;)
    (*--next)();
  _Exit(status);
}

void __populus_run_main(const struct Start *start) {
  __populus_set_heap(start->heapBegin, start->heapEnd);
  __populus_set_clock(start->clockHz);
  for (Function *next = __init_array_start; next != __init_array_end; ++next)
    (*next)();
  exit(main(start->numArguments, start->arguments));
}
