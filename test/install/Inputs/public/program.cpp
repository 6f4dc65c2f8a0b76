// Uses something of each library that the project links.
#include <gcl/Collectives.hpp>
#include <poplar/Engine.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <pvti/pvti.hpp>

using namespace poplar;
using namespace poplar::program;

int main(int, char **argv) {
  pvti::TraceChannel channel("program");
  pvti::Tracepoint point(&channel, "main");
  IPUModel model;
  model.tilesPerIPU = 4;
  Device device = model.createDevice();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);
  poprand::addCodelets(graph);
  graph.addCodelets(argv[1]);
  Tensor a = graph.addConstant<float>(FLOAT, {2, 2}, {1, -2, 3, 4});
  poputil::mapTensorLinearly(graph, a);
  Sequence prog = Sequence();
  Tensor product = poplin::matMul(graph, a, a, prog);
  popnn::reluInPlace(graph, product, prog);
  Tensor sum = popops::add(graph, product, 1.0f, prog);
  ComputeSet cs = graph.addComputeSet("triple");
  VertexRef v =
      graph.addVertex(cs, "Triple", {{"data", sum.flatten()}, {"factor", 3}});
  graph.setTileMapping(v, 1);
  prog.add(Execute(cs));
  gcl::allReduceInPlaceCrossReplica(graph, sum, gcl::CollectiveOperator::ADD,
                                    prog);
  poprand::uniform(graph, nullptr, 0, sum, FLOAT, 0, 1, prog);
  prog.add(PrintTensor("result", sum));
  Engine engine(graph, prog);
  engine.loadAndRun(device);
}
