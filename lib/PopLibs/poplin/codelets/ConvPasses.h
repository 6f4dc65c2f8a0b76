// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of poplin::ConvMatrix on the host. For a tap of the kernel, a
// chunk of input channels and some blocks of output channels the weights are
// transposed, so that a vector has those of all channels of a block; then a few
// positions at a time keep their sums in registers over the whole chunk. Floats
// are added up in the order of the passes, with fused multiplications where the
// processor has them; halves are rounded as by the IPU.

#ifndef POPULUS_LIB_POPLIBS_POPLIN_CODELETS_CONVPASSES_H
#define POPULUS_LIB_POPLIBS_POPLIN_CODELETS_CONVPASSES_H

#include "HostVectors.h"

#include <poplar/HalfFloat.hpp>

namespace poplin {

using poplar::half;

/// Operands of some positions: `input` is that of the first one in the first
/// block of input channels, those of other blocks lie `offsets` behind it.
template <class T> struct ConvInput {
  const T *input;
  int step; // to the next position
  const int *offsets;
  unsigned blocks;
};

/// Positions of a block of output channels; `first` has the values that the
/// sums begin with, or is null where they are those of the positions.
template <class Sum> struct ConvSums {
  Sum *sums;
  int step; // to the next position
  const Sum *first;
};

/// Four channels at a time are added up before they are added to the sum. Such
/// products are exact, so it does not matter whether they are fused.
template <unsigned Count, unsigned Outputs>
inline void addProducts(HostFloats<Outputs> (&sums)[Count], const half *input,
                        int step, const HostFloats<Outputs> *w) {
#pragma clang fp contract(fast)
#pragma clang loop unroll(disable)
  for (unsigned i = 0; i != 16; i += 4)
#pragma clang loop unroll(full)
    for (unsigned p = 0; p != Count; ++p) {
      const half *x = &input[int(p) * step + int(i)];
      sums[p] += (float(x[0]) * w[i] + float(x[1]) * w[i + 1]) +
                 (float(x[2]) * w[i + 2] + float(x[3]) * w[i + 3]);
    }
}

template <unsigned Count, unsigned Outputs>
inline void addProducts(HostFloats<Outputs> (&sums)[Count], const float *input,
                        int step, const HostFloats<Outputs> *w) {
#pragma clang fp contract(fast)
#pragma clang loop unroll(full)
  for (unsigned i = 0; i != 8; ++i)
#pragma clang loop unroll(full)
    for (unsigned p = 0; p != Count; ++p)
      sums[p] += input[int(p) * step + int(i)] * w[i];
}

/// Sums in memory, at any address.
template <class Sum, unsigned Outputs> struct StoredSums {
  using Values = Sum __attribute__((ext_vector_type(Outputs)));
  Values values;

  void load(const Sum *from, HostFloats<Outputs> &sums) {
    __builtin_memcpy(&values, from, sizeof(values));
    sums = __builtin_convertvector(values, HostFloats<Outputs>);
  }
  void store(const HostFloats<Outputs> &sums, Sum *to) {
    values = __builtin_convertvector(sums, Values);
    __builtin_memcpy(to, &values, sizeof(values));
  }
  /// Rounds sums as storing and loading them does.
  void round(HostFloats<Outputs> &sums) {
    values = __builtin_convertvector(sums, Values);
    sums = __builtin_convertvector(values, HostFloats<Outputs>);
  }
};

template <unsigned Count, class T, class Sum, unsigned Outputs>
__attribute__((noinline)) void convPositions(const ConvInput<T> &in,
                                             const HostFloats<Outputs> *w,
                                             const ConvSums<Sum> &out) {
  StoredSums<Sum, Outputs> stored;
  constexpr unsigned Channels = 32 / sizeof(T);
  HostFloats<Outputs> sums[Count];
#pragma clang loop unroll(full)
  for (unsigned p = 0; p != Count; ++p)
    stored.load(out.first ? out.first : out.sums + int(p) * out.step, sums[p]);
  for (unsigned block = 0; block != in.blocks; ++block, w += Channels) {
    addProducts<Count, Outputs>(sums, in.input + in.offsets[block], in.step, w);
#pragma clang loop unroll(full)
    for (unsigned p = 0; p != Count; ++p)
      stored.round(sums[p]);
  }
#pragma clang loop unroll(full)
  for (unsigned p = 0; p != Count; ++p)
    stored.store(sums[p], out.sums + int(p) * out.step);
}

template <class T, class Sum, unsigned Outputs>
inline void convPositions(unsigned count, const ConvInput<T> &in,
                          const HostFloats<Outputs> *w,
                          const ConvSums<Sum> &out) {
#define POSITIONS(N)                                                           \
  case N:                                                                      \
    if (N <= sumsAtOnce<Outputs>())                                            \
      convPositions<N, T, Sum, Outputs>(in, w, out);                           \
    return;
  switch (count) {
    POSITIONS(1)
    POSITIONS(2)
    POSITIONS(3)
    POSITIONS(4)
    POSITIONS(5)
    POSITIONS(6)
    POSITIONS(7)
    POSITIONS(8)
    POSITIONS(9)
    POSITIONS(10)
    POSITIONS(11)
    POSITIONS(12)
  }
#undef POSITIONS
}

/// \p V is the vertex.
template <class V, class T, class Sum, unsigned Outputs> class ConvPasses {
public:
  explicit ConvPasses(V &v) : v(v) {}

  /// \p init has the sums that each block begins with, or is null where they
  /// are those of \p out.
  void compute(const T *in, const T *w, Sum *out, const Sum *init) {
    for (unsigned tap = 0; tap != v.taps; ++tap) {
      const T *input = in;
      for (unsigned i = 0; i < v.inBlocks; i += inBlocks) {
        inBlocks = least(v.inBlocks - i, MostInBlocks);
        const int next = findOffsets();
        computeOutputs(tap, input, &w[i * Block], out,
                       tap == 0 && i == 0 ? init : nullptr);
        input += next;
      }
      w += v.blocks * v.inBlocks * Block;
    }
  }

private:
  static constexpr unsigned Channels = 32 / sizeof(T);
  static constexpr unsigned Place = 32 / sizeof(Sum);
  static constexpr unsigned Block = Outputs * Channels;
  static constexpr unsigned Workers = 6, SegmentFields = 4;
  /// Sizes that fit a processor's caches. The first-level cache holds the input
  /// of a few positions.
  static constexpr unsigned MostInBlocks = 256 / Channels;
  static constexpr unsigned MostWeights = 16384;

  V &v;
  unsigned inBlocks = 0; // of a chunk
  int offsets[MostInBlocks];
  HostFloats<Outputs> weights[MostWeights / Outputs];

  static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

  /// A step from the last 8 bytes of a position's block, which has so many
  /// bytes, to the next position's, in bytes from its begin.
  static int stepOf(unsigned steps, unsigned field, unsigned bytes) {
    return (int(steps << (22 - 10 * field)) >> 22) * 8 + int(bytes) - 8;
  }

  /// Returns the offset of the next chunk, which begins with an even block.
  int findOffsets() {
    int at = 0;
    for (unsigned i = 0; i != inBlocks; ++i) {
      offsets[i] = at;
      at += int((i % 2 ? v.inStepOdd : v.inStepEven) / sizeof(T));
    }
    return at;
  }

  /// \p w has the weights of the chunk's first pass with the first block.
  void computeOutputs(unsigned tap, const T *input, const T *w, Sum *out,
                      const Sum *init) {
    const unsigned most = MostWeights / (inBlocks * Block);
    for (unsigned block = 0; block < v.blocks; block += most) {
      const unsigned count = least(v.blocks - block, most);
      for (unsigned i = 0; i != count; ++i)
        transpose(&w[(block + i) * v.inBlocks * Block],
                  &weights[i * inBlocks * Channels]);
      computeSegments(tap, input, block, count, out, init);
    }
  }

  /// From [in block][output][channel] to [in block][channel][output].
  void transpose(const T *from, HostFloats<Outputs> *to) const {
    for (unsigned i = 0; i != inBlocks; ++i, from += Block, to += Channels)
      for (unsigned o = 0; o != Outputs; o += 8)
        for (unsigned c = 0; c != Channels; c += 8)
          transposeSquare(from + o * Channels + c,
                          reinterpret_cast<float *>(to + c) + o);
  }

  /// 8 outputs by 8 channels.
  static void transposeSquare(const T *from, float *to) {
    HostFloats<8> rows[8], pairs[8];
    StoredSums<T, 8> stored;
    for (unsigned o = 0; o != 8; ++o)
      stored.load(from + o * Channels, rows[o]);
    for (unsigned o = 0; o != 8; o += 2) {
      pairs[o] = __builtin_shufflevector(rows[o], rows[o + 1], 0, 8, 2, 10, 4,
                                         12, 6, 14);
      pairs[o + 1] = __builtin_shufflevector(rows[o], rows[o + 1], 1, 9, 3, 11,
                                             5, 13, 7, 15);
    }
    for (unsigned o = 0; o != 8; o += 4)
      for (unsigned i = 0; i != 2; ++i) {
        const HostFloats<8> &a = pairs[o + i], &b = pairs[o + i + 2];
        rows[o + i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
        rows[o + i + 2] =
            __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
      }
    for (unsigned c = 0; c != 4; ++c) {
      pairs[c] = __builtin_shufflevector(rows[c], rows[c + 4], 0, 1, 2, 3, 8, 9,
                                         10, 11);
      pairs[c + 4] = __builtin_shufflevector(rows[c], rows[c + 4], 4, 5, 6, 7,
                                             12, 13, 14, 15);
    }
    for (unsigned c = 0; c != 8; ++c)
      __builtin_memcpy(to + c * Outputs, &pairs[c], sizeof(pairs[c]));
  }

  void computeSegments(unsigned tap, const T *input, unsigned block,
                       unsigned count, Sum *out, const Sum *init) {
    for (unsigned worker = 0; worker != Workers; ++worker) {
      const unsigned first = Workers * tap + worker;
      int next = 0; // behind the first one
      do {
        const unsigned short *fields = segment(first + unsigned(next));
        const ConvInput<T> in{input + fields[0] * Channels,
                              stepOf(v.stepsOfOthers, 0, 32) / int(sizeof(T)),
                              offsets, inBlocks};
        Sum *results = out + fields[1] * Place;
        const int positions = short(fields[2]) + 3;
        if (positions >= 0)
          computeSegment(in, unsigned(positions), block, count, results, init);
        else
          computeRun(in, segment(first - unsigned(positions)), block, count,
                     results, init);
        next = short(fields[3]);
      } while (next > 0);
    }
  }

  const unsigned short *segment(unsigned number) const {
    return &v.segments[SegmentFields * number];
  }

  /// Rows with the same gaps between them; \p details has the numbers of
  /// positions less 3 and the gaps, of 8 bytes.
  void computeRun(ConvInput<T> in, const unsigned short *details,
                  unsigned block, unsigned count, Sum *out, const Sum *init) {
    const unsigned rows = details[1] + 2u;
    const int inputGap = details[6] * 8 / int(sizeof(T));
    const int resultGap = (details[5] >> 4) * 8 / int(sizeof(Sum));
    for (unsigned row = 0; row != rows; ++row) {
      const unsigned positions = details[row == 0          ? 0
                                         : row + 1 == rows ? 3
                                                           : 2] +
                                 3u;
      computeSegment(in, positions, block, count, out, init);
      in.input += int(positions) * in.step + inputGap;
      out += int(positions) * outStep() + resultGap;
    }
  }

  /// In parts of nearly the same size. \p out is the place of the first
  /// position in the first block.
  void computeSegment(ConvInput<T> in, unsigned positions, unsigned block,
                      unsigned count, Sum *out, const Sum *init) {
    const int step = outStep();
    const unsigned most = sumsAtOnce<Outputs>();
    for (unsigned parts = (positions + most - 1) / most; parts != 0; --parts) {
      const unsigned part = (positions + parts - 1) / parts;
      for (unsigned i = 0; i != count; ++i)
        convPositions<T, Sum, Outputs>(
            part, in, &weights[i * inBlocks * Channels],
            {out + placeOfBlock(block + i), step,
             init ? &init[Outputs * (block + i)] : nullptr});
      in.input += int(part) * in.step;
      out += int(part) * step;
      positions -= part;
    }
  }

  int outStep() const {
    return stepOf(v.stepsOfOthers, 2, Outputs * sizeof(Sum)) / int(sizeof(Sum));
  }

  int placeOfBlock(unsigned block) const {
    return int(
        ((block + 1) / 2 * v.blockStepEven + block / 2 * v.blockStepOdd) /
        sizeof(Sum));
  }
};

} // namespace poplin

#endif
