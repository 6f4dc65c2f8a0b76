/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Immediate operands and memory of the tile for assembly. C and C++ have the
 * same names and numbers in TileConstants.hpp, which includes this file.
 */

#ifndef POPLAR_TILEMACROS_HPP
#define POPLAR_TILEMACROS_HPP

/* Memory. */
#if __IPU_ARCH_VERSION__ == 1
#define TMEM_REGION0_BASE_ADDR 0x60000
#define TMEM_REGION0_SIZE 0x20000
#define TMEM_REGION1_SIZE 0x20000
#else
#define TMEM_REGION0_BASE_ADDR 0x4c000
#define TMEM_REGION0_SIZE 0x34000
#define TMEM_REGION1_SIZE 0x68000
#endif
#define TMEM_REGION1_BASE_ADDR 0x80000
#define TMEM_BASE_ADDR TMEM_REGION0_BASE_ADDR
#define TMEM_SIZE (TMEM_REGION0_SIZE + TMEM_REGION1_SIZE)
#define TMEM_ELEMSIZE 0x4000
#define TMEM_ATOM_SIZE 8
#define TMEM_FULL_ADDRESS_MASK 0x1fffff
#define TMEM_BYTE_MAX_ADDRESS_WIDTH 21

/* Immediates of floating-point instructions. */
#define TFPU_ROUND_NEAREST 0
#define TFPU_ROUND_UP 1
#define TFPU_ROUND_DOWN 2
#define TFPU_ROUND_ZERO 3

/* Immediates of instructions on accumulators. */
#define TSTACC_P0 0
#define TSTACC_P1 1
#define TISTACC_P0 0
#define TISTACC_P1 1

/* Immediates of the matrix unit: engines (E4, E2 or E1, of two units each) and
 * phase. */
#define TAMP_F16V4_E4_P0 0
#define TAMP_F16V4_E4_P1 1
#define TAMP_F16V4_E4_P2 2
#define TAMP_F16V4_E4_P3 3
#define TAMP_F16V4_E2_P0 8
#define TAMP_F16V4_E2_P1 9
#define TAMP_F16V4_E2_P2 10
#define TAMP_F16V4_E2_P3 11
#define TAMP_F16V4_E1_P0 16
#define TAMP_F16V4_E1_P1 17
#define TAMP_F16V4_E1_P2 18
#define TAMP_F16V4_E1_P3 19
#define TAMP_F32_E4_P0 0
#define TAMP_F32_E4_P1 1
#define TAMP_F32_E4_P2 2
#define TAMP_F32_E4_P3 3
#define TAMP_F32_E4_P4 4
#define TAMP_F32_E4_P5 5
#define TAMP_F32_E4_P6 6
#define TAMP_F32_E4_P7 7
#define TAMP_F32_E2_P0 8
#define TAMP_F32_E2_P1 9
#define TAMP_F32_E2_P2 10
#define TAMP_F32_E2_P3 11
#define TAMP_F32_E2_P4 12
#define TAMP_F32_E2_P5 13
#define TAMP_F32_E2_P6 14
#define TAMP_F32_E2_P7 15
#define TAMP_F32_E1_P0 16
#define TAMP_F32_E1_P1 17
#define TAMP_F32_E1_P2 18
#define TAMP_F32_E1_P3 19
#define TAMP_F32_E1_P4 20
#define TAMP_F32_E1_P5 21
#define TAMP_F32_E1_P6 22
#define TAMP_F32_E1_P7 23

/* Immediates of the slim convolution unit: taps, window, and in f32 the word of
 * the input pair. */
#define TSLIC_F16V4_1x4_W0 0
#define TSLIC_F16V4_1x4_W1 1
#define TSLIC_F16V4_1x4_W2 2
#define TSLIC_F16V4_1x4_W3 3
#define TSLIC_F16V4_1x3_W0 4
#define TSLIC_F16V4_1x3_W1 5
#define TSLIC_F16V4_1x3_W2 6
#define TSLIC_F16V4_1x3_W3 7
#define TSLIC_F32_1x4_W0_P0 0
#define TSLIC_F32_1x4_W0_P1 8
#define TSLIC_F32_1x4_W1_P0 1
#define TSLIC_F32_1x4_W1_P1 9
#define TSLIC_F32_1x4_W2_P0 2
#define TSLIC_F32_1x4_W2_P1 10
#define TSLIC_F32_1x4_W3_P0 3
#define TSLIC_F32_1x4_W3_P1 11
#define TSLIC_F32_1x3_W0_P0 4
#define TSLIC_F32_1x3_W0_P1 12
#define TSLIC_F32_1x3_W1_P0 5
#define TSLIC_F32_1x3_W1_P1 13
#define TSLIC_F32_1x3_W2_P0 6
#define TSLIC_F32_1x3_W2_P1 14
#define TSLIC_F32_1x3_W3_P0 7
#define TSLIC_F32_1x3_W3_P1 15

#endif
