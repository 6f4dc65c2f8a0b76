// A source that brings vectors of its own to the CPU, under the names that a
// tile's have: they are the source's there, and the machine's on a tile.
// RUN: popc %s -Wall -Werror -o %t.gp
// RUN: popc %s -DSTRUCT -Wall -Werror -o %t.2.gp
// A name that the headers need is an error as it was.
// RUN: not popc %s -DMATHS --target=cpu -o %t.3.gp 2>&1 | FileCheck %s
// RUN: not ls %t.3.gp
// CHECK: own-vectors.cpp:[[#]]:{{.*}} error: {{.*}}redefinition

#include <poplar/Vertex.hpp>
#ifdef MATHS
#include <ipu_vector_math>
#endif

#ifndef __IPU__
template <typename T, std::size_t N> struct Lanes : std::array<T, N> {
  friend Lanes operator*(const Lanes &a, const Lanes &b) {
    Lanes result;
    for (std::size_t i = 0; i != N; ++i)
      result[i] = a[i] * b[i];
    return result;
  }
};
using float2 = Lanes<float, 2>;
using short4 = Lanes<short, 4>;
using rptsize_t = std::uint16_t;
#ifdef STRUCT
struct float4 {
  float x, y, z, w;
};
#endif
// Names like those of builtins are free where there are none.
template <typename T> void __builtin_ipu_put_tas(T) {}
#endif

class Squares : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float, poplar::VectorLayout::SPAN, 8>> x;

  bool compute() {
    float2 *pairs = reinterpret_cast<float2 *>(&x[0]);
    for (rptsize_t i = 0; i != x.size() / 2; ++i)
      pairs[i] = pairs[i] * pairs[i];
    return true;
  }
};
