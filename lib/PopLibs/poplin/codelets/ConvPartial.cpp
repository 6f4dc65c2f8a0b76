// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block of a convolution on one worker: some output channels, some rows of
// the output field, some input channels. Results are computed in blocks of two
// channels by four columns (and smaller at the edges) that stay in registers.
// Taps of the kernel that fall into padding are left out.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace poplin {

/// out[outChannels][outRows][outColumns] from in[inChannels][inRows][inColumns]
/// and weights[outChannels][inChannels][kernelRows][kernelColumns]. Tap (0, 0)
/// of result (0, 0) is at (originY, originX) of the input, which may be
/// outside.
template <class T> class ConvPartial : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Input<Vector<T, VectorLayout::ONE_PTR>> weights;
  Output<Vector<float, VectorLayout::ONE_PTR>> out;
  unsigned inChannels;
  unsigned inRows;
  unsigned inColumns;
  unsigned outChannels;
  unsigned outRows;
  unsigned outColumns;
  unsigned kernelRows;
  unsigned kernelColumns;
  unsigned dilationY;
  unsigned dilationX;
  unsigned strideY;
  unsigned strideX;
  int originY;
  int originX;

  bool compute() {
    int y = originY;
    for (unsigned row = 0; row != outRows; ++row, y += strideY)
      computeRow(row, y);
    return true;
  }

private:
  /// Taps [first, last) of the kernel.
  struct Taps {
    unsigned first;
    unsigned last;
  };

  /// The taps that lie inside the input when tap 0 is at `position`.
  static Taps insideTaps(int position, unsigned taps, unsigned dilation,
                         unsigned extent) {
    unsigned first = 0;
    while (first != taps && position < 0) {
      position += dilation;
      ++first;
    }
    unsigned last = first;
    while (last != taps && position < int(extent)) {
      position += dilation;
      ++last;
    }
    return {first, last};
  }

  void computeRow(unsigned row, int y) {
    const Taps ky = insideTaps(y, kernelRows, dilationY, inRows);
    const unsigned columns = outColumns;
    int x = originX;
    for (unsigned column = 0; column != columns;) {
      const Taps kx = insideTaps(x, kernelColumns, dilationX, inColumns);
      if (column + 4 <= columns && isInside(x) &&
          isInside(x + 3 * int(strideX))) {
        computeColumns<4>(row, column, y, x, ky, kx);
        column += 4;
        x += 4 * strideX;
      } else {
        computeColumns<1>(row, column, y, x, ky, kx);
        ++column;
        x += strideX;
      }
    }
  }

  bool isInside(int x) const {
    return x >= 0 && x + int((kernelColumns - 1) * dilationX) < int(inColumns);
  }

  template <unsigned Columns>
  void computeColumns(unsigned row, unsigned column, int y, int x, Taps ky,
                      Taps kx) {
    const unsigned channels = outChannels;
    unsigned channel = 0;
    for (; channel + 2 <= channels; channel += 2)
      computeBlock<2, Columns>(channel, row, column, y, x, ky, kx);
    for (; channel != channels; ++channel)
      computeBlock<1, Columns>(channel, row, column, y, x, ky, kx);
  }

  template <unsigned Channels, unsigned Columns>
  void computeBlock(unsigned channel, unsigned row, unsigned column, int y,
                    int x, Taps ky, Taps kx) {
    const unsigned kernelSize = kernelRows * kernelColumns;
    const unsigned nextWeights = inChannels * kernelSize;
    const unsigned plane = inRows * inColumns;
    const int tap = int(kx.first * dilationX);
    float sum[Channels][Columns] = {};
    const T *w = &weights[channel * nextWeights];
    const T *channelIn = &in[0];
    for (unsigned c = inChannels; c != 0; --c) {
      for (unsigned k = ky.first; k < ky.last; ++k)
        addRow<Channels, Columns>(
            sum,
            channelIn + ((y + int(k * dilationY)) * int(inColumns) + x + tap),
            w + (k * kernelColumns + kx.first), nextWeights,
            kx.last - kx.first);
      w += kernelSize;
      channelIn += plane;
    }
    const unsigned field = outRows * outColumns;
    float *results = &out[channel * field + row * outColumns + column];
    for (unsigned i = 0; i != Channels; ++i)
      for (unsigned j = 0; j != Columns; ++j)
        results[i * field + j] = sum[i][j];
  }

  /// Adds the products of one row of the kernel.
  template <unsigned Channels, unsigned Columns>
  void addRow(float (&sum)[Channels][Columns], const T *input, const T *w,
              unsigned nextWeights, unsigned taps) {
    const unsigned step = strideX, dilation = dilationX;
    for (; taps != 0; --taps) {
      float x[Columns];
      for (unsigned j = 0; j != Columns; ++j)
        x[j] = float(input[j * step]);
      for (unsigned i = 0; i != Channels; ++i) {
        const float weight = float(w[i * nextWeights]);
        for (unsigned j = 0; j != Columns; ++j)
          sum[i][j] += x[j] * weight;
      }
      input += dilation;
      ++w;
    }
  }
};

template class ConvPartial<float>;
template class ConvPartial<half>;

} // namespace poplin
