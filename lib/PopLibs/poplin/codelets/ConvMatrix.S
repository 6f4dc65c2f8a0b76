/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The vertex of ConvMatrix.cpp for the IPU. The supervisor loads the weights of
 * a pass and starts the workers, which stream positions through the matrix
 * unit: while it multiplies a position, the partial sums of the next one go in
 * and the results of the one before come out. Loads of inputs and partial sums
 * and the store of results share one instruction with its three addresses.
 */

#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

/* Words of the vertex. */
#define IN 0
#define WEIGHTS 1
#define OUT 2
#define INIT 3
#define SEGMENTS 4
#define IN_BLOCKS 5
#define BLOCKS 6
#define TAPS 7
#define IN_STEP_EVEN 8
#define IN_STEP_ODD 9
#define BLOCK_STEP_EVEN 10
#define BLOCK_STEP_ODD 11
#define STEPS_OF_FIRST 12
#define STEPS_OF_OTHERS 13
#define PASS_IN 14
#define PASS_OUT 15
#define PASS_PARTIALS 16
#define PASS_STEPS 17
#define PASS_STEPS_OF_PARTIALS 18
#define PASS_SEGMENTS 19

/* Binary logarithms of the bytes of a segment, and of those of a tap. */
#define SEGMENT_SHIFT 3
#define BYTES_OF_TAP 48

/* Selectors of steps, input | partial sums << 2 | results << 4: NEXT 8 bytes,
 * WRAP to the next position, STAY where the register of steps has zeros.
 */
#define LOAD_NEXT 0b0000
#define LOAD_WRAP 0b1001
#define LOAD_PARTIALS 0b0001
#define LOAD_PARTIALS_WRAP 0b1001
#define MOVE_NEXT 0b000000
#define MOVE_LOAD_WRAP 0b001001
#define MOVE_STORE_WRAP 0b110000
#define MOVE_ALL_WRAP 0b111001
#define LOAD_STORE_NEXT 0b0000
#define LOAD_STORE_WRAP 0b1100
#define STORE_NEXT 0b00
#define STORE_WRAP 0b11

/* Registers of workers. */
#define ADDRESSES m0:1
#define SEGMENT m2
#define STEPS m4
#define STEPS_OF_PARTIALS m5
#define INPUT m6
#define RESULTS m7
#define PARTIALS m8
#define COUNT m9
#define STATE mvertex_base

#define X a0:1
#define P a2:3
#define XP a0:3
#define Y a4:5

/* The part of a worker that is the same for all types: its first segment of the
 * pass, and of each the addresses, packed with that of \FIRST first. Goes on at
 * .Lfew or behind it with them and three positions less than the segment has.
 */
.macro WORKER NAME, FIRST=INPUT, SECOND=PARTIALS
  { get $m0, $WSR ; setzi $a0, 1 << CSR_W_FP_CLR__ZAACC__SHIFT }
  { and $m0, $m0, CSR_W_WSR__CTXTID_M1__MASK ; uput $FP_CLR, $a0 }
  shl $m0, $m0, SEGMENT_SHIFT
  ld32 $SEGMENT, $STATE, $mzero, PASS_SEGMENTS
  add $SEGMENT, $SEGMENT, $m0
  ld32 $STEPS, $STATE, $mzero, PASS_STEPS
  ld32 $STEPS_OF_PARTIALS, $STATE, $mzero, PASS_STEPS_OF_PARTIALS
.Lsegment\NAME:
  ldz16step $INPUT, $mzero, $SEGMENT+=, 1
  ldz16step $RESULTS, $mzero, $SEGMENT+=, 1
  lds16step $COUNT, $mzero, $SEGMENT+=, 1
  shl $INPUT, $INPUT, 5
  ld32 $m1, $STATE, $mzero, PASS_IN
  add $INPUT, $INPUT, $m1
  shl $RESULTS, $RESULTS, 5
  ld32 $m1, $STATE, $mzero, PASS_OUT
  add $RESULTS, $RESULTS, $m1
  ld32 $PARTIALS, $STATE, $mzero, PASS_PARTIALS
  movz $PARTIALS, $PARTIALS, $RESULTS
  brneg $COUNT, .Lfew\NAME
  tapack $ADDRESSES, $\FIRST, $\SECOND, $RESULTS
