// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model in two stages trains with a pipeline as it does without.

#include <popart/builder.hpp>
#include <popart/dataflow.hpp>
#include <popart/devicemanager.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>

#include <cmath>
#include <iostream>
#include <vector>

namespace {

constexpr int MicroBatches = 4, Steps = 2;

std::vector<float> losses(bool isPipelined, bool isInTime) {
  auto builder = popart::Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  auto tensor = builder->addInputTensor("FLOAT", {2, 2}, "x");
  float weights[] = {0.5f, -1, 2, 0.25f};
  for (int stage = 0; stage != 2; ++stage) {
    auto w = builder->addInitializedInputTensor(
        {weights,
         popart::TensorInfo("FLOAT", std::vector<std::int64_t>{2, 2})});
    auto product = onnx.matmul({tensor, w});
    tensor = onnx.tanh({product});
    for (const auto &id : {product, tensor}) {
      builder->virtualGraph(id, stage);
      builder->pipelineStage(id, stage);
    }
  }
  auto loss = builder->aiGraphcoreOpset1().l1loss({tensor}, 1);
  builder->virtualGraph(loss, 1);
  builder->pipelineStage(loss, 1);

  popart::SessionOptions options;
  options.virtualGraphMode = popart::VirtualGraphMode::Manual;
  options.enablePipelining = isPipelined;
  options.autoRecomputation = popart::RecomputationType::Pipeline;
  options.enableGradientAccumulation = true;
  options.accumulationFactor = isInTime ? MicroBatches : 2;
  auto session = popart::TrainingSession::createFromOnnxModel(
      builder->getModelProto(),
      popart::DataFlow(1, {{loss, popart::AnchorReturnType("All")}}), loss,
      popart::SGD({{"defaultLearningRate", {0.5f, true}}}),
      popart::DeviceManager::createDeviceManager().acquireAvailableDevice(2, 4),
      {}, options);
  session->prepareDevice();
  session->weightsFromHost();
  std::vector<float> result(Steps * MicroBatches);
  for (int step = 0; step != Steps; ++step) {
    std::vector<float> data(MicroBatches * 4);
    for (std::size_t i = 0; i != data.size(); ++i)
      data[i] = std::sin(static_cast<float>(i + 1));
    popart::NDArrayWrapper<float> input(data.data(), {MicroBatches, 2, 2});
    popart::NDArrayWrapper<float> output(result.data() + step * MicroBatches,
                                         {MicroBatches});
    popart::StepIO io({{"x", input}}, {{loss, output}});
    session->run(io);
  }
  return result;
}

} // namespace

int main() {
  const auto piped = losses(true, true), plain = losses(false, true);
  std::cout << (piped == plain ? "the same" : "not the same") << ", "
            << (plain[MicroBatches] < plain[0] ? "trained" : "not trained")
            << "\n";
  try {
    losses(true, false);
  } catch (const popart::error &error) {
    std::cout << "error: " << error.what() << "\n";
  }
}
