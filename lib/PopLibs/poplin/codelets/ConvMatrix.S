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
#define STARTS 4
#define SEGMENTS 5
#define IN_GROUPS 6
#define BLOCKS 7
#define TAPS 8
#define IN_GROUP_BYTES 9
#define BLOCK_STEP_EVEN 10
#define BLOCK_STEP_ODD 11
#define STEPS_OF_FIRST 12
#define STEPS_OF_OTHERS 13
#define PASS_IN 14
#define PASS_OUT 15
#define PASS_PARTIALS 16
#define PASS_STEPS 17
#define PASS_STARTS 18
#define PASS_MASK 19

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
#define ADDRESSES_LOW m0
#define SEGMENT m2
#define SEGMENTS_LEFT m3
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

/* The part of a worker that is the same for all types: its segments of the
 * pass, and for each the addresses. Goes on at .Lsingle and .Lmany with them,
 * and is come back to at .Lnext.
 */
.macro WORKER NAME
  uput $FP_CLR, $a0
  get $m0, $WSR
  and $m0, $m0, CSR_W_WSR__CTXTID_M1__MASK
  shl $m0, $m0, 1
  ld32 $m1, $STATE, $mzero, PASS_STARTS
  ldz16 $m6, $m1, $m0, 0
  ldz16 $SEGMENTS_LEFT, $m1, $m0, 1
  sub $SEGMENTS_LEFT, $SEGMENTS_LEFT, $m6
  brz $SEGMENTS_LEFT, .Ldone\NAME
  mul $m6, $m6, 6
  ld32 $SEGMENT, $STATE, $mzero, SEGMENTS
  add $SEGMENT, $SEGMENT, $m6
  ld32 $STEPS, $STATE, $mzero, PASS_STEPS
  setzi $STEPS_OF_PARTIALS, 0xffc00
  and $STEPS_OF_PARTIALS, $STEPS_OF_PARTIALS, $STEPS
.Lsegment\NAME:
  ldz16step $INPUT, $mzero, $SEGMENT+=, 1
  ldz16step $RESULTS, $mzero, $SEGMENT+=, 1
  ldz16step $COUNT, $mzero, $SEGMENT+=, 1
  shl $INPUT, $INPUT, 5
  ld32 $m1, $STATE, $mzero, PASS_IN
  add $INPUT, $INPUT, $m1
  shl $RESULTS, $RESULTS, 5
  ld32 $m1, $STATE, $mzero, PASS_MASK
  and $PARTIALS, $RESULTS, $m1
  ld32 $m1, $STATE, $mzero, PASS_PARTIALS
  add $PARTIALS, $PARTIALS, $m1
  ld32 $m1, $STATE, $mzero, PASS_OUT
  add $RESULTS, $RESULTS, $m1
  add $COUNT, $COUNT, -3
  brneg $COUNT, .Lsingle\NAME
  tapack $ADDRESSES, $INPUT, $PARTIALS, $RESULTS
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

FUNCTION __populus_conv_matrix_half
.worker
DEF_STACK_USAGE 0 __populus_conv_matrix_half
__populus_conv_matrix_half:
  setzi $a0, 1 << CSR_W_FP_CLR__ZAACC__SHIFT
  WORKER half
#define AMP(RESULT, DATA, SUMS, PHASE)                                         \
  f16v4sisoamp $RESULT, $DATA, $SUMS, TAMP_F16V4_E4_P##PHASE
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
.Llasthalf:
  st64pace $Y, $ADDRESSES+=, $STEPS, STORE_NEXT
.Lnexthalf:
  add $SEGMENTS_LEFT, $SEGMENTS_LEFT, -1
  brnz $SEGMENTS_LEFT, .Lsegmenthalf
.Ldonehalf:
  exitz $mzero
.Lsinglehalf:
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
  bri .Lnexthalf
#undef AMP
END_FUNCTION __populus_conv_matrix_half

FUNCTION __populus_conv_matrix_float
.worker
DEF_STACK_USAGE 0 __populus_conv_matrix_float
__populus_conv_matrix_float:
  setzi $a0, 1 << CSR_W_FP_CLR__ZAACC__SHIFT
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
.Lnextfloat:
  add $SEGMENTS_LEFT, $SEGMENTS_LEFT, -1
  brnz $SEGMENTS_LEFT, .Lsegmentfloat
.Ldonefloat:
  exitz $mzero
.Lsinglefloat:
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

/* The supervisor: registers, and its loops over taps, blocks of output channels
 * and groups of input channels.
 */
#define STARTS_OF_TAP m1
#define TAPS_LEFT m2
#define BLOCKS_LEFT m3
#define GROUPS_LEFT m4
#define TEMP m5
#define GROUP_INPUT m6
#define BLOCK_OUT m7
#define STEP m8
#define NEXT_STEP m9