.endm

/* The end of a segment: on to the one that it names, if any. */
.macro NEXT_SEGMENT NAME
.Lnext\NAME:
  ldz16 $m1, $SEGMENT, $mzero, 0
  brnz $m1, .Lmore\NAME
.Lnone\NAME:
  exitz $mzero
.Lmore\NAME:
  shl $m1, $m1, SEGMENT_SHIFT
  ld32 $SEGMENT, $STATE, $mzero, SEGMENTS
  add $SEGMENT, $SEGMENT, $m1
  bri .Lsegment\NAME
.Lfew\NAME:
  add $COUNT, $COUNT, 3
  brz $COUNT, .Lnone\NAME
.endm

/* A function's begin and end. */
.macro FUNCTION NAME
.section .text.\NAME, "ax"
.globl \NAME
.type \NAME, @function
.align 8
.endm
.macro END_FUNCTION NAME
.size \NAME, . - \NAME
.endm

/* Of a position go in and come out 32 bytes: 8 sums in float, or 16 in half with
 * both sets.
 */
.macro HALF_WORKER NAME, MNEMONIC
FUNCTION __populus_conv_matrix_\NAME
.worker
DEF_STACK_USAGE 0 __populus_conv_matrix_\NAME
__populus_conv_matrix_\NAME:
  WORKER \NAME
#define AMP(RESULT, DATA, SUMS, PHASE)                                         \
  \MNEMONIC $RESULT, $DATA, $SUMS, TAMP_F16V4_E4_P##PHASE
  ld2x64pace $X, $P, $ADDRESSES+=, $mzero, LOAD_PARTIALS
  { ld2x64pace $X, $P, $ADDRESSES+=, $mzero, LOAD_PARTIALS ; AMP(azeros, azeros, P, 0) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $mzero, LOAD_PARTIALS ; AMP(azeros, azeros, P, 1) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS_OF_PARTIALS, LOAD_PARTIALS_WRAP ; AMP(azeros, azeros, P, 2) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; AMP(azeros, azeros, P, 3) }
  // The first position.
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; AMP(azeros, X, P, 0) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; AMP(azeros, X, P, 1) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_WRAP ; AMP(azeros, X, P, 2) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; AMP(azeros, X, P, 3) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; AMP(Y, X, P, 0) }
  .align 8
  { rpt $COUNT, (2f - 1f) / 8 - 1 ; fnop }
1:
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; AMP(Y, X, P, 1) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_LOAD_WRAP ; AMP(Y, X, P, 2) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; AMP(Y, X, P, 3) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_STORE_WRAP ; AMP(Y, X, P, 0) }
2:
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; AMP(Y, X, P, 1) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_LOAD_WRAP ; AMP(Y, X, P, 2) }
  { ldst64pace $X, $Y, $ADDRESSES+=, $STEPS, LOAD_STORE_NEXT ; AMP(Y, X, P, 3) }
  // The last position: no partial sums for a next one.
  { ldst64pace $X, $Y, $ADDRESSES+=, $STEPS, LOAD_STORE_WRAP ; AMP(Y, X, azeros, 0) }
  { ldst64pace $X, $Y, $ADDRESSES+=, $STEPS, LOAD_STORE_NEXT ; AMP(Y, X, azeros, 1) }
  { ldst64pace $X, $Y, $ADDRESSES+=, $STEPS, LOAD_STORE_NEXT ; AMP(Y, X, azeros, 2) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, X, azeros, 3) }
  // Its results.
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_WRAP ; AMP(Y, azeros, azeros, 0) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azeros, azeros, 1) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azeros, azeros, 2) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azeros, azeros, 3) }
  st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT
  NEXT_SEGMENT \NAME
  // A single position.
  ld64step $P, $mzero, $PARTIALS+=, 1
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azeros, P, 0) }
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azeros, P, 1) }
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azeros, P, 2) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; AMP(azeros, azeros, P, 3) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; AMP(azeros, X, azeros, 0) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; AMP(azeros, X, azeros, 1) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; AMP(azeros, X, azeros, 2) }
  { nop ; AMP(azeros, X, azeros, 3) }
  { nop ; AMP(Y, azeros, azeros, 0) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azeros, azeros, 1) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azeros, azeros, 2) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azeros, azeros, 3) }
  st64step $Y, $mzero, $RESULTS+=, 1
  bri .Lnext\NAME
