/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * poplin::ReduceAddVector and ReduceAddHalves of ReduceAdd.cpp for the IPU. Four
 * sums at a time, or eight of halves, are in the accumulators, which take as many
 * partial sums in each instruction; reading them leaves zeros. Sums of a single tile
 * are only converted, four in each instruction.
 */

#ifdef __IPU__
#include "poplar/StackSizeDefs.hpp"
#include "poplar/TileConstants.hpp"

/* Words of the vertex. */
#define PARTIALS 0
#define OUT 1
#define BLOCKS_LESS_ONE 2
#define DEPTH_LESS_ONE 3
#define STEP 4
#define STEP_BACK 5

#define STATE mvertex_base
#define ADDRESSES m0:1
#define LOW m0
#define HIGH m1
#define RESULTS m2
#define BLOCKS_LEFT m3
#define DEPTH m4
#define STEPS m5
#define BACK m6

/* Both addresses move by the step. */
#define BY_STEP 0b0101

/* Where sums of one tile are converted: loads move by 16 bytes, the store by 8. */
#define PLACES m8:9
#define SIXTEEN_BYTES 2
#define MOVE_LOADS 0b000101

/* BEGIN comes before the first block. END adds the last partial sums of a block, stores
 * the sums, and goes to the next BLOCK while there is one; MORE is a label for it.
 */
.macro REDUCE NAME, ACCUMULATE, BEGIN, END
.section .text.\NAME, "ax"
.globl \NAME
.type \NAME, @function
.align 8
.worker
DEF_STACK_USAGE 0 \NAME
\NAME:
  { ld32 $LOW, $STATE, $mzero, PARTIALS ; setzi $a0, 1 << CSR_W_FP_CLR__ZAACC__SHIFT }
  { ld32 $RESULTS, $STATE, $mzero, OUT ; uput $FP_CLR, $a0 }
  ld32 $BLOCKS_LEFT, $STATE, $mzero, BLOCKS_LESS_ONE
  ld32 $DEPTH, $STATE, $mzero, DEPTH_LESS_ONE
  ld32 $STEPS, $STATE, $mzero, STEP
  add $HIGH, $LOW, 8
  \BEGIN
.Lblock\@:
  ld2x64pace $a0:1, $a2:3, $ADDRESSES+=, $STEPS, BY_STEP
  .align 8
  { rpt $DEPTH, 0 ; fnop }
  { ld2x64pace $a0:1, $a2:3, $ADDRESSES+=, $STEPS, BY_STEP ; \ACCUMULATE $a0:3 }
  \END .Lblock\@, .Lmore\@
.size \NAME, . - \NAME
.endm

.macro NOTHING
.endm

.macro LOAD_BACK
  ld32 $BACK, $STATE, $mzero, STEP_BACK
.endm
.macro STORE_FLOATS BLOCK, MORE
  { add $LOW, $LOW, $BACK ; f32v4acc $a0:3 }
  { add $HIGH, $HIGH, $BACK ; f32v2gina $a4:5, $azeros, 0 }
  { st64step $a4:5, $mzero, $RESULTS+=, 1 ; f32v2gina $a6:7, $azeros, 0 }
  st64step $a6:7, $mzero, $RESULTS+=, 1
  brnzdec $BLOCKS_LEFT, \BLOCK
  exitz $mzero
.endm
REDUCE __runCodelet_poplin__ReduceAddVector___float_float, f32v4acc, LOAD_BACK, STORE_FLOATS

/* Conversions leave room for what moves the addresses, and for the branch. */
.macro TAKE_SUMS ACCUMULATE
  { ld32 $BACK, $STATE, $mzero, STEP_BACK ; \ACCUMULATE $a0:3 }
  { add $LOW, $LOW, $BACK ; f32v2gina $a4:5, $azeros, 0 }
  { add $HIGH, $HIGH, $BACK ; f32v2gina $a6:7, $azeros, 0 }
.endm
.macro STORE_LAST_HALVES BLOCK, MORE
  { brnzdec $BLOCKS_LEFT, \MORE ; f32v4tof16 $a4:5, $a4:7 }
  st64step $a4:5, $mzero, $RESULTS+=, 1
  exitz $mzero
\MORE:
  st64step $a4:5, $mzero, $RESULTS+=, 1
  bri \BLOCK
.endm

.macro STORE_HALVES BLOCK, MORE
  TAKE_SUMS f32v4acc
  STORE_LAST_HALVES \BLOCK, \MORE
.endm
/* While four sums are converted, the next ones are loaded and the last ones stored. */
.macro CONVERT
  brnz $DEPTH, .Lseveral
  setzi $STEPS, SIXTEEN_BYTES
  tapack $PLACES, $LOW, $HIGH, $RESULTS
  ld2x64pace $a0:1, $a2:3, $PLACES+=, $STEPS, BY_STEP
  brz $BLOCKS_LEFT, .Llast
  { ld2x64pace $a0:1, $a2:3, $PLACES+=, $STEPS, BY_STEP ; f32v4tof16 $a4:5, $a0:3 }
  add $BLOCKS_LEFT, $BLOCKS_LEFT, -1
  .align 8
  { rpt $BLOCKS_LEFT, 0 ; fnop }
  { ld2xst64pace $a0:3, $a4:5, $PLACES+=, $STEPS, MOVE_LOADS ; f32v4tof16 $a4:5, $a0:3 }
  st64pace $a4:5, $PLACES+=, $STEPS, 0
.Llast:
  { nop ; f32v4tof16 $a4:5, $a0:3 }
  st64pace $a4:5, $PLACES+=, $STEPS, 0
  exitz $mzero
.Lseveral:
.endm
REDUCE __runCodelet_poplin__ReduceAddVector___half_float, f32v4acc, CONVERT, STORE_HALVES

.macro STORE_EIGHT_HALVES BLOCK, MORE
  TAKE_SUMS f16v8acc
  { nop ; f32v4tof16 $a4:5, $a4:7 }
  { st64step $a4:5, $mzero, $RESULTS+=, 1 ; f32v2gina $a4:5, $azeros, 0 }
  { nop ; f32v2gina $a6:7, $azeros, 0 }
  STORE_LAST_HALVES \BLOCK, \MORE
.endm
REDUCE __runCodelet_poplin__ReduceAddHalves, f16v8acc, NOTHING, STORE_EIGHT_HALVES
#endif
