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

/* Halfwords of a segment. */
#define SEGMENT_INPUT 0
#define SEGMENT_RESULTS 1
#define SEGMENT_COUNT 2
#define SEGMENT_NEXT 3
/* Halfwords and words of the details of a run. */
#define RUN_COUNT 0
#define RUN_ROWS 1
#define RUN_COUNT_OF_ROW 2
#define RUN_COUNT_OF_LAST 3
#define RUN_GAP_OF_SUMS 2
#define RUN_GAP_OF_INPUT 3
/* The binary logarithm of a segment's bytes, and the bytes of a tap. */
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

/* Registers of workers. They keep their values from pass to pass: those of the
 * first segment of a tap are loaded once, and RESULTS is its address in the block
 * of output channels; those of further ones are not kept.
 */
#define ADDRESSES m0:1
#define NEXT m2
#define FIRST m3
#define STEPS m4
#define STEPS_OF_PARTIALS m5
#define INPUT m6
#define RESULTS m7
#define PARTIALS m8
#define COUNT m9
#define INPUT_OFFSET m10
#define RESULTS_OFFSET m11
/* In a run of rows; steps over the gap between them. */
#define STEPS_OF_SUMS m6
#define STEPS_OF_INPUT m7
#define ROWS m8
#define COUNT_OF_ROW m10
#define COUNT_OF_LAST m11
#define STATE mvertex_base

#define X a0:1
#define P a2:3
#define XP a0:3
#define Y a4:5

/* What is kept of a worker's first segment. */
.macro FIRST_SEGMENT
  ldz16 $INPUT_OFFSET, $FIRST, $mzero, SEGMENT_INPUT
  ldz16 $RESULTS_OFFSET, $FIRST, $mzero, SEGMENT_RESULTS
  lds16 $COUNT, $FIRST, $mzero, SEGMENT_COUNT
  lds16 $NEXT, $FIRST, $mzero, SEGMENT_NEXT
  shl $INPUT_OFFSET, $INPUT_OFFSET, 5
  shl $RESULTS_OFFSET, $RESULTS_OFFSET, 5
.endm

/* A worker's addresses of its first segment in the pass. */
.macro FIRST_INPUT
  { ld32 $m0, $STATE, $mzero, PASS_IN ; setzi $a0, 1 << CSR_W_FP_CLR__ZAACC__SHIFT }
  { add $INPUT, $INPUT_OFFSET, $m0 ; uput $FP_CLR, $a0 }
.endm
.macro FIRST_RESULTS
  ld32 $m0, $STATE, $mzero, PASS_OUT
  add $RESULTS, $RESULTS_OFFSET, $m0
.endm

/* The part of a worker that is the same for all types. It begins at NAME with the
 * first pass of a tap, at NAME_steps where only steps and partial sums are others
 * than in the pass before, at NAME_block where only the results are, and else at
 * NAME_again. Goes on at .Lfew or behind it
 * with addresses, that of \LOW first, and three positions less than the segment has.
 * Again partial sums are the results.
 */
.macro WORKER NAME, LOW=INPUT, HIGH=PARTIALS, LOW_AGAIN=INPUT, HIGH_AGAIN=RESULTS
  get $m0, $WSR
  and $m0, $m0, CSR_W_WSR__CTXTID_M1__MASK
  shl $m0, $m0, SEGMENT_SHIFT
  ld32 $FIRST, $STATE, $mzero, PASS_SEGMENTS
  add $FIRST, $FIRST, $m0
  FIRST_SEGMENT
.globl __populus_conv_matrix_\NAME\()_steps
__populus_conv_matrix_\NAME\()_steps:
  ld32 $STEPS, $STATE, $mzero, PASS_STEPS
  ld32 $STEPS_OF_PARTIALS, $STATE, $mzero, PASS_STEPS_OF_PARTIALS
  FIRST_INPUT
  FIRST_RESULTS