#undef AMP
END_FUNCTION __populus_conv_matrix_\NAME
.endm
HALF_WORKER half, f16v4sisoamp
#if __IPU_ARCH_VERSION__ != 1
HALF_WORKER half_sums, f16v4hihov4amp
#endif

FUNCTION __populus_conv_matrix_float
.worker
DEF_STACK_USAGE 0 __populus_conv_matrix_float
__populus_conv_matrix_float:
  WORKER float
/* Two numbers of the input are loaded at a time; partial sums and results move
 * with the first of them.
 */
#define FIRST(RESULT, DATA, SUMS, PHASE)                                       \
  f32sisoamp $RESULT, $DATA, $SUMS, TAMP_F32_E4_P##PHASE
#define SECOND(PHASE) f32sisoamp $azeros, $a1, $azeros, TAMP_F32_E4_P##PHASE
  ld2x64pace $X, $P, $ADDRESSES+=, $mzero, LOAD_PARTIALS
  { ld2x64pace $X, $P, $ADDRESSES+=, $mzero, LOAD_PARTIALS ; FIRST(azeros, azero, P, 0) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $mzero, LOAD_PARTIALS ; FIRST(azeros, azero, P, 2) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS_OF_PARTIALS, LOAD_PARTIALS_WRAP ; FIRST(azeros, azero, P, 4) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; FIRST(azeros, azero, P, 6) }
  // The first position.
  { nop ; FIRST(azeros, a0, P, 0) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; SECOND(1) }
  { nop ; FIRST(azeros, a0, P, 2) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; SECOND(3) }
  { nop ; FIRST(azeros, a0, P, 4) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_WRAP ; SECOND(5) }
  { nop ; FIRST(azeros, a0, P, 6) }
  { ld2x64pace $X, $P, $ADDRESSES+=, $STEPS, LOAD_NEXT ; SECOND(7) }
  .align 8
  { rpt $COUNT, (2f - 1f) / 8 - 1 ; fnop }
1:
  { nop ; FIRST(Y, a0, P, 0) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; SECOND(1) }
  { nop ; FIRST(Y, a0, P, 2) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; SECOND(3) }
  { nop ; FIRST(Y, a0, P, 4) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_LOAD_WRAP ; SECOND(5) }
  { nop ; FIRST(Y, a0, P, 6) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_STORE_WRAP ; SECOND(7) }
2:
  { nop ; FIRST(Y, a0, P, 0) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; SECOND(1) }
  { nop ; FIRST(Y, a0, P, 2) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; SECOND(3) }
  { nop ; FIRST(Y, a0, P, 4) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_LOAD_WRAP ; SECOND(5) }
  { nop ; FIRST(Y, a0, P, 6) }
  { ldst64pace $X, $Y, $ADDRESSES+=, $STEPS, LOAD_STORE_WRAP ; SECOND(7) }
  // The last position: no partial sums for a next one.
  { nop ; FIRST(Y, a0, azeros, 0) }
  { ldst64pace $X, $Y, $ADDRESSES+=, $STEPS, LOAD_STORE_NEXT ; SECOND(1) }
  { nop ; FIRST(Y, a0, azeros, 2) }
  { ldst64pace $X, $Y, $ADDRESSES+=, $STEPS, LOAD_STORE_NEXT ; SECOND(3) }
  { nop ; FIRST(Y, a0, azeros, 4) }
  { ldst64pace $X, $Y, $ADDRESSES+=, $STEPS, LOAD_STORE_NEXT ; SECOND(5) }
  { nop ; FIRST(Y, a0, azeros, 6) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_WRAP ; SECOND(7) }
  // Its results.
  { nop ; FIRST(Y, azero, azeros, 0) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; FIRST(Y, azero, azeros, 2) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; FIRST(Y, azero, azeros, 4) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; FIRST(Y, azero, azeros, 6) }
  st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT
  NEXT_SEGMENT float
  // A single position.
  ld64step $P, $mzero, $PARTIALS+=, 1
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; FIRST(azeros, azero, P, 0) }
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; FIRST(azeros, azero, P, 2) }
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; FIRST(azeros, azero, P, 4) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; FIRST(azeros, azero, P, 6) }
  { nop ; FIRST(azeros, a0, azeros, 0) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; SECOND(1) }
  { nop ; FIRST(azeros, a0, azeros, 2) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; SECOND(3) }
  { nop ; FIRST(azeros, a0, azeros, 4) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; SECOND(5) }
  { nop ; FIRST(azeros, a0, azeros, 6) }
  { nop ; SECOND(7) }
  { nop ; FIRST(Y, azero, azeros, 0) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; FIRST(Y, azero, azeros, 2) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; FIRST(Y, azero, azeros, 4) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; FIRST(Y, azero, azeros, 6) }
  st64step $Y, $mzero, $RESULTS+=, 1
  bri .Lnextfloat
