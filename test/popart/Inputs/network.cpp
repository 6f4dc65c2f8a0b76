// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A small network with weights, made by a Builder; steps of several batches;
// every kind of anchor; inputs of another type than the device has; callbacks.

#include "device.hpp"

#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <cmath>
#include <iostream>
#include <numeric>

using popart::ConstVoidData;
using popart::TensorInfo;
using Floats = std::vector<float>;

static void print(const char *what, const Floats &values) {
  std::cout << what;
  for (float value : values)
    std::cout << " " << std::round(value * 1000) / 1000;
  std::cout << "\n";
}

int main(int, char **argv) {
  auto builder = popart::Builder::create();
  auto aiOnnx = builder->aiOnnxOpset10();
  auto image = builder->addInputTensor("FLOAT", {1, 1, 4, 4}, "image");
  auto row = builder->addInputTensor("INT64", {1}, "row");

  Floats kernel(2 * 1 * 3 * 3);
  std::iota(kernel.begin(), kernel.end(), -8.0f);
  auto weights = builder->addInitializedInputTensor(
      ConstVoidData(kernel.data(), TensorInfo("FLOAT", "(2,1,3,3)")),
      "weights");
  builder->pushNameScope("features");
  auto conv =
      aiOnnx.conv({image, weights}, {1, 1}, 1, {}, {1, 1, 1, 1}, {1, 1});
  builder->setPartialsType(conv, "FLOAT");
  auto relu = aiOnnx.relu({conv}, "rectify");
  auto pool = aiOnnx.maxpool({relu}, 1, {2, 2}, 0, {}, {}, 0, {2, 2})[0];
  builder->popNameScope();
  auto flat = builder->reshape_const(aiOnnx, {pool}, {2, 4});
  auto picked = aiOnnx.gather({flat, row}, 0);
  auto scaled = builder->aiGraphcoreOpset1().scale({picked}, 0.125f);
  scaled = builder->aiGraphcoreOpset1().printtensor({scaled}, 0, "scaled");
  auto mean = aiOnnx.reducemean({scaled}, std::vector<int64_t>{1}, 0);
  builder->addOutputTensor(mean);
  std::cout << conv << " " << pool << " " << builder->getTensorShape(conv)[1]
            << " channels of " << builder->getTensorDtypeString(conv) << "\n";

  constexpr int Batches = 4;
  popart::SessionOptions options;
  options.instrumentWithHardwareCycleCounter = true;
  options.engineOptions["debug.instrument"] = "true";
  popart::DataFlow dataFlow(Batches,
                            {{mean, popart::AnchorReturnType("All")},
                             {scaled, popart::AnchorReturnType("EveryN", 2)},
                             {picked, popart::AnchorReturnType("Sum")},
                             {relu, popart::AnchorReturnType("Final")}});
  auto session = popart::InferenceSession::createFromOnnxModel(
      builder->getModelProto(), dataFlow, deviceOf(argv[1]), {}, options,
      popart::Patterns(popart::PatternsLevel::Default).enableInPlace(false));
  session->prepareDevice();
  std::cout << "scaled is " << session->getInfo(scaled) << "\n";

  Floats images(Batches * 16);
  for (std::size_t i = 0; i != images.size(); ++i)
    images[i] = static_cast<float>((i * 7) % 5) / 4 - 0.5f;
  std::vector<int64_t> rows = {0, 1, 1, 0};
  Floats means(Batches), scaledRows(2 * 4), sums(4), last(2 * 16);
  popart::NDArrayWrapper<float> imageArray(images.data(),
                                           {Batches, 1, 1, 4, 4});
  popart::NDArrayWrapper<int64_t> rowArray(rows.data(), {Batches, 1});
  popart::NDArrayWrapper<float> meanArray(means.data(), {Batches});
  popart::NDArrayWrapper<float> scaledArray(scaledRows.data(), {2, 4});
  popart::NDArrayWrapper<float> sumArray(sums.data(), {1, 4});
  popart::NDArrayWrapper<float> lastArray(last.data(), {1, 2, 4, 4});
  popart::StepIO stepio({{image, imageArray}, {row, rowArray}},
                        {{mean, meanArray},
                         {scaled, scaledArray},
                         {picked, sumArray},
                         {relu, lastArray}});
  session->run(stepio);
  print("means", means);
  print("scaled", scaledRows);
  print("sums", sums);
  print("last", Floats(last.begin(), last.begin() + 6));
  if (argv[1] != std::string("cpu"))
    std::cout << "cycles " << (session->getCycleCount() > 0) << " report "
              << session->getSummaryReport().empty() << "\n";

  Floats again(Batches);
  std::size_t next = 0, result = 0;
  popart::StepIOCallback callbacks(
      [&](popart::TensorId id, bool) {
        return id == image
                   ? ConstVoidData(&images[next * 16],
                                   TensorInfo("FLOAT", "(1,1,4,4)"))
                   : ConstVoidData(&rows[next], TensorInfo("INT64", "(1)"));
      },
      [&](popart::TensorId id) { next += id == row; },
      [&](popart::TensorId id) {
        void *place = id == mean     ? &again[result++]
                      : id == scaled ? scaledRows.data()
                      : id == picked ? sums.data()
                                     : last.data();
        return popart::MutableVoidData(place, session->getInfo(id));
      },
      [](popart::TensorId) {});
  session->run(callbacks);
  std::cout << "callbacks " << (again == means ? "agree" : "differ") << "\n";
}
