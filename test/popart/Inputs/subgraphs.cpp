// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs inside nodes: a branch, a loop, a scan and a call, made by Builders;
// losses; and random numbers, which a seed repeats.

#include "device.hpp"

#include <popart/builder.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/stepio.hpp>

#include <algorithm>
#include <iostream>

using popart::TensorId;

static TensorId constant(popart::Builder &builder, const std::string &type,
                         const void *value) {
  return builder.aiOnnxOpset11().constant(
      popart::ConstVoidData(value, popart::TensorInfo(type, popart::Shape{})));
}

/// x * 2 + y, twice.
static TensorId addCalls(popart::Builder &builder, TensorId x, TensorId y) {
  popart::Builder &callee = builder.createSubgraphBuilder();
  callee.setGraphName("twice");
  TensorId a = callee.addInputTensor("FLOAT", {2});
  TensorId b = callee.addUntypedInputTensor();
  callee.addOutputTensor(callee.aiOnnxOpset11().add(
      {callee.aiGraphcoreOpset1().scale({a}, 2), b}));
  TensorId once = builder.aiGraphcoreOpset1().call({x, y}, 1, callee)[0];
  return builder.aiGraphcoreOpset1().call({once, y}, 1, callee)[0];
}

/// Four times x + i + y, where y is of the graph around the body.
static TensorId addLoop(popart::Builder &builder, TensorId x, TensorId y) {
  std::int64_t count = 4;
  bool yes = true;
  popart::Builder &body = builder.createSubgraphBuilder();
  auto opset = body.aiOnnxOpset11();
  TensorId i = body.addInputTensor("INT64", {});
  TensorId goesOn = body.addInputTensor("BOOL", {});
  TensorId carried = body.addInputTensor("FLOAT", {2});
  body.addInputTensorFromParentGraph(y);
  TensorId sum = opset.add({opset.add({carried, opset.cast({i}, "FLOAT")}), y});
  body.addOutputTensor(opset.identity({goesOn}));
  body.addOutputTensor(sum);
  return builder.aiOnnxOpset11().loop(
      {constant(builder, "INT64", &count), constant(builder, "BOOL", &yes), x},
      1, body)[0];
}

/// x where its sum is above that of y, else y; by a condition of the run.
static TensorId addIf(popart::Builder &builder, TensorId x, TensorId y) {
  auto opset = builder.aiOnnxOpset11();
  TensorId isMore =
      opset.greater({opset.reducesum({x}, {}, 0), opset.reducesum({y}, {}, 0)});
  popart::Builder &yes = builder.createSubgraphBuilder();
  yes.addOutputTensor(yes.aiOnnxOpset11().identity({x}));
  popart::Builder &no = builder.createSubgraphBuilder();
  no.addOutputTensor(no.aiOnnxOpset11().identity({y}));
  return opset.logical_if({isMore}, 1, no, yes)[0];
}

/// Sums of the rows of a matrix so far.
static TensorId addScan(popart::Builder &builder, TensorId x, TensorId y) {
  auto opset = builder.aiOnnxOpset11();
  TensorId rows =
      opset.concat({opset.unsqueeze({x}, {0}), opset.unsqueeze({y}, {0})}, 0);
  popart::Builder &body = builder.createSubgraphBuilder();
  TensorId sum = body.addInputTensor("FLOAT", {2});
  TensorId row = body.addInputTensor("FLOAT", {2});
  TensorId next = body.aiOnnxOpset11().add({sum, row});
  body.addOutputTensor(next);
  body.addOutputTensor(body.aiOnnxOpset11().identity({next}));
  return opset.scan({x, rows}, 2, body, 1)[1];
}

static void print(const char *name, const std::vector<float> &values) {
  std::cout << name;
  for (float value : values)
    std::cout << " " << value;
  std::cout << "\n";
}

int main(int, char **argv) {
  auto builder = popart::Builder::create();
  TensorId x = builder->addInputTensor("FLOAT", {2});
  TensorId y = builder->addInputTensor("FLOAT", {2});
  std::vector<std::pair<const char *, TensorId>> results = {
      {"call", addCalls(*builder, x, y)},
      {"loop", addLoop(*builder, x, y)},
      {"if", addIf(*builder, x, y)},
      {"scan", addScan(*builder, x, y)},
      {"loss", builder->aiGraphcoreOpset1().l1loss({x}, 0.5f)},
      {"random", builder->aiOnnxOpset11().randomuniformlike({x})}};
  std::map<TensorId, popart::AnchorReturnType> anchors;
  std::map<TensorId, std::vector<float>> values;
  std::map<TensorId, popart::NDArrayWrapper<float>> arrays;
  std::map<TensorId, popart::IArray &> outputs;
  const int batches = 2;
  for (const auto &result : results) {
    builder->addOutputTensor(result.second);
    anchors.insert({result.second, popart::AnchorReturnType("All")});
    std::int64_t count =
        popart::TensorInfo("FLOAT", builder->getTensorShape(result.second))
            .nelms();
    std::vector<float> &value = values[result.second];
    value.resize(static_cast<std::size_t>(count * batches));
    arrays.insert({result.second, popart::NDArrayWrapper<float>(
                                      value.data(), {count * batches})});
    outputs.insert({result.second, arrays.at(result.second)});
  }
  auto session = popart::InferenceSession::createFromOnnxModel(
      builder->getModelProto(), popart::DataFlow(batches, anchors),
      deviceOf(argv[1]));
  session->prepareDevice();
  float rawX[] = {1, 2, 10, 20}, rawY[] = {3, 5, 1, 2};
  popart::NDArrayWrapper<float> inX(rawX, {4}), inY(rawY, {4});
  std::map<TensorId, popart::IArray &> inputs = {{x, inX}, {y, inY}};
  popart::StepIO step(inputs, outputs);

  const std::vector<float> &random = values[results.back().second];
  session->setRandomSeed(42);
  session->run(step);
  for (std::size_t i = 0; i + 1 != results.size(); ++i)
    print(results[i].first, values[results[i].second]);
  const std::vector<float> first = random;
  session->run(step);
  const std::vector<float> second = random;
  session->setRandomSeed(42);
  session->run(step);
  const std::vector<float> again = random;
  session->setRandomSeed(43);
  session->run(step);
  bool batchesDiffer =
      !std::equal(first.begin(), first.begin() + 2, first.begin() + 2);
  std::cout << "batches differ " << batchesDiffer << ", steps differ "
            << (first != second) << ", the seed repeats " << (first == again)
            << ", seeds differ " << (first != random) << "\n";
}
