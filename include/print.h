/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * printf for codelets. Only host code can print so far: on the CPU device and
 * the IPU Model the text goes to the program's own standard output. In IPU code
 * a call is a link error that names printf.
 */

#ifndef POPULUS_INCLUDE_PRINT_H
#define POPULUS_INCLUDE_PRINT_H

#ifdef __cplusplus
extern "C"
#endif
    int
    printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
