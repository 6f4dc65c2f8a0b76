// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that are alike, with weights that are equal at first and are changed
// then; the executable is kept in a folder and taken from there.

#include "device.hpp"

#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <iostream>

using Floats = std::vector<float>;

struct Model {
  std::string bytes, output;
};

/// Each layer multiplies by its factor.
static Model makeModel(const Floats &factors) {
  auto builder = popart::Builder::create();
  auto aiOnnx = builder->aiOnnxOpset9();
  auto x = builder->addInputTensor("FLOAT", {2, 2}, "x");
  for (float factor : factors) {
    const float matrix[] = {factor, 0, 0, factor};
    auto weight = builder->addInitializedInputTensor(
        popart::ConstVoidData(matrix, popart::TensorInfo("FLOAT", "(2,2)")),
        "weight");
    x = aiOnnx.relu({aiOnnx.matmul({x, weight})});
  }
  builder->addOutputTensor(x);
  return {builder->getModelProto(), x};
}

int main(int, char **argv) {
  Model model = makeModel({1, 1, 1});
  popart::SessionOptions options;
  options.constantWeights = false;
  options.enableOutliningCopyCostPruning = false;
  options.enableEngineCaching = true;
  options.cachePath = argv[2];
  auto session = popart::InferenceSession::createFromOnnxModel(
      model.bytes,
      popart::DataFlow(1, {{model.output, popart::AnchorReturnType("All")}}),
      deviceOf(argv[1]), {}, options);
  session->prepareDevice();

  Floats in = {1, 2, 3, 4}, out(4);
  popart::NDArrayWrapper<float> input(in.data(), {2, 2}),
      output(out.data(), {2, 2});
  popart::StepIO step({{"x", input}}, {{model.output, output}});
  auto run = [&] {
    session->run(step);
    for (float value : out)
      std::cout << value << " ";
    std::cout << "\n";
  };
  run();
  session->resetHostWeights(makeModel({2, 3, 5}).bytes);
  session->weightsFromHost();
  run();
}
