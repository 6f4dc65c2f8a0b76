// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that change between steps, also those that the compiler has made
// others of (a batch norm that went into a convolution).

#include "device.hpp"

#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <cmath>
#include <iostream>

using popart::ConstVoidData;
using popart::TensorInfo;
using Floats = std::vector<float>;

/// y = factor * norm(conv(x)), with weights of one element each.
struct Model {
  std::string bytes, output;
};

static Model makeModel(float kernel, float scale, float factor,
                       bool hasOther = false) {
  auto builder = popart::Builder::create();
  auto aiOnnx = builder->aiOnnxOpset9();
  auto x = builder->addInputTensor("FLOAT", {1, 1, 2, 2}, "x");
  auto weight = [&](const char *name, const char *shape, float value) {
    return builder->addInitializedInputTensor(
        ConstVoidData(&value, TensorInfo("FLOAT", shape)), name);
  };
  auto conv = aiOnnx.conv({x, weight("kernel", "(1,1,1,1)", kernel)}, {1, 1}, 1,
                          {}, {0, 0, 0, 0}, {1, 1});
  auto norm = aiOnnx.batchnormalization(
      {conv, weight("scale", "(1)", scale), weight("shift", "(1)", 1),
       weight("mean", "(1)", 0), weight("variance", "(1)", 1)},
      1, 0.0f)[0];
  auto y = aiOnnx.mul({norm, weight("factor", "()", factor)});
  if (hasOther)
    y = aiOnnx.add({y, weight("other", "(1,1,2,2)", 0)});
  builder->addOutputTensor(y);
  return {builder->getModelProto(), y};
}

template <class Function> static void report(Function &&function) {
  try {
    function();
    std::cout << "no error\n";
  } catch (const popart::error &error) {
    std::cout << error.what() << "\n";
  }
}

int main(int, char **argv) {
  Model model = makeModel(2, 3, 1);
  popart::SessionOptions options;
  options.constantWeights = false;
  options.opxAliasChecking = true;
  auto session = popart::InferenceSession::createFromOnnxModel(
      model.bytes,
      popart::DataFlow(1, {{model.output, popart::AnchorReturnType("All")}}),
      deviceOf(argv[1]), {}, options);
  session->prepareDevice();
  session->weightsFromHost();

  Floats in = {1, 2, 3, 4}, out(4);
  popart::NDArrayWrapper<float> input(in.data(), {1, 1, 2, 2}),
      output(out.data(), {1, 1, 2, 2});
  auto run = [&] {
    popart::StepIO step({{"x", input}}, {{model.output, output}});
    session->run(step);
    for (float value : out)
      std::cout << value << " ";
    std::cout << "\n";
  };
  run();
  session->resetHostWeights(makeModel(5, 2, 1).bytes);
  run(); // not before they are sent
  session->weightsFromHost();
  run();
  session->modelToHost(argv[2]);
  session->resetHostWeights(argv[2]);
  session->weightsFromHost();
  run();

  auto set = [&](const std::string &bytes, bool ignores) {
    report([&] {
      session->resetHostWeights(bytes, ignores);
      session->weightsFromHost();
    });
  };
  set(makeModel(1, 1, 1, true).bytes, false);
  set(makeModel(1, 1, 1, true).bytes, true);
  run();
  set(makeModel(1, 1, 7).bytes, false);

  session->resetHostWeights(makeModel(5, 2, 1).bytes);
  double kernel = 0;
  float scale = 3, wrong[2] = {};
  popart::WeightsIO weights;
  weights.insert("kernel", {&kernel, TensorInfo("DOUBLE", "(1,1,1,1)")});
  weights.insert("scale", {&scale, TensorInfo("FLOAT", "(1)")});
  weights.insert("unknown", {});
  session->readWeights(weights);
  std::cout << "read " << kernel << " " << scale << "\n";
  kernel = 10;
  session->writeWeights(weights);
  session->weightsFromHost();
  run();
  report([&] { weights.insert("scale", {}); });
  report([&] { weights.weight("variance"); });
  weights.insert("shift", {wrong, TensorInfo("FLOAT", "(2)")});
  report([&] { session->writeWeights(weights); });
  report([&] { session->readWeights(weights); });

  options.constantWeights = true;
  auto constant = popart::InferenceSession::createFromOnnxModel(
      model.bytes,
      popart::DataFlow(1, {{model.output, popart::AnchorReturnType("All")}}),
      deviceOf(argv[1]), {}, options);
  report([&] { constant->resetHostWeights(model.bytes); });
  report([&] { constant->writeWeights(weights); });
}