#undef FIRST
#undef SECOND
END_FUNCTION __populus_conv_matrix_float

#if __IPU_ARCH_VERSION__ != 1
/* Both sets of accumulators: 16 output channels. Partial sums and results move
 * in every phase, so they share the loads of the first half of each input pair.
 */
#define WP a0:1
#define WX a2:3
#define WPX a0:3
#define UNUSED a6:7
/* Selectors of steps, partial sums | input << 2 | results << 4, and partial
 * sums | results << 2.
 */
#define WIDE_PARTIALS 0b0100
#define WIDE_PARTIALS_WRAP 0b0110
#define WIDE_LOAD_NEXT 0b0000
#define WIDE_LOAD_WRAP 0b0100
#define WIDE_MOVE_NEXT 0b000000
#define WIDE_MOVE_LOAD_WRAP 0b000100
#define WIDE_MOVE_INPUT 0b000001
#define WIDE_SUMS_NEXT 0b0000
#define WIDE_SUMS_LOAD_WRAP 0b0010
#define WIDE_SUMS_LOAD_STAY 0b0001
#define WIDE_SUMS_STORE_WRAP 0b1100

FUNCTION __populus_conv_matrix_float_wide
.worker
DEF_STACK_USAGE 0 __populus_conv_matrix_float_wide
__populus_conv_matrix_float_wide:
  WORKER wide, PARTIALS, INPUT
#define AMP(RESULT, DATA, SUMS, PHASE)                                         \
  f32sisov2amp $RESULT, $DATA, $SUMS, TAMP_F32_E4_P##PHASE
  ld2x64pace $WP, $WX, $ADDRESSES+=, $mzero, WIDE_PARTIALS
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, azero, WP, 0) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, azero, WP, 1) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, azero, WP, 2) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, azero, WP, 3) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, azero, WP, 4) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, azero, WP, 5) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $STEPS_OF_PARTIALS, WIDE_PARTIALS_WRAP ; AMP(azeros, azero, WP, 6) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $STEPS, WIDE_LOAD_NEXT ; AMP(azeros, azero, WP, 7) }
  // The first position.
  { ld2x64pace $WP, $UNUSED, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, a2, WP, 0) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $STEPS, WIDE_LOAD_NEXT ; AMP(azeros, a3, WP, 1) }
  { ld2x64pace $WP, $UNUSED, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, a2, WP, 2) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $STEPS, WIDE_LOAD_NEXT ; AMP(azeros, a3, WP, 3) }
  { ld2x64pace $WP, $UNUSED, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(azeros, a2, WP, 4) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $STEPS, WIDE_LOAD_WRAP ; AMP(azeros, a3, WP, 5) }
  { ld2x64pace $WP, $UNUSED, $ADDRESSES+=, $STEPS_OF_PARTIALS, WIDE_PARTIALS_WRAP ; AMP(azeros, a2, WP, 6) }
  { ld2x64pace $WP, $WX, $ADDRESSES+=, $STEPS, WIDE_LOAD_NEXT ; AMP(azeros, a3, WP, 7) }
  { ld2x64pace $WP, $UNUSED, $ADDRESSES+=, $mzero, WIDE_PARTIALS ; AMP(Y, a2, WP, 0) }
  .align 8
  { rpt $COUNT, (2f - 1f) / 8 - 1 ; fnop }
