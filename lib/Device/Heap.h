/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How the start code hands over the memory that malloc() gives out.
 */

#ifndef POPULUS_LIB_DEVICE_HEAP_H
#define POPULUS_LIB_DEVICE_HEAP_H

/* Both are multiples of 8. */
void __populus_set_heap(char *begin, char *end);

#endif
