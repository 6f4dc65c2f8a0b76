// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The blur of rows, which are lists of vectors.

#include "sten/EdgeMode.hpp"
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
static constexpr auto ONE_PTR = poplar::VectorLayout::ONE_PTR;
namespace sten {
template <typename T, sten::Edge E, bool vectorise> class Blur : public Vertex {
public:
  Blur();
  Vector<Input<Vector<T, ONE_PTR, 8>>> in;
  Vector<Output<Vector<T, ONE_PTR, 8>>, ONE_PTR> out;
  const unsigned short width;
  const float scale;
  bool compute() {
    const int h = (int)in.size() - 2;
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < (int)width; ++x) {
        float s = 0;
        for (int dx = -1; dx <= 1; ++dx) {
          int xx = x + dx;
          if (xx < 0 || xx >= (int)width) {
            if (E == sten::Edge::ZERO)
              continue;
            xx = xx < 0 ? 0 : width - 1;
          }
          for (int dy = 0; dy < 3; ++dy)
            s += float(in[y + dy][xx]);
        }
        out[y][x] = T(s * scale);
      }
    return true;
  }
};
template class Blur<float, Edge::CLAMP, false>;
template class Blur<half, Edge::CLAMP, false>;
template class Blur<float, Edge::ZERO, true>;
template class Blur<half, Edge::ZERO, true>;
} // namespace sten
