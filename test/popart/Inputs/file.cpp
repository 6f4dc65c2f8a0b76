// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A classifier from a file: run with zeros, exported as an executable and as a
// model.

#include "device.hpp"

#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <cmath>
#include <iostream>
#include <numeric>

int main(int, char **argv) {
  popart::DataFlow dataFlow(1, {"output"}, popart::AnchorReturnType("Final"));
  auto session = popart::InferenceSession::createFromOnnxModel(
      argv[1], dataFlow,
      popart::DeviceManager::createDeviceManager().createSimDevice(
          {{"numIPUs", "1"}, {"tilesPerIPU", "64"}}));
  std::cout << "input is " << session->getInfo("input") << "\n";
  session->compileAndExport(argv[2]);
  session->modelToHost(argv[3]);
  session->prepareDevice();

  std::vector<float> image(28 * 28), probabilities(10);
  popart::NDArrayWrapper<float> in(image.data(), session->getInfo("input"));
  popart::NDArrayWrapper<float> out(probabilities.data(), {10});
  popart::StepIO stepio({{"input", in}}, {{"output", out}});
  session->run(stepio);
  float sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0f);
  std::cout << "the probabilities add up to " << std::round(sum * 1000) / 1000
            << "\n";
}