.Lpartials\NAME:
  ld32 $PARTIALS, $STATE, $mzero, PASS_PARTIALS
  movz $PARTIALS, $PARTIALS, $RESULTS
  brneg $COUNT, .Lfew\NAME
  tapack $ADDRESSES, $\LOW, $\HIGH, $RESULTS
  bri .Lbegin\NAME
.Lmore\NAME:
  brneg $NEXT, .Lback\NAME
  shl $m1, $NEXT, SEGMENT_SHIFT
  add $m1, $m1, $FIRST
  ldz16 $INPUT, $m1, $mzero, SEGMENT_INPUT
  ldz16 $RESULTS, $m1, $mzero, SEGMENT_RESULTS
  lds16 $COUNT, $m1, $mzero, SEGMENT_COUNT
  lds16 $NEXT, $m1, $mzero, SEGMENT_NEXT
  shl $INPUT, $INPUT, 5
  ld32 $m0, $STATE, $mzero, PASS_IN
  add $INPUT, $INPUT, $m0
  shl $RESULTS, $RESULTS, 5
  ld32 $m0, $STATE, $mzero, PASS_OUT
  add $RESULTS, $RESULTS, $m0
  bri .Lpartials\NAME
.Lback\NAME:
  FIRST_SEGMENT
  FIRST_RESULTS
  exitz $mzero
.globl __populus_conv_matrix_\NAME\()_block
__populus_conv_matrix_\NAME\()_block:
  FIRST_RESULTS
.globl __populus_conv_matrix_\NAME\()_again
__populus_conv_matrix_\NAME\()_again:
  FIRST_INPUT
  brneg $COUNT, .Lfewagain\NAME
  tapack $ADDRESSES, $\LOW_AGAIN, $\HIGH_AGAIN, $RESULTS
.Lbegin\NAME:
.endm

/* The end of a segment: on to the one that it names, if any. After the last of
 * several the first one is loaded, for the next pass. What follows leaves RESULTS as
 * it is, for there may be no other segment.
 */
.macro NEXT_SEGMENT NAME
.Lnext\NAME:
  brnz $NEXT, .Lmore\NAME
.Lnone\NAME:
  exitz $mzero
.Lfewagain\NAME:
  mov $PARTIALS, $RESULTS
.Lfew\NAME:
  add $m0, $COUNT, 3
  brz $m0, .Lnone\NAME
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

#define AMP(RESULT, DATA, SUMS, PHASE)                                         \
  \MNEMONIC $RESULT, $DATA, $SUMS, TAMP_F16V4_E4_P##PHASE
/* Fills the unit: of the first position partial sums and input go in. */
.macro HALF_FILL MNEMONIC
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
.endm

/* Another position goes in, and the one before comes out: of the input and of the
 * partial sums the next one is found by \LOAD, of the results by \STORE.
 */
.macro HALF_POSITION MNEMONIC, LOAD=STEPS, STORE=STEPS
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; AMP(Y, X, P, 1) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $\LOAD, MOVE_LOAD_WRAP ; AMP(Y, X, P, 2) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $STEPS, MOVE_NEXT ; AMP(Y, X, P, 3) }
  { ld2xst64pace $XP, $Y, $ADDRESSES+=, $\STORE, MOVE_STORE_WRAP ; AMP(Y, X, P, 0) }
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
  HALF_FILL \MNEMONIC
  .align 8
.Lloop\NAME:
  { rpt $COUNT, (2f - 1f) / 8 - 1 ; fnop }
1:
  HALF_POSITION \MNEMONIC
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
  brneg $m0, .Lrun\NAME
  // A single position.
  ld64step $P, $mzero, $PARTIALS+=, 1
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azeros, P, 0) }
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azeros, P, 1) }
  { ld64step $P, $mzero, $PARTIALS+=, 1 ; AMP(azeros, azeros, P, 2) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; AMP(azeros, azeros, P, 3) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; AMP(azeros, X, azeros, 0) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; AMP(azeros, X, azeros, 1) }
  { ld64step $X, $mzero, $INPUT+=, 1 ; AMP(azeros, X, azeros, 2) }
  { mov $m1, $RESULTS ; AMP(azeros, X, azeros, 3) }
  { nop ; AMP(Y, azeros, azeros, 0) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azeros, azeros, 1) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azeros, azeros, 2) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azeros, azeros, 3) }
  st64step $Y, $mzero, $m1+=, 1
  bri .Lnext\NAME
  // A run of rows. Partial sums are two positions ahead of the results, and the
  // input is one, so the last two positions of a row and the first of the next one
  // step over the gap.
