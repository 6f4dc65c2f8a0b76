// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile's block of a convolution on the matrix unit. The unit holds weights
// from a block of input channels (16 halves or 8 floats) to one of 8 output
// channels, or of 16 where both of its sets work; a pass loads them for one tap
// of the kernel and multiplies all positions that use the tap, divided between
// the workers. Sums are rounded to their type after each pass. The code for the
// IPU is in ConvMatrix.S, that for the host in ConvPasses.h.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

#ifndef __IPU__
#include "ConvPasses.h"
#endif

using namespace poplar;

namespace poplin {

/// out[block][position][Outputs] = init[block][Outputs] + products. Blocks of
/// output channels lie `blockStepEven` and `blockStepOdd` bytes apart in turns,
/// those of input channels `inStepEven` and `inStepOdd`; if these differ, there
/// is an even number of them. The weights are read in the order of the passes:
/// [taps][blocks][inBlocks][Outputs][channels of an input block]. The work of
/// pass tap, worker w begins with segment 6 tap + w. A segment has the places
/// of the first input and of the first result in 32 bytes, the number of
/// positions less 3, and how many segments behind the worker's first one its
/// next one is: 0 if there is only one, -1 after the last of several. The first
/// tap's contain every position. A run of rows with the same gaps between them
/// has, for the number of positions, how many segments the worker's first one
/// lies before its details, less 3. These are, as two segments, the numbers of
/// positions less 3 of the first row, of others and of the last one, behind the
/// first number how many others there are; then the gaps in 8 bytes, that of
/// the results twice in the bits of steps. A worker with a run ends in -1.
/// ConvMatrix.S knows the order of the fields.
template <class T, class Sum, unsigned Outputs>
class ConvMatrix : public SupervisorVertex {
public:
  static const bool isExternalCodelet = true;

  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in; // [block][position][channel]
  Input<Vector<T, VectorLayout::ONE_PTR, 16, true>> weights;
  Output<Vector<Sum, VectorLayout::ONE_PTR, 8>> out;
  Input<Vector<Sum, VectorLayout::ONE_PTR, 8>> init;
  Vector<unsigned short, VectorLayout::ONE_PTR, 4> segments;
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
  /// Input address of the workers' pass; the supervisor writes it.
  unsigned passIn;
  unsigned passOut;
  unsigned passPartials; // 0 where they are the results
  unsigned passSteps;
  unsigned passStepsOfPartials;
  unsigned passSegments;

#ifdef __IPU__
  __attribute__((target("supervisor"))) bool compute();
#else
  bool compute() {
    ConvPasses<ConvMatrix, T, Sum, Outputs>(*this).compute(&in[0], &weights[0],
                                                           &out[0], &init[0]);
    return true;
  }
#endif
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
  Vector<unsigned short, VectorLayout::ONE_PTR, 4> segments;
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
  /// Input address of the workers' pass; the supervisor writes it.
  unsigned passIn;
  unsigned passOut;
  unsigned passPartials; // 0 where they are the results
  unsigned passSteps;
  unsigned passStepsOfPartials;
  unsigned passSegments;

#ifdef __IPU__
  __attribute__((target("supervisor"))) bool compute();
#else
  bool compute() {
    ConvPasses<ConvMatrixAdd, T, Sum, Outputs>(*this).compute(
        &in[0], &weights[0], &out[0], nullptr);
    return true;
  }
#endif
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
