/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * printf for codelets: the text goes to the standard output of the program that
 * runs them, on every kind of device. On the emulated IPU it is written at the
 * end of the compute set, tile by tile. It is code for workers there; a
 * supervisor cannot call it.
 */

#ifndef POPULUS_INCLUDE_PRINT_H
#define POPULUS_INCLUDE_PRINT_H

#ifdef __cplusplus
extern "C"
#endif
    int
    printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
