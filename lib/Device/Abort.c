/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a failed assertion ends on a tile: in a trap, which stops the run and
 * names the vertex.
 */

void abort(void) { __builtin_trap(); }

/* What <assert.h> calls. */
void __assert_func(const char *file, int line, const char *function,
                   const char *expression) {
  (void)file;
  (void)line;
  (void)function;
  (void)expression;
  __builtin_trap();
}
