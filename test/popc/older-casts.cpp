// Older programs take inputs for something else by reinterpret_cast, without
// `const`. What is wrong for other reasons stays wrong, and says so once.

// RUN: popc %s -o %t.gp
// RUN: gp-dump %t.gp --vertices | FileCheck %s
// RUN: not popc %s -DWRITE -o %t.bad.gp 2> %t.write
// RUN: FileCheck %s --check-prefix=WRITE < %t.write
// RUN: not popc %s -DPOINTER -o %t.bad.gp 2> %t.pointer
// RUN: FileCheck %s --check-prefix=POINTER < %t.pointer
// RUN: not popc %s -DOTHER -o %t.bad.gp 2> %t.other
// RUN: FileCheck %s --check-prefix=OTHER < %t.other

// CHECK: vertex Cast
// CHECK: field in: Input<Vector<float>>,
// WRITE: error: cannot assign to return value
// WRITE: 2 errors generated.
// POINTER: error: cannot initialize a variable of type 'float *'
// POINTER: 2 errors generated.
// OTHER: error: reinterpret_cast from 'const float *' to 'unsigned int *'
// OTHER: error: reinterpret_cast from 'const int *' to 'int *'
// OTHER: 2 errors generated.

#include <poplar/Vertex.hpp>

using namespace poplar;

class Cast : public Vertex {
public:
  Input<Vector<float>> in;
  Input<half> one;
  Vector<Input<Vector<short>>> regions;
  Input<VectorList<float, VectorListLayout::DELTAN>> list;
  Output<unsigned> out;

  bool compute() {
    *out = *reinterpret_cast<unsigned *>(&in[0]);
#ifdef WRITE
    in[0] = 1;
#endif
#ifdef POINTER
    float *pointer = &in[0];
#endif
#ifdef OTHER
    const int constant = 0;
    *reinterpret_cast<int *>(&constant) = 1;
#endif
#if !defined(WRITE) && !defined(POINTER) && !defined(OTHER)
    *out += *reinterpret_cast<unsigned *>(in.begin());
    *out += reinterpret_cast<unsigned &>(in[1]);
    *out += *reinterpret_cast<unsigned short *>(&one);
    *out += *reinterpret_cast<unsigned short *>(&*one);
    *out += *reinterpret_cast<unsigned *>(&regions[1][0]);
    *out += *reinterpret_cast<unsigned *>(&list[0][0]);
#endif
    return true;
  }
};
