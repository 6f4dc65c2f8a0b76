// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices that make one mistake each, on the line that the comment `mistake`
// marks, and one that makes none.

#include <poplar/Vertex.hpp>

using namespace poplar;

// Hides a number from the compiler.
static unsigned opaque(unsigned number) {
  asm volatile("" : "+r"(number));
  return number;
}

#define VERTEX(NAME)                                                           \
  class NAME : public Vertex {                                                 \
  public:                                                                      \
    Input<Vector<float>> in; /* of 20 */                                       \
    Input<Vector<float, VectorLayout::SHORT_SPAN>> packed;                     \
    Input<Vector<half>> halves;                                                \
    Vector<Input<Vector<float>>> rows;                                         \
    Output<Vector<float>> out;                                                 \
    bool compute();                                                            \
  };                                                                           \
  bool NAME::compute()

VERTEX(ReadsBehind) {
  float sum = 0;
  for (unsigned i = 0; i <= in.size(); ++i)
    sum += in[i]; // mistake
  out[0] = sum;
  return true;
}

VERTEX(ReadsBefore) {
  out[0] = in[opaque(0) - 1]; // mistake
  return true;
}

VERTEX(WritesBehind) {
  for (unsigned i = 0; i != opaque(5); ++i)
    out[i] = 1; // mistake
  return true;
}

VERTEX(WritesInput) {
  const_cast<float &>(in[opaque(7)]) = 1; // mistake
  out[0] = 1;
  return true;
}

VERTEX(ReadsOtherRow) {
  out[0] = rows[1][opaque(8)]; // mistake
  return true;
}

VERTEX(ReadsBehindPacked) {
  out[0] = packed[opaque(6)]; // mistake
  return true;
}

VERTEX(ReadsBehindHalves) {
  out[0] = float(halves[opaque(6)]); // mistake
  return true;
}

VERTEX(ReadsPair) {
  struct Pair {
    float a, b;
  };
  const Pair *pairs = reinterpret_cast<const Pair *>(&in[1]);
  const volatile Pair *last = pairs + opaque(9);
  out[0] = last->a;
  out[1] = last->b; // mistake
  return true;
}

// The pointer goes through the stack.
VERTEX(ReadsThroughStack) {
  const float *volatile pointers[2] = {&in[0], &rows[0][0]};
  out[0] = pointers[opaque(0)][20]; // mistake
  return true;
}

VERTEX(ReadsUnwritten) {
  const volatile float *place = &out[0];
  out[1] = place[opaque(2)] + 1; // mistake
  return true;
}

VERTEX(StoresInVain) {
  volatile float *place = &out[0];
  place[0] = 1;
  place[0] = 2; // mistake
  return true;
}

class Races : public MultiVertex {
public:
  Input<Vector<float>> in;
  Input<Vector<float, VectorLayout::SHORT_SPAN>> packed;
  Input<Vector<half>> halves;
  Vector<Input<Vector<float>>> rows;
  Output<Vector<float>> out;
  bool compute(unsigned worker) {
    out[worker / 2] = 1; // mistake
    return true;
  }
};

// One pointer moves on, the others are at a distance from it.
VERTEX(Good) {
  float sum = 0;
  const float *end = &in[0] + in.size();
  for (const float *p = &in[0], *q = &rows[2][0] - 12; p != end; ++p, ++q)
    if (p - &in[0] >= 12)
      sum += *p * *q;
  for (unsigned r = 0; r != rows.size(); ++r)
    for (unsigned i = 0; i != rows[r].size(); ++i)
      sum += rows[r][i] * in[i + r];
  for (unsigned i = 0; i != packed.size(); ++i)
    sum += packed[i];
  for (unsigned i = 0; i != halves.size(); ++i)
    sum += float(halves[i]);
  for (unsigned i = 0; i != out.size(); ++i)
    out[i] = sum + in[i];
  return true;
}
