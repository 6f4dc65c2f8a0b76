#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

int main() {
  poplar::Device device = poplar::Device::createCPUDevice();
  poplar::Graph graph(device.getTarget());
  popops::addCodelets(graph);
  std::cout << "codelets: " << graph.hasCodelet("popops::ScaledAdd1D<float>")
            << std::endl;
}