.macro SUPERVISOR NAME, WORKER_NAME
FUNCTION \NAME
.supervisor
DEF_STACK_USAGE 0 \NAME
\NAME:
  ld32 $TEMP, $m0, $mzero, WEIGHTS
  put $CCCSLOAD, $TEMP
  ld32 $STARTS_OF_TAP, $m0, $mzero, STARTS
  ld32 $TAPS_LEFT, $m0, $mzero, TAPS
.Ltap\@:
  st32 $STARTS_OF_TAP, $m0, $mzero, PASS_STARTS
  ld32 $BLOCKS_LEFT, $m0, $mzero, BLOCKS
  ld32 $BLOCK_OUT, $m0, $mzero, OUT
  ld32 $STEP, $m0, $mzero, BLOCK_STEP_EVEN
  ld32 $NEXT_STEP, $m0, $mzero, BLOCK_STEP_ODD
.Lblock\@:
  st32 $BLOCK_OUT, $m0, $mzero, PASS_OUT
  ld32 $GROUP_INPUT, $m0, $mzero, IN
  // The first pass over a block begins with its initial values.
  ld32 $TEMP, $m0, $mzero, TAPS
  cmpeq $TEMP, $TEMP, $TAPS_LEFT
  brz $TEMP, .Lothers\@
  ld32 $TEMP, $m0, $mzero, BLOCKS
  sub $TEMP, $TEMP, $BLOCKS_LEFT
  shl $TEMP, $TEMP, 5
  ld32 $GROUPS_LEFT, $m0, $mzero, INIT
  add $TEMP, $TEMP, $GROUPS_LEFT
  st32 $TEMP, $m0, $mzero, PASS_PARTIALS
  ld32 $TEMP, $m0, $mzero, STEPS_OF_FIRST
  st32 $TEMP, $m0, $mzero, PASS_STEPS
  st32 $mzero, $m0, $mzero, PASS_MASK
  ld32 $GROUPS_LEFT, $m0, $mzero, IN_GROUPS
  bri .Lgroup\@
.Lothers\@:
  ld32 $GROUPS_LEFT, $m0, $mzero, IN_GROUPS
.Lother\@:
  st32 $BLOCK_OUT, $m0, $mzero, PASS_PARTIALS
  ld32 $TEMP, $m0, $mzero, STEPS_OF_OTHERS
  st32 $TEMP, $m0, $mzero, PASS_STEPS
  add $TEMP, $mzero, -1
  st32 $TEMP, $m0, $mzero, PASS_MASK
.Lgroup\@:
  st32 $GROUP_INPUT, $m0, $mzero, PASS_IN
  LOAD_WEIGHTS
  setzi $TEMP, \WORKER_NAME
  runall $TEMP, $m0, 0
  ld32 $TEMP, $m0, $mzero, IN_GROUP_BYTES
  add $GROUP_INPUT, $GROUP_INPUT, $TEMP
  add $GROUPS_LEFT, $GROUPS_LEFT, -1
  sync TEXCH_SYNCZONE_LOCAL
  brnz $GROUPS_LEFT, .Lother\@
  add $BLOCK_OUT, $BLOCK_OUT, $STEP
  mov $TEMP, $STEP
  mov $STEP, $NEXT_STEP
  mov $NEXT_STEP, $TEMP
  add $BLOCKS_LEFT, $BLOCKS_LEFT, -1
  brnz $BLOCKS_LEFT, .Lblock\@
  add $STARTS_OF_TAP, $STARTS_OF_TAP, 12
  add $TAPS_LEFT, $TAPS_LEFT, -1
  brnz $TAPS_LEFT, .Ltap\@
  br $lr
END_FUNCTION \NAME
.endm

.macro LOAD_WEIGHTS
  ld64putcs 0
  ld64putcs 1
  ld64putcs 2
  ld64putcs 3
  ld64putcs 4
  ld64putcs 5
  ld64putcs 6
  ld64putcs 7
  ld64putcs 8
  ld64putcs 9
  ld64putcs 10
  ld64putcs 11
  ld64putcs 12
  ld64putcs 13
  ld64putcs 14
  ld64putcs 15
  ld64putcs 16
  ld64putcs 17
  ld64putcs 18
  ld64putcs 19
  ld64putcs 20
  ld64putcs 21
  ld64putcs 22
  ld64putcs 23
  ld64putcs 24
  ld64putcs 25
  ld64putcs 26
  ld64putcs 27
  ld64putcs 28
  ld64putcs 29
  ld64putcs 30
  ld64putcs 31
.endm

SUPERVISOR __runCodelet_poplin__ConvMatrix___half, __populus_conv_matrix_half
SUPERVISOR __runCodelet_poplin__ConvMatrix___float, __populus_conv_matrix_float
#endif
