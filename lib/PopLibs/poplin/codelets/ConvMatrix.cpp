// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile's block of a convolution on the matrix unit. The unit holds weights
// from a block of input channels (16 halves or 8 floats) to one of 8 output
// channels, or of 16 where both of its sets work; a pass loads them for one tap
// of the kernel and multiplies all positions that use the tap, divided between
// the workers. Sums are rounded to their type after each pass. The code for the
// IPU is in ConvMatrix.S; this is what it computes; halves have the same
// roundings.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace poplin {

/// What a pass is made of; \p V is the vertex.
template <class V, class T, class Sum, unsigned Outputs> class Passes {
public:
  explicit Passes(V &v) : v(v) {}

  /// \p init has the sums that each block begins with, or is null where they
  /// are those of \p out.
  void compute(const T *in, const T *w, Sum *out, const Sum *init) const {
    for (unsigned tap = 0; tap != v.taps; ++tap) {
      Sum *results = out;
      for (unsigned block = 0; block != v.blocks; ++block) {
        const T *input = in;
        for (unsigned inBlock = 0; inBlock != v.inBlocks; ++inBlock) {
          const bool first = init && tap == 0 && inBlock == 0;
          computePass(input, w, results,
                      first ? &init[Outputs * block] : nullptr, Workers * tap);
          w += Outputs * Channels;
          input += (inBlock % 2 ? v.inStepOdd : v.inStepEven) / sizeof(T);
        }
        results += (block % 2 ? v.blockStepOdd : v.blockStepEven) / sizeof(Sum);
      }
    }
  }

private:
  static constexpr unsigned Channels = 32 / sizeof(T);
  static constexpr unsigned Place = 32 / sizeof(Sum);
  static constexpr unsigned Workers = 6, SegmentFields = 4;
  V &v;

  /// A step from the last 8 bytes of a position's block, which has so many
  /// bytes, to the next position's, in bytes from its begin.
  static int stepOf(unsigned steps, unsigned field, unsigned bytes) {
    return (int(steps << (22 - 10 * field)) >> 22) * 8 + int(bytes) - 8;
  }

  void computePass(const T *input, const T *w, Sum *results, const Sum *first,
                   unsigned firstSegment) const {
    for (unsigned worker = 0; worker != Workers; ++worker) {
      unsigned segment = firstSegment + worker;
      do {
        const unsigned short *fields = &v.segments[SegmentFields * segment];
        computeSegment(input + fields[0] * Channels, w,
                       results + fields[1] * Place, first,
                       int(short(fields[2])) + 3);
        segment = fields[3];
      } while (segment != 0);
    }
  }

  void computeSegment(const T *x, const T *w, Sum *y, const Sum *first,
                      int count) const {
    const int inStep = stepOf(v.stepsOfOthers, 0, 32) / int(sizeof(T));
    const int outStep =
        stepOf(v.stepsOfOthers, 2, Outputs * sizeof(Sum)) / int(sizeof(Sum));
    for (; count != 0; --count) {
      multiply(x, w, first ? first : y, y);
      x += inStep;
      y += outStep;
    }
  }

  static void multiply(const half *x, const half *w, const Sum *partials,
                       Sum *y) {
    for (unsigned o = 0; o != Outputs; ++o) {
      float sum = float(partials[o]);
      for (unsigned i = 0; i != 16; i += 4) {
        const half *v = &x[i], *u = &w[16 * o + i];
        sum += (float(v[0]) * float(u[0]) + float(v[1]) * float(u[1])) +
               (float(v[2]) * float(u[2]) + float(v[3]) * float(u[3]));
      }
      y[o] = Sum(sum);
    }
  }

  static void multiply(const float *x, const float *w, const Sum *partials,
                       Sum *y) {
    for (unsigned o = 0; o != Outputs; ++o) {
      float sum = float(partials[o]);
      for (unsigned i = 0; i != 8; ++i)
        sum += x[i] * w[8 * o + i];
      y[o] = Sum(sum);
    }
  }
};