.Lrun\NAME:
  shl $m0, $m0, SEGMENT_SHIFT
  sub $m1, $FIRST, $m0
  ldz16 $COUNT, $m1, $mzero, RUN_COUNT
  ldz16 $COUNT_OF_ROW, $m1, $mzero, RUN_COUNT_OF_ROW
  mov $COUNT_OF_LAST, $m1
  tapack $ADDRESSES, $INPUT, $PARTIALS, $RESULTS
  ld32 $STEPS_OF_SUMS, $COUNT_OF_LAST, $mzero, RUN_GAP_OF_SUMS
  add $STEPS_OF_SUMS, $STEPS_OF_SUMS, $STEPS
  ld32 $STEPS_OF_INPUT, $COUNT_OF_LAST, $mzero, RUN_GAP_OF_INPUT
  add $STEPS_OF_INPUT, $STEPS_OF_INPUT, $STEPS
  ldz16 $ROWS, $COUNT_OF_LAST, $mzero, RUN_ROWS
  ldz16 $COUNT_OF_LAST, $COUNT_OF_LAST, $mzero, RUN_COUNT_OF_LAST
  HALF_FILL \MNEMONIC
  .align 8
.Lrow\NAME:
  { rpt $COUNT, (2f - 1f) / 8 - 1 ; fnop }
1:
  HALF_POSITION \MNEMONIC
2:
  HALF_POSITION \MNEMONIC, LOAD=STEPS_OF_SUMS
  HALF_POSITION \MNEMONIC, LOAD=STEPS_OF_INPUT
  HALF_POSITION \MNEMONIC, STORE=STEPS_OF_SUMS
  mov $COUNT, $COUNT_OF_ROW
  brnzdec $ROWS, .Lrow\NAME
  mov $COUNT, $COUNT_OF_LAST
  bri .Lloop\NAME
END_FUNCTION __populus_conv_matrix_\NAME
.endm
HALF_WORKER half, f16v4sisoamp
#if __IPU_ARCH_VERSION__ != 1
HALF_WORKER half_sums, f16v4hihov4amp
#endif
#undef AMP

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
  { mov $m1, $RESULTS ; SECOND(7) }
  { nop ; FIRST(Y, azero, azeros, 0) }
  { st64step $Y, $mzero, $m1+=, 1 ; FIRST(Y, azero, azeros, 2) }
  { st64step $Y, $mzero, $m1+=, 1 ; FIRST(Y, azero, azeros, 4) }
  { st64step $Y, $mzero, $m1+=, 1 ; FIRST(Y, azero, azeros, 6) }
  st64step $Y, $mzero, $m1+=, 1
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
  WORKER float_wide, PARTIALS, INPUT, RESULTS, INPUT
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
  NEXT_SEGMENT float_wide
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
  { mov $m1, $RESULTS ; AMP(azeros, a3, azeros, 7) }
  { nop ; AMP(Y, azero, azeros, 0) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azero, azeros, 1) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azero, azeros, 2) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azero, azeros, 3) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azero, azeros, 4) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azero, azeros, 5) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azero, azeros, 6) }
  { st64step $Y, $mzero, $m1+=, 1 ; AMP(Y, azero, azeros, 7) }
  st64step $Y, $mzero, $m1+=, 1
  bri .Lnextfloat_wide
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

/* A block of input channels. TEMP is where workers begin. */
.macro PASS LOAD_WEIGHTS
  st32 $BLOCK_IN, $m0, $mzero, PASS_IN
.irp QUARTER, 0, 1, 2, 3
  \LOAD_WEIGHTS \QUARTER
