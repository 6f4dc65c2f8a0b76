// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the codelet Diff on the device chosen by USE_CPU or USE_IPU and prints
// the words that it computes.

#include "test/tutorials/device.hpp"
#include <cstdio>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <vector>
using namespace poplar;
using namespace poplar::program;
int main(int, char **argv) {
  Device device = getTutorialDevice();
  Graph g(device.getTarget());
  g.addCodelets(argv[1]);
  Tensor o = g.addVariable(UNSIGNED_INT, {4000}, "o"),
         i = g.addVariable(UNSIGNED_INT, {1}, "i");
  g.setTileMapping(o, 0);
  g.setTileMapping(i, 0);
  g.createHostRead("o", o);
  g.createHostWrite("i", i);
  ComputeSet cs = g.addComputeSet("cs");
  VertexRef v = g.addVertex(cs, "Diff");
  g.connect(v["out"], o);
  g.connect(v["in"], i);
  g.setTileMapping(v, 0);
  g.setPerfEstimate(v, 10);
  Engine e(g, Execute(cs));
  e.load(device);
  for (unsigned s = 1; s < 4; s++) {
    unsigned in = s * 77;
    e.writeTensor("i", &in, &in + 1);
    e.run(0);
    std::vector<unsigned> r(4000);
    e.readTensor("o", r.data(), r.data() + 4000);
    for (unsigned k = 0; k < r[3999]; k++)
      std::printf("%u %u %08x\n", s, k, r[k]);
  }
}
