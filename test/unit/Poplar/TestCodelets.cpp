// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vertices as host code with the state layouts that TestArchive.cpp describes.

#include <cstddef>
#include <cstdint>

namespace {

template <typename T> struct Span {
  T *data;
  std::size_t size;
};

} // namespace

extern "C" {

// Input<Vector<int>> in; Output<int> out; int scale;
bool __runCodelet_Sum(void *state) {
  struct State {
    Span<const std::int32_t> in;
    std::int32_t *out;
    std::int32_t scale;
  };
  auto *vertex = static_cast<State *>(state);
  std::int32_t sum = 0;
  for (std::size_t i = 0; i != vertex->in.size; ++i)
    sum += vertex->in.data[i];
  *vertex->out = sum * vertex->scale;
  return true;
}

// Input<int> in; Output<int> out;
bool __runCodelet_Copy(void *state) {
  struct State {
    const std::int32_t *in;
    std::int32_t *out;
  };
  auto *vertex = static_cast<State *>(state);
  *vertex->out = *vertex->in;
  return true;
}

// InOut<Vector<unsigned char>> data; writes whole words, as a tile does: the
// bytes around the region in its words are read and written too.
bool __runCodelet_AddOne(void *state) {
  auto *vertex = static_cast<Span<std::uint8_t> *>(state);
  for (std::size_t i = 0; i != vertex->size; ++i)
    vertex->data[i] += 1;
  return true;
}

// Vector<Input<Vector<int>>> in; Output<Vector<int, ONE_PTR>> out;
// Vector<int> factors;
bool __runCodelet_SumEach(void *state) {
  struct State {
    Span<Span<const std::int32_t>> in;
    std::int32_t *out;
    Span<const std::int32_t> factors;
  };
  auto *vertex = static_cast<State *>(state);
  for (std::size_t i = 0; i != vertex->in.size; ++i) {
    std::int32_t sum = 0;
    for (std::size_t k = 0; k != vertex->in.data[i].size; ++k)
      sum += vertex->in.data[i].data[k];
    vertex->out[i] = sum * vertex->factors.data[i];
  }
  return true;
}

// Vector<Input<int>> in; Output<int> out: alignments are checked by the tests.
bool __runCodelet_SumScalars(void *state) {
  struct State {
    Span<const std::int32_t *> in;
    std::int32_t *out;
  };
  auto *vertex = static_cast<State *>(state);
  *vertex->out = 0;
  for (std::size_t i = 0; i != vertex->in.size; ++i)
    *vertex->out += *vertex->in.data[i];
  return true;
}

// Input<Vector<int, ONE_PTR, 16>> in; Output<int> out: the alignment of `in`.
bool __runCodelet_Alignment(void *state) {
  struct State {
    const std::int32_t *in;
    std::int32_t *out;
  };
  auto *vertex = static_cast<State *>(state);
  *vertex->out = static_cast<std::int32_t>(
      reinterpret_cast<std::uintptr_t>(vertex->in) % 16);
  return true;
}
}
