// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls through tables of virtual functions and through std::function, with
// objects that stay on the stack.

#include <functional>
#include <poplar/Vertex.hpp>

using namespace poplar;

struct Function {
  virtual float of(float x) const = 0;
};
struct Next : Function {
  float of(float x) const override { return x + 1; }
};
struct Twice : Function {
  float of(float x) const override { return x * 2; }
};

class Diff : public Vertex {
public:
  Output<Vector<unsigned>> out;
  Input<unsigned> in;

  bool compute() {
    Next next;
    Twice twice;
    const Function *functions[] = {&next, &twice};
    unsigned count = 0;
    for (unsigned i = 0; i != 8; ++i) {
      out[count++] = static_cast<unsigned>(functions[(in + i) % 2]->of(i));
      unsigned offset = in + i;
      std::function<float(float)> chosen = [offset](float x) {
        return x + offset;
      };
      if (offset % 3 == 0)
        chosen = [](float x) { return x * 3; };
      out[count++] = static_cast<unsigned>(chosen(i));
    }
    out[3999] = count;
    return true;
  }
};