/// out[block][position][Outputs] = init[block][Outputs] + products. Blocks of
/// output channels lie `blockStepEven` and `blockStepOdd` bytes apart in turns,
/// those of input channels `inStepEven` and `inStepOdd`; if these differ, there
/// is an even number of them. The weights are read in the order of the passes:
/// [taps][blocks][inBlocks][Outputs][channels of an input block]. The work of
/// pass tap, worker w begins with segment 6 tap + w. A segment has the places
/// of the first input and of the first result in 32 bytes, the number of
/// positions less 3, and the number of the worker's next segment or 0; the
/// first tap's contain every position. ConvMatrix.S knows the order of the
/// fields.
template <class T, class Sum, unsigned Outputs>
class ConvMatrix : public SupervisorVertex {
public:
  static const bool isExternalCodelet = true;

  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in; // [block][position][channel]
  Input<Vector<T, VectorLayout::ONE_PTR, 16, true>> weights;
  Output<Vector<Sum, VectorLayout::ONE_PTR, 8>> out;
  Input<Vector<Sum, VectorLayout::ONE_PTR, 8>> init;
  Vector<unsigned short, VectorLayout::ONE_PTR> segments;
  unsigned inBlocks;
  unsigned blocks;
  unsigned taps;
  unsigned inStepEven;
  unsigned inStepOdd;
  unsigned blockStepEven;
  unsigned blockStepOdd;
  /// Steps in 8 bytes from the end of a position to the next one, of the input,
  /// of `init` or `out` as partial sums, and of `out`: 10 bits each.
  unsigned stepsOfFirst;
  unsigned stepsOfOthers;
  /// What the workers of a pass read; the supervisor writes it.
  unsigned passIn;
  unsigned passOut;
  unsigned passPartials; // 0 where they are the results
  unsigned passSteps;
  unsigned passStepsOfPartials;
  unsigned passSegments;

  __attribute__((target("supervisor"))) bool compute() {
    Passes<ConvMatrix, T, Sum, Outputs>(*this).compute(&in[0], &weights[0],
                                                       &out[0], &init[0]);
    return true;
  }
};

/// The same with what \ref out holds before as the initial values: further
/// input channels of a sum that takes several vertices.
template <class T, class Sum, unsigned Outputs>
class ConvMatrixAdd : public SupervisorVertex {
public:
  static const bool isExternalCodelet = true;

  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in; // [block][position][channel]
  Input<Vector<T, VectorLayout::ONE_PTR, 16, true>> weights;
  InOut<Vector<Sum, VectorLayout::ONE_PTR, 8>> out;
  unsigned unused; // in place of `init`
  Vector<unsigned short, VectorLayout::ONE_PTR> segments;
  unsigned inBlocks;
  unsigned blocks;
  unsigned taps;
  unsigned inStepEven;
  unsigned inStepOdd;
  unsigned blockStepEven;
  unsigned blockStepOdd;
  /// Steps in 8 bytes from the end of a position to the next one, of the input,
  /// of `out` as partial sums, and of `out`: 10 bits each.
  unsigned stepsOfFirst;
  unsigned stepsOfOthers;
  /// What the workers of a pass read; the supervisor writes it.
  unsigned passIn;
  unsigned passOut;
  unsigned passPartials; // 0 where they are the results
  unsigned passSteps;
  unsigned passStepsOfPartials;
  unsigned passSegments;

  __attribute__((target("supervisor"))) bool compute() {
    Passes<ConvMatrixAdd, T, Sum, Outputs>(*this).compute(&in[0], &weights[0],
                                                          &out[0], nullptr);
    return true;
  }
};

template class ConvMatrix<float, float, 8>;
template class ConvMatrix<half, float, 8>;
template class ConvMatrix<float, float, 16>;
template class ConvMatrix<half, half, 16>;

template class ConvMatrixAdd<float, float, 8>;
template class ConvMatrixAdd<half, float, 8>;
template class ConvMatrixAdd<float, float, 16>;
template class ConvMatrixAdd<half, half, 16>;

} // namespace poplin