1:
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $STEPS, WIDE_MOVE_NEXT ; AMP(Y, a3, WP, 1) }
  { ldst64pace $WP, $Y, $ADDRESSES+=, $STEPS, WIDE_SUMS_NEXT ; AMP(Y, a2, WP, 2) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $STEPS, WIDE_MOVE_NEXT ; AMP(Y, a3, WP, 3) }
  { ldst64pace $WP, $Y, $ADDRESSES+=, $STEPS, WIDE_SUMS_NEXT ; AMP(Y, a2, WP, 4) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $STEPS, WIDE_MOVE_LOAD_WRAP ; AMP(Y, a3, WP, 5) }
  { ldst64pace $WP, $Y, $ADDRESSES+=, $STEPS, WIDE_SUMS_LOAD_WRAP ; AMP(Y, a2, WP, 6) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $STEPS, WIDE_MOVE_NEXT ; AMP(Y, a3, WP, 7) }
  { ldst64pace $WP, $Y, $ADDRESSES+=, $STEPS, WIDE_SUMS_STORE_WRAP ; AMP(Y, a2, WP, 0) }
2:
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $STEPS, WIDE_MOVE_NEXT ; AMP(Y, a3, WP, 1) }
  { ldst64pace $WP, $Y, $ADDRESSES+=, $STEPS, WIDE_SUMS_NEXT ; AMP(Y, a2, WP, 2) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $STEPS, WIDE_MOVE_NEXT ; AMP(Y, a3, WP, 3) }
  { ldst64pace $WP, $Y, $ADDRESSES+=, $STEPS, WIDE_SUMS_NEXT ; AMP(Y, a2, WP, 4) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $STEPS, WIDE_MOVE_LOAD_WRAP ; AMP(Y, a3, WP, 5) }
  // From here on no partial sums for a next position: their address stays.
  { ldst64pace $WP, $Y, $ADDRESSES+=, $mzero, WIDE_SUMS_LOAD_STAY ; AMP(Y, a2, WP, 6) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $mzero, WIDE_MOVE_INPUT ; AMP(Y, a3, WP, 7) }
  // The last position.
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_WRAP ; AMP(Y, a2, azeros, 0) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $mzero, WIDE_MOVE_INPUT ; AMP(Y, a3, azeros, 1) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, a2, azeros, 2) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $mzero, WIDE_MOVE_INPUT ; AMP(Y, a3, azeros, 3) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, a2, azeros, 4) }
  { ld2xst64pace $WPX, $Y, $ADDRESSES+=, $mzero, WIDE_MOVE_INPUT ; AMP(Y, a3, azeros, 5) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, a2, azeros, 6) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, a3, azeros, 7) }
  // Its results.
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_WRAP ; AMP(Y, azero, azeros, 0) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azero, azeros, 1) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azero, azeros, 2) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azero, azeros, 3) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azero, azeros, 4) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azero, azeros, 5) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azero, azeros, 6) }
  { st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT ; AMP(Y, azero, azeros, 7) }
  st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT
  NEXT_SEGMENT wide
  // A single position.
  ld64step $WP, $mzero, $PARTIALS+=, 1
  { ld64step $WP, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azero, WP, 0) }
  { ld64step $WP, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azero, WP, 1) }
  { ld64step $WP, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azero, WP, 2) }
  { ld64step $WP, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azero, WP, 3) }
  { ld64step $WP, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azero, WP, 4) }
  { ld64step $WP, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azero, WP, 5) }
  { ld64step $WP, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azero, WP, 6) }
  { ld64step $WX, $mzero, $INPUT+=, 1 ; AMP(azeros, azero, WP, 7) }
  { nop ; AMP(azeros, a2, azeros, 0) }
  { ld64step $WX, $mzero, $INPUT+=, 1 ; AMP(azeros, a3, azeros, 1) }
  { nop ; AMP(azeros, a2, azeros, 2) }
  { ld64step $WX, $mzero, $INPUT+=, 1 ; AMP(azeros, a3, azeros, 3) }
  { nop ; AMP(azeros, a2, azeros, 4) }
  { ld64step $WX, $mzero, $INPUT+=, 1 ; AMP(azeros, a3, azeros, 5) }
  { nop ; AMP(azeros, a2, azeros, 6) }
  { nop ; AMP(azeros, a3, azeros, 7) }
  { nop ; AMP(Y, azero, azeros, 0) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azero, azeros, 1) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azero, azeros, 2) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azero, azeros, 3) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azero, azeros, 4) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azero, azeros, 5) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azero, azeros, 6) }
  { st64step $Y, $mzero, $RESULTS+=, 1 ; AMP(Y, azero, azeros, 7) }
  st64step $Y, $mzero, $RESULTS+=, 1
  bri .Lnextwide
