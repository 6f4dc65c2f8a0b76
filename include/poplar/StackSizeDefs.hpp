/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * How hand-written code says how much stack it needs, in the form that the
 * compiler uses for its own (a section ".stack_sizes": address of the function,
 * then the number of bytes as ULEB128). The tile linker adds the needs up along
 * the calls.
 *
 *   DEF_STACK_USAGE     bytes symbol   the function and all that it calls
 *   DEF_STACK_SIZE_OWN  bytes symbol   the function alone
 *
 * As the linker sees calls in assembly too, both mean the function's own frame.
 */

#ifndef POPLAR_STACKSIZEDEFS_HPP
#define POPLAR_STACKSIZEDEFS_HPP

#ifdef __ASSEMBLER__

// clang-format off
#ifdef __IPU__
.macro DEF_STACK_USAGE BYTES, SYMBOL
.pushsection .stack_sizes.\SYMBOL, "", @progbits
.int \SYMBOL
.uleb128 \BYTES
.popsection
.endm

.macro DEF_STACK_SIZE_OWN BYTES, SYMBOL
DEF_STACK_USAGE \BYTES, \SYMBOL
.endm
// clang-format on

/* The flags of a section of worker code. */
#define FUNCTION_IS_WORKER "ax"
#endif

#else

/* The symbol may stand in quotes. */
#ifdef __IPU__
#define DEF_STACK_USAGE(BYTES, SYMBOL) POPULUS_STACK_USAGE(BYTES, SYMBOL)
#define POPULUS_STACK_USAGE(BYTES, SYMBOL)                                     \
  asm(".pushsection .stack_sizes, \"\", @progbits\n"                           \
      ".int " #SYMBOL "\n.uleb128 " #BYTES "\n.popsection\n");
#else
#define DEF_STACK_USAGE(BYTES, SYMBOL)
#endif
#define DEF_STACK_SIZE_OWN(BYTES, SYMBOL) DEF_STACK_USAGE(BYTES, SYMBOL)

#endif

#endif
