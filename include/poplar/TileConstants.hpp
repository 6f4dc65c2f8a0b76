/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The names that codelets, in C++ and in assembly, use for numbers of the tile:
 * control registers and their fields, immediate operands, memory. Assembly
 * includes this file too, so it holds macros only. The numbers are the
 * machine's (docs/machine.md).
 */

#ifndef POPLAR_TILECONSTANTS_HPP
#define POPLAR_TILECONSTANTS_HPP

/* Contexts. */
#define CTXT_WORKERS 6
#define CTXT_SUPERVISOR 0

/* Worker control registers, by get and put. */
#define CSR_W_PC__INDEX 0
#define CSR_W_WSR__INDEX 1
#define CSR_W_WSR__CTXTID_M1__MASK 7
#define CSR_W_WSR__CTXTID_M1__SHIFT 0
#define CSR_W_VERTEX_BASE__INDEX 2
#define CSR_W_WORKER_BASE__INDEX 3
#define CSR_W_REPEAT_COUNT__INDEX 4
#define CSR_W_REPEAT_COUNT__VALUE__MASK 0xffff
#define CSR_W_REPEAT_COUNT__VALUE__SHIFT 0
#define CSR_W_REPEAT_FIRST__INDEX 5
#define CSR_W_REPEAT_END__INDEX 6
#define CSR_W_TILE_ID__INDEX 98
#define CSR_C_COUNT_L__INDEX 96
#define CSR_C_COUNT_U__INDEX 97
#define CSR_C_DBG_DATA__INDEX 112
#define CSR_C_DBG_BRK_ID__INDEX 113

/* Worker control registers, by uget and uput: 256 and up, of which the
 * instruction takes the low eight bits. */
#define CSR_UPPER_MASK 0xff
#define CSR_W_FP_STS__INDEX 0x100
#define CSR_W_FP_CLR__INDEX 0x101
#define CSR_W_FP_CLR__INV__MASK 1
#define CSR_W_FP_CLR__INV__SHIFT 0
#define CSR_W_FP_CLR__DIV0__MASK 1
#define CSR_W_FP_CLR__DIV0__SHIFT 1
#define CSR_W_FP_CLR__OFLO__MASK 1
#define CSR_W_FP_CLR__OFLO__SHIFT 2
#define CSR_W_FP_CLR__ZAACC__MASK 1
#define CSR_W_FP_CLR__ZAACC__SHIFT 3
#define CSR_W_FP_CTL__INDEX 0x102
#define CSR_W_FP_CTL__INV__MASK 1
#define CSR_W_FP_CTL__INV__SHIFT 0
#define CSR_W_FP_CTL__DIV0__MASK 1
#define CSR_W_FP_CTL__DIV0__SHIFT 1
#define CSR_W_FP_CTL__OFLO__MASK 1
#define CSR_W_FP_CTL__OFLO__SHIFT 2
#define CSR_W_FP_CTL__ESR__MASK 1
#define CSR_W_FP_CTL__ESR__SHIFT 19
#define CSR_W_FP_CTL__NANOO__MASK 1
#define CSR_W_FP_CTL__NANOO__SHIFT 20
#define CSR_W_PRNG_0_0__INDEX 0x103
#define CSR_W_PRNG_0_1__INDEX 0x104
#define CSR_W_PRNG_1_0__INDEX 0x105
#define CSR_W_PRNG_1_1__INDEX 0x106
#define CSR_W_PRNG_SEED__INDEX 0x107
#define CSR_W_TAS__INDEX 0x108
#define CSR_W_FP_NFMT__INDEX 0x109
#define CSR_W_FP_SCL__INDEX 0x10a

/* Supervisor control registers. */
#define CSR_S_PC__INDEX 0
#define CSR_S_SSR__INDEX 1
#define CSR_S_CR__INDEX 2
#define CSR_S_TILE_ID__INDEX 3
#define CSR_S_FP_ICTL__INDEX 32
#define CSR_S_FP_ICTL__INV__MASK 1
#define CSR_S_FP_ICTL__INV__SHIFT 0
#define CSR_S_FP_ICTL__DIV0__MASK 1
#define CSR_S_FP_ICTL__DIV0__SHIFT 1
#define CSR_S_FP_ICTL__OFLO__MASK 1
#define CSR_S_FP_ICTL__OFLO__SHIFT 2
#define CSR_S_FP_ICTL__ESR__MASK 1
#define CSR_S_FP_ICTL__ESR__SHIFT 19
#define CSR_S_FP_ICTL__NANOO__MASK 1
#define CSR_S_FP_ICTL__NANOO__SHIFT 20
#define CSR_S_FP_INFMT__INDEX 49
#define CSR_S_FP_ISCL__INDEX 51
#define CSR_S_CCCSLOAD__INDEX 80

/* Zone of `sync` that waits for the tile's own workers. */
#define TEXCH_SYNCZONE_LOCAL 2

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
#define TFPU_FP32_TRUE 0xffffffff
#define TFPU_FP32_FALSE 0
#define TFPU_FP16_TRUE 0xffff
#define TFPU_FP16_FALSE 0

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