#undef AMP
END_FUNCTION __populus_conv_matrix_float_wide
#endif

/* The supervisor: registers, and its loops over taps, blocks of output channels
 * and of input channels. It waits for results that it uses within six cycles, so
 * chains of instructions are mixed.
 */
#define SEGMENTS_OF_TAP m1
#define TAPS_LEFT m2
#define BLOCKS_LEFT m3
#define IN_LEFT m4
#define TEMP m5
#define BLOCK_IN m6
#define BLOCK_OUT m7
#define STEP m8
#define NEXT_STEP m9

/* Passes after the first one read their results as partial sums. Where only those
 * move, the input stays: its step is in the lowest ten bits.
 */
#define STEP_OF_INPUT 0x3ff
.macro SET_OTHERS
  ld32 $TEMP, $m0, $mzero, STEPS_OF_OTHERS
  st32 $mzero, $m0, $mzero, PASS_PARTIALS
  st32 $TEMP, $m0, $mzero, PASS_STEPS
  andc $TEMP, $TEMP, STEP_OF_INPUT
  st32 $TEMP, $m0, $mzero, PASS_STEPS_OF_PARTIALS
.endm

/* A block of input channels. */
.macro PASS WORKER_NAME, LOAD_WEIGHTS
  setzi $TEMP, \WORKER_NAME
  st32 $BLOCK_IN, $m0, $mzero, PASS_IN
  \LOAD_WEIGHTS
  runall $TEMP, $m0, 0
  // Where two blocks make a group there is an even number of them.
  and $TEMP, $IN_LEFT, 1
  shl $TEMP, $TEMP, 2
  ld32 $TEMP, $m0, $TEMP, IN_STEP_EVEN
  add $BLOCK_IN, $BLOCK_IN, $TEMP
  add $IN_LEFT, $IN_LEFT, -1
  sync TEXCH_SYNCZONE_LOCAL
.endm

/* \INIT_SHIFT is the binary logarithm of the bytes of a block's initial values, or
 * negative where there are none and the results are added to.
 */
.macro SUPERVISOR NAME, WORKER_NAME, INIT_SHIFT, LOAD_WEIGHTS
FUNCTION \NAME
.supervisor
DEF_STACK_USAGE 0 \NAME
\NAME:
  ld32 $TEMP, $m0, $mzero, WEIGHTS
  ld32 $SEGMENTS_OF_TAP, $m0, $mzero, SEGMENTS
  ld32 $TAPS_LEFT, $m0, $mzero, TAPS
  put $CCCSLOAD, $TEMP
.Ltap\@:
  st32 $SEGMENTS_OF_TAP, $m0, $mzero, PASS_SEGMENTS
  ld32 $BLOCKS_LEFT, $m0, $mzero, BLOCKS
  ld32 $BLOCK_OUT, $m0, $mzero, OUT
  ld32 $STEP, $m0, $mzero, BLOCK_STEP_EVEN
  ld32 $NEXT_STEP, $m0, $mzero, BLOCK_STEP_ODD
.Lblock\@:
.if \INIT_SHIFT < 0
  st32 $BLOCK_OUT, $m0, $mzero, PASS_OUT
  ld32 $BLOCK_IN, $m0, $mzero, IN
