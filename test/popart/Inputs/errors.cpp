// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of programs that misuse the interface.

#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <functional>
#include <iostream>

static void attempt(const std::function<void()> &action) {
  try {
    action();
    std::cout << "no error\n";
  } catch (const popart::runtime_error &error) {
    std::cout << "runtime_error: " << error.what() << "\n";
  } catch (const popart::memory_allocation_err &error) {
    std::cout << "memory_allocation_err: "
              << std::string(error.what()).substr(0, 40) << "\n";
  } catch (const popart::error &error) {
    std::cout << "error: " << error.what() << "\n";
  }
}

int main() {
  auto &manager = popart::DeviceManager::createDeviceManager();
  auto builder = popart::Builder::create();
  auto a = builder->addInputTensor("FLOAT", {3});
  auto y = builder->aiOnnxOpset11().relu({a});
  builder->addOutputTensor(y);
  std::string model = builder->getModelProto();
  popart::DataFlow all(1, {{y, popart::AnchorReturnType("All")}});
  auto make = [&](const popart::DataFlow &flow,
                  const popart::SessionOptions &options = {}) {
    return popart::InferenceSession::createFromOnnxModel(
        model, flow, manager.createCpuDevice(), {}, options);
  };

  attempt([&] { builder->aiOnnxOpset9().relu({a}); });
  attempt([&] { builder->aiOnnxOpset11().relu({"nothing"}); });
  attempt([&] { popart::TensorInfo("FLOATS", "(1)"); });
  attempt([&] { popart::TensorInfo("FLOAT", "(1"); });
  attempt([&] { popart::AnchorReturnType("SOME"); });
  attempt([&] {
    make(popart::DataFlow(1, {{"z", popart::AnchorReturnType("All")}}));
  });
  attempt([&] {
    make(popart::DataFlow(3, {{y, popart::AnchorReturnType("EveryN", 2)}}))
        ->getAnchorInfo(y);
  });
  attempt([&] { popart::Patterns({"Inplace"}); });
  attempt([&] { manager.createIpuModelDevice({{"tiles", "4"}}); });
  attempt([&] { manager.acquireAvailableDevice(3); });
  attempt([&] {
    popart::SessionOptions options;
    options.enablePipelining = true;
    make(all, options);
  });
  attempt([&] {
    popart::InferenceSession::createFromOnnxModel("missing.onnx", all,
                                                  manager.createCpuDevice());
  });

  attempt([&] {
    popart::SessionOptions options;
    options.matmulOptions["partialType"] = "half";
    auto w = builder->aiOnnxOpset11().matmul({a, a});
    builder->addOutputTensor(w);
    popart::InferenceSession::createFromOnnxModel(
        builder->getModelProto(),
        popart::DataFlow(1, {{w, popart::AnchorReturnType("All")}}),
        manager.createCpuDevice(), {}, options)
        ->prepareDevice();
  });

  float in[4] = {}, out[3] = {};
  popart::NDArrayWrapper<float> input(in, {4}), output(out, {3});
  popart::StepIO step({{a, input}}, {{y, output}});
  popart::StepIO empty({}, {{y, output}});
  auto session = make(all);
  attempt([&] { session->run(step); });
  session->prepareDevice();
  attempt([&] { session->run(step); });
  attempt([&] { session->run(empty); });
  attempt([&] { session->getCycleCount(); });

  auto big = builder->addInputTensor("FLOAT", {1 << 20});
  auto sum = builder->aiOnnxOpset11().relu({big});
  builder->addOutputTensor(sum);
  attempt([&] {
    popart::InferenceSession::createFromOnnxModel(
        builder->getModelProto(),
        popart::DataFlow(1, {{sum, popart::AnchorReturnType("All")}}),
        manager.createIpuModelDevice({{"tilesPerIPU", "1"}}))
        ->prepareDevice();
  });
}
