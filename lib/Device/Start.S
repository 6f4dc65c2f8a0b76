/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Where a plain program begins on its worker, and how it calls the host. The
 * worker gets a stack below $mworker_base and, in $mvertex_base, the address of
 * what ipu-run has to tell (struct Start in Start.c).
 */

    .section .text.__populus_start, "ax"
    .globl __populus_start
    .type __populus_start, @function
__populus_start:
    add $m11, $m12, 0
    add $m0, $m13, 0
    call $m10, __populus_run_main
    .size __populus_start, .-__populus_start

/* int __populus_host_call(int number, int, int, int): the arguments are where
 * the host looks for them.
 */
    .section .text.__populus_host_call, "ax"
    .globl __populus_host_call
    .type __populus_host_call, @function
__populus_host_call:
    trap 1
    br $m10
    .size __populus_host_call, .-__populus_host_call
