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
      if (column + 2 <= columns && isInside(x) && isInside(x + int(strideX))) {
        computeColumns<2>(row, column, y, x, ky, kx);
        column += 2;
        x += 2 * strideX;
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

  /// A loop over products: how often, and the steps from one to the next.
  struct Walk {
    unsigned count;
    unsigned inputStep;
    unsigned weightStep;
  };

  template <unsigned Channels, unsigned Columns>
  void computeBlock(unsigned channel, unsigned row, unsigned column, int y,
                    int x, Taps ky, Taps kx) {
    using Sums = float __attribute__((ext_vector_type(Channels)));
    const unsigned kernelSize = kernelRows * kernelColumns;
    const unsigned nextWeights = inChannels * kernelSize;
    const Walk channels{inChannels, inRows * inColumns, kernelSize};
    const Walk taps{kx.last - kx.first, dilationX, 1};
    const bool channelsInside = channels.count > taps.count;
    const Walk inner = channelsInside ? channels : taps;
    const Walk middle = channelsInside ? taps : channels;
    Sums sum[Columns] = {};
    for (unsigned k = ky.first; k < ky.last; ++k) {
      const T *input = &in[(y + int(k * dilationY)) * int(inColumns) + x +
                           int(kx.first * dilationX)];
      const T *w =
          &weights[channel * nextWeights + k * kernelColumns + kx.first];
      for (unsigned left = middle.count; left != 0; --left) {
        addProducts(sum, input, w, nextWeights, inner);
        input += middle.inputStep;
        w += middle.weightStep;
      }
    }
    const unsigned field = outRows * outColumns;
    float *results = &out[channel * field + row * outColumns + column];
    for (unsigned i = 0; i != Channels; ++i)
      for (unsigned j = 0; j != Columns; ++j)
        results[i * field + j] = sum[j][i];
  }

  template <class Sums, unsigned Columns>
  void addProducts(Sums (&sum)[Columns], const T *input, const T *w,
                   unsigned nextWeights, const Walk &walk) {
    constexpr unsigned Channels = sizeof(Sums) / sizeof(float);
    const unsigned step = strideX;
    for (unsigned left = walk.count; left != 0; --left) {
      Sums weight;
      for (unsigned i = 0; i != Channels; ++i)
        weight[i] = float(w[i * nextWeights]);
      for (unsigned j = 0; j != Columns; ++j)
        sum[j] += weight * float(input[j * step]);
      input += walk.inputStep;
      w += walk.weightStep;
    }
  }
};

template class ConvPartial<float>;
template class ConvPartial<half>;

} // namespace poplin