.else
  ld32 $TEMP, $m0, $mzero, TAPS
  st32 $BLOCK_OUT, $m0, $mzero, PASS_OUT
  ld32 $BLOCK_IN, $m0, $mzero, IN
  ld32 $IN_LEFT, $m0, $mzero, STEPS_OF_FIRST
  // The first pass over a block begins with its initial values.
  cmpeq $TEMP, $TEMP, $TAPS_LEFT
  brz $TEMP, .Lothers\@
  ld32 $TEMP, $m0, $mzero, BLOCKS
  st32 $IN_LEFT, $m0, $mzero, PASS_STEPS
  andc $IN_LEFT, $IN_LEFT, STEP_OF_INPUT
  sub $TEMP, $TEMP, $BLOCKS_LEFT
  st32 $IN_LEFT, $m0, $mzero, PASS_STEPS_OF_PARTIALS
  ld32 $IN_LEFT, $m0, $mzero, INIT
  shl $TEMP, $TEMP, \INIT_SHIFT
  add $TEMP, $TEMP, $IN_LEFT
  ld32 $IN_LEFT, $m0, $mzero, IN_BLOCKS
  st32 $TEMP, $m0, $mzero, PASS_PARTIALS
  PASS \WORKER_NAME, \LOAD_WEIGHTS
  brz $IN_LEFT, .Lblockdone\@
  SET_OTHERS
  bri .Lpass\@
.endif
.Lothers\@:
  ld32 $IN_LEFT, $m0, $mzero, IN_BLOCKS
  SET_OTHERS
.Lpass\@:
  PASS \WORKER_NAME, \LOAD_WEIGHTS
  brnz $IN_LEFT, .Lpass\@
.Lblockdone\@:
  add $BLOCKS_LEFT, $BLOCKS_LEFT, -1
  add $BLOCK_OUT, $BLOCK_OUT, $STEP
  mov $TEMP, $STEP
  mov $STEP, $NEXT_STEP
  mov $NEXT_STEP, $TEMP
  brnz $BLOCKS_LEFT, .Lblock\@
  add $TAPS_LEFT, $TAPS_LEFT, -1
  add $SEGMENTS_OF_TAP, $SEGMENTS_OF_TAP, BYTES_OF_TAP
  brnz $TAPS_LEFT, .Ltap\@
  br $lr
END_FUNCTION \NAME
.endm

.macro LOAD_EIGHT BASE
.irp ENTRY, 0, 2, 4, 6
  ld128putcs \BASE + \ENTRY
.endr
.endm
.macro ONE_SET
.irp BASE, 0, 8, 16, 24
  LOAD_EIGHT \BASE
.endr
.endm
/* Pairs of output channels go to the sets in turns. */
.macro TWO_SETS
.irp BASE, 0, 32, 8, 40, 16, 48, 24, 56
  LOAD_EIGHT \BASE
.endr
.endm

SUPERVISOR __runCodelet_poplin__ConvMatrix___half_float_8, __populus_conv_matrix_half, 5, ONE_SET
SUPERVISOR __runCodelet_poplin__ConvMatrix___float_float_8, __populus_conv_matrix_float, 5, ONE_SET
SUPERVISOR __runCodelet_poplin__ConvMatrixAdd___half_float_8, __populus_conv_matrix_half, -1, ONE_SET
SUPERVISOR __runCodelet_poplin__ConvMatrixAdd___float_float_8, __populus_conv_matrix_float, -1, ONE_SET
#if __IPU_ARCH_VERSION__ != 1
SUPERVISOR __runCodelet_poplin__ConvMatrix___half_half_16, __populus_conv_matrix_half_sums, 5, TWO_SETS
SUPERVISOR __runCodelet_poplin__ConvMatrix___float_float_16, __populus_conv_matrix_float_wide, 6, TWO_SETS
SUPERVISOR __runCodelet_poplin__ConvMatrixAdd___half_half_16, __populus_conv_matrix_half_sums, -1, TWO_SETS
SUPERVISOR __runCodelet_poplin__ConvMatrixAdd___float_float_16, __populus_conv_matrix_float_wide, -1, TWO_SETS
#endif
#endif
