// clang-format off
// Every kind of field, its description and its place; the fields of bases come
// first.
// RUN: popc %s --target=cpu -o %t.gp
// RUN: gp-dump %t.gp | FileCheck %s
// RUN: gp-dump --json %t.gp | FileCheck %s --check-prefix=JSON

#include <poplar/Vertex.hpp>

using namespace poplar;
enum class Mode : unsigned char { A, B };

template <typename T> struct Base : public Vertex {
  Input<T> fromBase;
};

// CHECK:      vertex All (worker)
// CHECK:        state on cpu: 248 bytes, alignment 8
class All : public Base<int> {
public:
  // CHECK-NEXT: field fromBase: Input<int>, at 0 on cpu
  InOut<half> inOut;
  // CHECK-NEXT: field inOut: InOut<half>, at 8 on cpu
  Input<Vector<const char, VectorLayout::SPAN, 4, true>> interleaved;
  // CHECK-NEXT: field interleaved: Input<Vector<char, SPAN, 4, true>>, at 16
  Output<Vector<unsigned, VectorLayout::ONE_PTR>> onePtr;
  // CHECK-NEXT: field onePtr: Output<Vector<unsigned int, ONE_PTR>>, at 32
  Output<Vector<unsigned, VectorLayout::COMPACT_PTR, 8>> compact;
  // CHECK-NEXT: field compact: Output<Vector<unsigned int, ONE_PTR, 8>>, at 40
  Input<Vector<unsigned, VectorLayout::SCALED_PTR64, 8>> scaled;
  // CHECK-NEXT: field scaled: Input<Vector<unsigned int, SCALED_PTR64, 8>>, at 48
  Vector<Input<Vector<float>>> list;
  // CHECK-NEXT: field list: Vector<Input<Vector<float>>>, at 56
  Vector<InOut<Vector<float, VectorLayout::ONE_PTR, 8>>, VectorLayout::ONE_PTR>
      pointers;
  // CHECK-NEXT: field pointers: Vector<InOut<Vector<float, ONE_PTR, 8>>, ONE_PTR>, at 72
  Vector<Output<Vector<float>>, VectorLayout::SHORT_SPAN> shortList;
  // CHECK-NEXT: field shortList: Vector<Output<Vector<float>>, SHORT_SPAN>, at 80
  Vector<Output<float>> scalars;
  // CHECK-NEXT: field scalars: Vector<Output<float>>, at 96
  Vector<unsigned short> stateVector;
  // CHECK-NEXT: field stateVector: Vector<unsigned short>, at 112
  Vector<int, VectorLayout::ONE_PTR, 8> statePointer;
  // CHECK-NEXT: field statePointer: Vector<int, ONE_PTR, 8>, at 128
  Input<VectorList<float, VectorListLayout::DELTANELEMENTS, 8>> vectorList;
  // CHECK-NEXT: field vectorList: Input<VectorList<float, DELTANELEMENTS, 8>>, at 136
  bool flag;
  // CHECK-NEXT: field flag: bool, at 152
  const signed char signedChar;
  // CHECK-NEXT: field signedChar: signed char, at 153
  volatile unsigned char unsignedChar;
  // CHECK-NEXT: field unsignedChar: unsigned char, at 154
  short small;
  // CHECK-NEXT: field small: short, at 156
  const Mode mode;
  // CHECK-NEXT: field mode: unsigned char, at 158
  long long wide;
  // CHECK-NEXT: field wide: long long, at 160
  __INT64_TYPE__ int64;
  // CHECK-NEXT: field int64: long long, at 168
  unsigned long long unsignedWide;
  // CHECK-NEXT: field unsignedWide: unsigned long long, at 176
  float single;
  // CHECK-NEXT: field single: float, at 184
  Input<Vector<bool>> bools;
  // CHECK-NEXT: field bools: Input<Vector<bool>>, at 192
  InOut<Vector<long long>> longs;
  // CHECK-NEXT: field longs: InOut<Vector<long long>>, at 208
  WORKER_ALIGN Input<Vector<unsigned char, VectorLayout::SPAN, alignof(float)>>
      record;
  // CHECK-NEXT: field record: Input<Vector<unsigned char, SPAN, 4>>, at 224
  half last;
  // CHECK-NEXT: field last: half, at 240
  static constexpr unsigned notAField = 4;
  struct Nested {
    int x;
  };
  bool compute() { return true; }
};
// CHECK-NOT: field

// JSON:      "name": "interleaved",
// JSON-NEXT: "type": "Input<Vector<char, SPAN, 4, true>>",
// JSON-NEXT: "kind": "edge-vector",
// JSON-NEXT: "direction": "Input",
// JSON-NEXT: "element": "char",
// JSON-NEXT: "min_align": 4,
// JSON-NEXT: "interleaved": true,
// JSON-NEXT: "places": [
// JSON-NEXT:   {
// JSON-NEXT:     "offset": 16,
// JSON-NEXT:     "bytes": 16,
// JSON-NEXT:     "inner": "SPAN",
// JSON-NEXT:     "outer": "NONE"
