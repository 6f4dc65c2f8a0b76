// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools a block of channels and rows on one worker. Elements of the window that
// fall into padding are left out.

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
#include <popnn/PoolingDef.hpp>

using namespace poplar;

namespace popnn {

/// out[channels][outRows][outColumns] from in[channels][inRows][inColumns]. The
/// window of result (0, 0) begins at (originY, originX), which may be outside.
template <PoolingType Type, class T> class Pool : public Vertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  unsigned channels;
  unsigned inRows;
  unsigned inColumns;
  unsigned outRows;
  unsigned outColumns;
  unsigned kernelRows;
  unsigned kernelColumns;
  unsigned strideY;
  unsigned strideX;
  int originY;
  int originX;

  bool compute() {
    const T *channel = &in[0];
    T *result = &out[0];
    for (unsigned c = channels; c != 0; --c) {
      int y = originY;
      for (unsigned row = outRows; row != 0; --row, y += strideY)
        result = poolRow(channel, result, inside(y, kernelRows, inRows));
      channel += inRows * inColumns;
    }
    return true;
  }

private:
  struct Range {
    int begin;
    int end;
  };

  /// The part of a window that lies inside the field.
  static Range inside(int position, unsigned size, unsigned extent) {
    const int end = position + int(size);
    return {position < 0 ? 0 : position, end > int(extent) ? int(extent) : end};
  }

  T *poolRow(const T *channel, T *result, Range y) const {
    int x = originX;
    for (unsigned column = outColumns; column != 0; --column, x += strideX)
      *result++ =
          T(poolWindow(channel, y, inside(x, kernelColumns, inColumns)));
    return result;
  }

  float poolWindow(const T *channel, Range y, Range x) const {
    float value = Type == PoolingType::MAX ? -__builtin_inff() : 0.0f;
    for (int row = y.begin; row < y.end; ++row) {
      const T *element = channel + (row * int(inColumns) + x.begin);
      for (int column = x.begin; column < x.end; ++column) {
        const float e = float(*element++);
        if constexpr (Type == PoolingType::MAX)
          value = value < e ? e : value;
        else
          value += e;
      }
    }
    if constexpr (Type == PoolingType::AVG) {
      const int count = (y.end - y.begin) * (x.end - x.begin);
      value = y.end > y.begin && x.end > x.begin ? value / float(count) : 0.0f;
    }
    return value;
  }
};

template class Pool<PoolingType::MAX, float>;
template class Pool<PoolingType::AVG, float>;
template class Pool<PoolingType::SUM, float>;
template class Pool<PoolingType::MAX, half>;
template class Pool<PoolingType::AVG, half>;
template class Pool<PoolingType::SUM, half>;

} // namespace popnn