.endr
  runall $TEMP, $m0, 0
  // If two blocks form a group, the number of blocks is even.
  and $TEMP, $IN_LEFT, 1
  shl $TEMP, $TEMP, 2
  ld32 $TEMP, $m0, $TEMP, IN_STEP_EVEN
  add $BLOCK_IN, $BLOCK_IN, $TEMP
  add $IN_LEFT, $IN_LEFT, -1
  sync TEXCH_SYNCZONE_LOCAL
.endm

/* One where workers begin again: the place of the next block is found while the
 * weights are loaded.
 */
.macro PASS_AGAIN WORKER_NAME, LOAD_WEIGHTS
  st32 $BLOCK_IN, $m0, $mzero, PASS_IN
  and $TEMP, $IN_LEFT, 1
  \LOAD_WEIGHTS 0
  shl $TEMP, $TEMP, 2
  \LOAD_WEIGHTS 1
  ld32 $TEMP, $m0, $TEMP, IN_STEP_EVEN
  \LOAD_WEIGHTS 2
  add $BLOCK_IN, $BLOCK_IN, $TEMP
  setzi $TEMP, \WORKER_NAME\()_again
  add $IN_LEFT, $IN_LEFT, -1
  \LOAD_WEIGHTS 3
  runall $TEMP, $m0, 0
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
  ld32 $IN_LEFT, $m0, $mzero, STEPS_OF_FIRST
  // The first pass over a block begins with its initial values.
  cmpeq $TEMP, $TEMP, $TAPS_LEFT
  ld32 $BLOCK_IN, $m0, $mzero, IN
  brz $TEMP, .Lothers\@
  ld32 $TEMP, $m0, $mzero, BLOCKS
  st32 $IN_LEFT, $m0, $mzero, PASS_STEPS
  andc $IN_LEFT, $IN_LEFT, STEP_OF_INPUT
  sub $TEMP, $TEMP, $BLOCKS_LEFT
  st32 $IN_LEFT, $m0, $mzero, PASS_STEPS_OF_PARTIALS
  ld32 $IN_LEFT, $m0, $mzero, INIT
  shl $BLOCK_IN, $TEMP, \INIT_SHIFT
  add $BLOCK_IN, $BLOCK_IN, $IN_LEFT
  st32 $BLOCK_IN, $m0, $mzero, PASS_PARTIALS
  setzi $IN_LEFT, \WORKER_NAME\()_steps
  setzi $BLOCK_IN, \WORKER_NAME
  movz $IN_LEFT, $TEMP, $BLOCK_IN
  ld32 $BLOCK_IN, $m0, $mzero, IN
  mov $TEMP, $IN_LEFT
  ld32 $IN_LEFT, $m0, $mzero, IN_BLOCKS
  PASS \LOAD_WEIGHTS
  brz $IN_LEFT, .Lblockdone\@
  SET_OTHERS
  setzi $TEMP, \WORKER_NAME\()_steps
  bri .Lfirst\@
.endif
.Lothers\@:
  ld32 $TEMP, $m0, $mzero, BLOCKS
  ld32 $IN_LEFT, $m0, $mzero, IN_BLOCKS
  cmpeq $TEMP, $TEMP, $BLOCKS_LEFT
  brz $TEMP, .Lsametap\@
  SET_OTHERS
  setzi $TEMP, \WORKER_NAME
  bri .Lfirst\@
.Lsametap\@:
  setzi $TEMP, \WORKER_NAME\()_block
.Lfirst\@:
  PASS \LOAD_WEIGHTS
  brz $IN_LEFT, .Lblockdone\@
.Lpass\@:
  PASS_AGAIN \WORKER_NAME, \LOAD_WEIGHTS
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
/* A quarter of the weights. */
.macro ONE_SET QUARTER
  LOAD_EIGHT 8 * \QUARTER
.endm
/* Pairs of output channels go to the sets in turns. */
.macro TWO_SETS QUARTER
  LOAD_EIGHT 8 * \QUARTER
  LOAD_EIGHT 8 * \QUARTER + 32
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
