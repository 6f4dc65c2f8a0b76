// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sum of two inputs, as the user guide's first example computes it.

#include "device.hpp"

#include <popart/builder.hpp>
#include <popart/dataflow.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <iostream>

int main(int, char **argv) {
  auto builder = popart::Builder::create();
  popart::TensorInfo info("FLOAT", std::vector<int64_t>{2});
  auto a = builder->addInputTensor(info);
  auto b = builder->addInputTensor(info);
  auto o = builder->aiOnnxOpset9().add({a, b});
  builder->addOutputTensor(o);
  std::cout << "tensors " << a << " " << b << " " << o << "\n";

  auto dataFlow = popart::DataFlow(1, {{o, popart::AnchorReturnType("ALL")}});
  auto session = popart::InferenceSession::createFromOnnxModel(
      builder->getModelProto(), dataFlow, deviceOf(argv[1]));
  session->prepareDevice();

  float rawA[] = {1.5f, 2}, rawB[] = {3, 4.25f}, rawOut[] = {0, 0};
  popart::NDArrayWrapper<float> arrayA(rawA, {2});
  popart::NDArrayWrapper<float> arrayB(rawB, {2});
  popart::NDArrayWrapper<float> out(rawOut, {2});
  std::map<popart::TensorId, popart::IArray &> inputs = {{a, arrayA},
                                                         {b, arrayB}};
  std::map<popart::TensorId, popart::IArray &> anchors = {{o, out}};
  popart::StepIO stepio(inputs, anchors);
  session->weightsFromHost();
  session->run(stepio);
  std::cout << "sum " << rawOut[0] << " " << rawOut[1] << "\n";
}
