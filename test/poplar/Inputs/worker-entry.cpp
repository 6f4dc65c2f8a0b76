// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A supervisor that starts functions of its own on all workers: as codelet
// (popc), and the program that runs it.

#ifdef __POPC__
#include <poplar/Vertex.hpp>

using namespace poplar;

#define ENTRY static __attribute__((target("worker"), colossus_vertex))
#define SUPERVISOR __attribute__((target("supervisor")))

template <class State> ENTRY bool first();

class Fan : public SupervisorVertex {
public:
  InOut<Vector<int>> v;

  ENTRY bool second() {
    auto *self =
        static_cast<Fan *>(const_cast<void *>(__builtin_ipu_get_vertex_base()));
    const unsigned id = __builtin_ipu_get_worker_id();
    self->v[6 + id] = self->v[5 - id] * 2;
    return true;
  }
  SUPERVISOR void startAll(bool (*entry)()) {
    __asm__ volatile("runall %0, %1, 0\n sync %2" ::"r"(entry), "r"(this),
                     "i"(TEXCH_SYNCZONE_LOCAL)
                     : "memory");
  }
  SUPERVISOR bool compute() {
    startAll(&first<Fan>);
    startAll(&second);
#ifdef CALLED
    second();
#endif
    return true;
  }
};

template <class State> ENTRY bool first() {
  auto *state =
      static_cast<State *>(const_cast<void *>(__builtin_ipu_get_vertex_base()));
  int values[6];
  for (int i = 0; i != 6; ++i)
    reinterpret_cast<volatile int &>(values[i]) = 10 + i;
  const unsigned id = __builtin_ipu_get_worker_id();
  state->v[id] = values[id];
  return true;
}

#ifdef PARAMETER
__attribute__((colossus_vertex)) bool third(int x) { return x; }
#endif

// Operands of inline assembly with the names of constants.
class Amp : public Vertex {
public:
  InOut<Vector<float, VectorLayout::SPAN, 8>> v;
  bool compute() {
#ifdef __IPU__
    __asm__ volatile(
        "{ nop; f32sisoamp $azeros, $azero, $azeros, "
        "%[TAMP_F32_E4_P0] }" ::[TAMP_F32_E4_P0] "i"(TAMP_F32_E4_P0));
#endif
    return true;
  }
};

#else
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <iostream>

using namespace poplar;

int main(int, char **arguments) {
  const Device device = Device::createSimulatorDevice(
      Target::createIPUTarget(1, 1, "ipu2"), OptionFlags());
  Graph graph(device.getTarget());
  graph.addCodelets(arguments[1]);
  const Tensor v = graph.addVariable(INT, {12}, "v");
  graph.setTileMapping(v, 0);
  const ComputeSet fan = graph.addComputeSet("fan");
  graph.setTileMapping(graph.addVertex(fan, "Fan", {{"v", v}}), 0);
  graph.createHostRead("v", v);
  Engine engine(graph, program::Execute(fan));
  engine.load(device);
  engine.run();
  int values[12];
  engine.readTensor("v", values, values + 12);
  for (const int value : values)
    std::cout << value << " ";
  std::cout << "\n";
}
#endif
