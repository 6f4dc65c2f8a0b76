// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two vertices as host code, written by hand, so that the runtime can be tested
// without the codelet compiler.

namespace {

/// { Input<Vector<float>> in; Output<Vector<float>> out; float scale; }
struct ScaleState {
  const float *in;
  unsigned long count;
  float *out;
  unsigned long outCount;
  float scale;
};

} // namespace

extern "C" bool __runCodelet_Scale(void *state) {
  auto *vertex = static_cast<ScaleState *>(state);
  for (unsigned long i = 0; i != vertex->count; ++i)
    vertex->out[i] = vertex->in[i] * vertex->scale;
  return true;
}

/// { InOut<int> counter; }
extern "C" bool __runCodelet_Decrement(void *state) {
  --**static_cast<int **>(state);
  return true;
}
