// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of sessions that training needs in float16: automatic loss scaling
// beside a simulation, running means, stochastic rounding; and others that
// change what a program does.
#include "device.hpp"

#include <popart/adam.hpp>
#include <popart/builder.hpp>
#include <popart/dataflow.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>

namespace {

using popart::AnchorReturnType;
using Device = std::shared_ptr<popart::DeviceInfo>;
using Floats = std::vector<float>;

// ---- A linear model in float16 ----------------------------------------------

// The loss is the sum of c (x w), so the gradients are c and x^T c. All numbers
// have few bits, so that float16 holds them exactly.
constexpr int Batch = 2, Size = 4, Steps = 12;

struct Data {
  Floats x, c;

  explicit Data(int batches) {
    unsigned state = 3;
    auto next = [&state](unsigned range) {
      state = state * 1664525u + 1013904223u;
      return (state >> 16) % range;
    };
    for (int i = 0; i != batches * Batch * Size; ++i) {
      x.push_back(static_cast<float>(next(2)));
      const int exponent = static_cast<int>(next(6)) - 3;
      c.push_back(std::ldexp(next(2) != 0 ? 1.0f : -1.0f, exponent));
    }
  }
};

struct Model {
  std::string proto, x, c, w, y, loss;
};

Model makeModel(const Floats &weights, const char *type = "FLOAT16") {
  Model model;
  auto builder = popart::Builder::create();
  auto onnx = builder->aiOnnxOpset9();
  const popart::TensorInfo info("FLOAT", popart::Shape{Size, Size});
  model.x = builder->addInputTensor("FLOAT", {Batch, Size});
  model.c = builder->addInputTensor("FLOAT", {Batch, Size});
  model.w = builder->addInitializedInputTensor({weights.data(), info}, "w");
  auto cast = [&](const std::string &id) {
    return std::string(type) == "FLOAT" ? id : onnx.cast({id}, type);
  };
  model.y = onnx.matmul({cast(model.x), cast(model.w)});
  model.loss = builder->aiGraphcoreOpset1().identityloss(
      {onnx.mul({model.y, cast(model.c)})}, popart::ReductionType::Sum);
  model.proto = builder->getModelProto();
  return model;
}

std::unique_ptr<popart::TrainingSession>
train(const Model &model, const std::vector<std::string> &anchors,
      const popart::Optimizer &optimizer, const popart::SessionOptions &options,
      const Device &device) {
  std::map<popart::TensorId, AnchorReturnType> returns;
  for (const std::string &anchor : anchors)
    returns.insert({anchor, AnchorReturnType("Final")});
  auto session = popart::TrainingSession::createFromOnnxModel(
      model.proto, popart::DataFlow(1, returns), model.loss, optimizer, device,
      {}, options);
  session->prepareDevice();
  session->weightsFromHost();
  return session;
}

/// Runs a step; the anchor's single number, if one is named.
float run(popart::Session &session, const Model &model, Data &data, int step,
          int microBatches = 1, const std::string &anchor = "") {
  const int place = step * microBatches * Batch * Size;
  const std::int64_t count = microBatches;
  popart::NDArrayWrapper<float> x(&data.x[place], {count, Batch, Size});
  popart::NDArrayWrapper<float> c(&data.c[place], {count, Batch, Size});
  float value = 0;
  popart::NDArrayWrapper<float> result(&value, popart::Shape{});
  std::map<popart::TensorId, popart::IArray &> outputs;
  if (!anchor.empty())
    outputs.insert({anchor, result});
  popart::StepIO io({{model.x, x}, {model.c, c}}, outputs);
  session.run(io);
  return value;
}

/// NaN where the session has no weight of that name.
Floats read(popart::Session &session, const std::string &name,
            const popart::Shape &shape) {
  const popart::TensorInfo info("FLOAT", shape);
  Floats values(static_cast<std::size_t>(info.nelms()), NAN);
  popart::WeightsIO io;
  io.insert(name, {values.data(), info});
  session.weightsToHost();
  session.readWeights(io);
  return values;
}

Floats weights(popart::Session &session, const Model &model) {
  return read(session, model.w, {Size, Size});
}

/// x^T c of one micro-batch.
std::vector<double> gradient(const Data &data, int batch) {
  std::vector<double> g(Size * Size, 0);
  for (int b = 0; b != Batch; ++b)
    for (int i = 0; i != Size; ++i)
      for (int o = 0; o != Size; ++o)
        g[i * Size + o] += data.x[(batch * Batch + b) * Size + i] *
                           data.c[(batch * Batch + b) * Size + o];
  return g;
}

// ---- Automatic loss scaling -------------------------------------------------

struct Case {
  const char *name;
  popart::GradientTensorTrackingMethod method;
  int period, microBatches;
};

constexpr float Rate = 1.0f / 64, Scaling = 64, Threshold = 0.25f,
                Edge = 0.03125f;

popart::SessionOptions scalingOptions(const Case &test, const Model &model) {
  popart::SessionOptions options;
  popart::AutomaticLossScalingSettings &settings =
      options.automaticLossScalingSettings;
  settings.enabled = true;
  settings.binEdgeLocation = Edge;
  settings.thresholdUpperCountProportion = Threshold;
  settings.updatePeriod = test.period;
  settings.gradientTensorTrackingMethod = test.method;
  if (test.method ==
      popart::GradientTensorTrackingMethod::GradientsOfUserSpecifiedTensors)
    settings.toTrackTensors = {model.y};
  options.enableGradientAccumulation = test.microBatches > 1;
  options.accumulationFactor = test.microBatches;
  return options;
}

/// The gradients of a micro-batch that count: of the loss, of all of its terms,
/// of y, and of the weights.
std::vector<double> tracked(const Case &test, const Data &data, int batch) {
  using Method = popart::GradientTensorTrackingMethod;
  std::vector<double> values;
  const float *c = &data.c[batch * Batch * Size];
  if (test.method == Method::AllNonViewChangingGradientTensors)
    values.assign(1 + Batch * Size, 1);
  if (test.method != Method::ConvAndMatmulGradients)
    values.insert(values.end(), c, c + Batch * Size);
  if (test.method != Method::GradientsOfUserSpecifiedTensors)
    for (double g : gradient(data, batch))
      values.push_back(g);
  return values;
}

void automaticLossScaling(const Case &test, const Device &device) {
  Data data(Steps * test.microBatches);
  const Model model = makeModel(Floats(Size * Size, 0.5f));
  const popart::SessionOptions options = scalingOptions(test, model);
  auto session = train(model, {"finalLossScale"},
                       popart::SGD({{"defaultLearningRate", {Rate, true}},
                                    {"lossScaling", {Scaling, false}}}),
                       options, device);
  std::vector<double> w(Size * Size, 0.5);
  double factor = 1, above = 0, all = 0;
  int changes = 0;
  bool isRight = true;
  for (int step = 0; step != Steps; ++step) {
    const double found =
        run(*session, model, data, step, test.microBatches, "finalLossScale");
    isRight &= found == Scaling * factor;
    for (int i = 0; i != test.microBatches; ++i) {
      const int batch = step * test.microBatches + i;
      for (double value : tracked(test, data, batch)) {
        above += std::fabs(value * Scaling * factor) > Edge * 65504;
        ++all;
      }
      const std::vector<double> g = gradient(data, batch);
      for (std::size_t k = 0; k != w.size(); ++k)
        w[k] -= Rate * g[k];
    }
    if (step % test.period == 0) {
      changes += above / all > Threshold;
      factor *= above / all > Threshold ? 0.5 : 2;
      above = all = 0;
    }
  }
  const Floats last = weights(*session, model);
  const bool areSame = std::equal(last.begin(), last.end(), w.begin());
  const bool isKept =
      read(*session, "lossScaleUpdateFactor", {})[0] == float(factor);
  std::cout << test.name << ": scaling "
            << (isRight && isKept ? "right" : "wrong")
            << (changes > 0 && changes < (Steps - 1) / test.period + 1
                    ? ""
                    : ", one way")
            << ", weights " << (areSame ? "right" : "wrong") << "\n";
}

void automaticLossScaling(const Device &device) {
  using Method = popart::GradientTensorTrackingMethod;
  const Method all = Method::AllNonViewChangingGradientTensors,
               products = Method::ConvAndMatmulGradients,
               named = Method::GradientsOfUserSpecifiedTensors;
  automaticLossScaling({"named tensors", named, 1, 1}, device);
  automaticLossScaling({"products", products, 1, 1}, device);
  automaticLossScaling({"all", all, 1, 1}, device);
  automaticLossScaling({"every second step", named, 2, 1}, device);
  automaticLossScaling({"micro-batches", all, 1, 2}, device);
  automaticLossScaling({"both", named, 2, 2}, device);
}

// ---- State that is scaled with the loss -------------------------------------

/// Adam's moments are scaled with the loss here, and the scaling changes from
/// step to step; the weights are those of a constant one of 1.
void scaledState(const Device &device) {
  Data data(Steps);
  const Model model = makeModel(Floats(Size * Size, 0.5f), "FLOAT");
  auto adam = [](float scaling, bool isScaled, popart::AdamMode mode) {
    return popart::Adam({{"defaultLearningRate", {Rate, true}},
                         {"lossScaling", {scaling, false}}},
                        mode, popart::DataType::FLOAT, popart::DataType::FLOAT,
                        popart::DataType::FLOAT, {}, isScaled);
  };
  for (popart::AdamMode mode :
       {popart::AdamMode::Adam, popart::AdamMode::AdaMax}) {
    auto plain = train(model, {}, adam(1, false, mode), {}, device);
    auto scaled = train(model, {}, adam(1, true, mode), {}, device);
    for (int step = 0; step != Steps; ++step) {
      const popart::Adam next =
          adam(static_cast<float>(1 << (step * 5 % 7)), true, mode);
      scaled->updateOptimizerFromHost(&next);
      run(*plain, model, data, step);
      run(*scaled, model, data, step);
    }
    const Floats a = weights(*plain, model), b = weights(*scaled, model);
    double worst = 0;
    for (std::size_t i = 0; i != a.size(); ++i)
      worst = std::max(worst, std::fabs(double(a[i]) - b[i]));
    std::cout << "scaled state: " << (worst < 1e-6 ? "the same" : "another")
              << "\n";
  }
}

// ---- Running means ----------------------------------------------------------

/// Sums of these gradients are beyond float16, their means are not.
void runningMean(const Device &device) {
  constexpr int MicroBatches = 4;
  Data data(MicroBatches);
  std::fill(data.x.begin(), data.x.end(), 1.0f);
  for (std::size_t i = 0; i != data.c.size(); ++i)
    data.c[i] = 8192.0f + 1024.0f * static_cast<float>(i / (Batch * Size));
  const Model model = makeModel(Floats(Size * Size, 0.0f));
  popart::SessionOptions options;
  options.enableGradientAccumulation = true;
  options.accumulationFactor = MicroBatches;
  options.accumulationAndReplicationReductionType = popart::ReductionType::Mean;
  options.meanAccumulationAndReplicationReductionStrategy =
      popart::MeanReductionStrategy::Running;
  const popart::Adam adam(
      {{"defaultLearningRate", {1.0f, true}}, {"defaultEps", {1.0f, true}}},
      popart::AdamMode::AdamNoBias, popart::DataType::FLOAT16);
  auto session = train(model, {}, adam, options, device);
  run(*session, model, data, 0, MicroBatches);
  const double mean = 2 * (8192.0 + 1024 * 1.5);
  const double wanted = -0.1 * mean / (std::sqrt(0.001 * mean * mean) + 1);
  const double found = weights(*session, model)[0];
  std::cout << "running mean in float16: "
            << (std::fabs(found / wanted - 1) < 2e-3 ? "right" : "wrong")
            << "\n";
}

// ---- Rounding ---------------------------------------------------------------

/// Weights in float16 move by a small part of their precision in each step.
Floats rounded(bool isStochastic, std::uint64_t seed, const Device &device) {
  auto builder = popart::Builder::create();
  const popart::Shape shape{256};
  const std::vector<std::uint16_t> ones(256, 0x3c00); // 1 in float16
  auto w = builder->addInitializedInputTensor(
      {ones.data(), popart::TensorInfo("FLOAT16", shape)}, "w");
  auto loss = builder->aiGraphcoreOpset1().identityloss(
      {w}, popart::ReductionType::Sum);
  const auto shown = builder->aiOnnxOpset9().cast({loss}, "FLOAT");
  popart::SessionOptions options;
  options.enableStochasticRounding = isStochastic;
  auto session = popart::TrainingSession::createFromOnnxModel(
      builder->getModelProto(),
      popart::DataFlow(10, {{shown, AnchorReturnType("Final")}}), loss,
      popart::ConstSGD(std::ldexp(1.0f, -14)), device, {}, options);
  session->prepareDevice();
  session->setRandomSeed(seed);
  session->weightsFromHost();
  float value = 0;
  popart::NDArrayWrapper<float> result(&value, popart::Shape{});
  std::map<popart::TensorId, popart::IArray &> none;
  popart::StepIO io(none, {{shown, result}});
  for (int i = 0; i != 2; ++i)
    session->run(io);
  return read(*session, w, shape);
}

void rounding(const Device &device) {
  const Floats nearest = rounded(false, 1, device);
  const Floats once = rounded(true, 1, device);
  double mean = 0;
  for (float value : once)
    mean += (1 - value) / static_cast<double>(once.size());
  // 20 steps of 2^-14, where the precision is 2^-11.
  std::cout << "to nearest: weights "
            << (nearest == Floats(256, 1.0f) ? "stay" : "move")
            << "; at random: they "
            << (once == nearest                                     ? "stay"
                : std::fabs(mean / std::ldexp(20.0, -14) - 1) < 0.2 ? "move"
                                                                    : "stray")
            << ", again " << (rounded(true, 1, device) == once)
            << ", with another seed " << (rounded(true, 2, device) == once)
            << "\n";
}

// ---- Others -----------------------------------------------------------------

std::unique_ptr<popart::InferenceSession>
infer(const std::string &proto, const std::string &anchor,
      const popart::SessionOptions &options, const Device &device) {
  auto session = popart::InferenceSession::createFromOnnxModel(
      proto, popart::DataFlow(1, {{anchor, AnchorReturnType("All")}}), device,
      {}, options);
  session->prepareDevice();
  return session;
}

/// A constant weight that is named can be changed.
void buffers(const Device &device) {
  auto builder = popart::Builder::create();
  const popart::TensorInfo info("FLOAT", popart::Shape{1});
  float two = 2, five = 5, value = 3, found[2] = {};
  auto x = builder->addInputTensor(info);
  auto b = builder->addInitializedInputTensor({&two, info}, "b");
  auto y = builder->aiOnnxOpset9().mul({x, b});
  popart::SessionOptions options;
  options.updatableNamedBuffers = {"b"};
  auto session = infer(builder->getModelProto(), y, options, device);
  popart::NDArrayWrapper<float> in(&value, info), first(&found[0], info),
      second(&found[1], info);
  popart::StepIO before({{x, in}}, {{y, first}}),
      after({{x, in}}, {{y, second}});
  session->run(before);
  popart::WeightsIO io;
  io.insert("b", {&five, info});
  session->writeWeights(io);
  session->buffersFromHost();
  session->run(after);
  std::cout << "buffer: " << found[0] << ", then " << found[1] << "\n";
}

/// State that stays on the device is missing in the saved model.
void streams(const Device &device) {
  Data data(2);
  const Model model = makeModel(Floats(Size * Size, 0.5f));
  for (const bool isOff : {false, true}) {
    popart::SessionOptions options;
    options.enableGradientAccumulation = true;
    options.accumulationFactor = 2;
    options.disableGradAccumulationTensorStreams = isOff;
    options.disableOptimizerStateTensorStreams = isOff;
    auto session = train(model, {}, popart::Adam({}), options, device);
    run(*session, model, data, 0, 2);
    std::cout << "saved steps " << read(*session, "Step___w", {})[0]
              << ", sums "
              << (std::isnan(read(*session, "Accum___w", {Size, Size})[0])
                      ? "not there"
                      : "there")
              << "\n";
  }
}

void attempt(const std::function<void()> &action) {
  try {
    action();
    std::cout << "no error\n";
  } catch (const std::exception &error) {
    std::cout << "error: " << error.what() << "\n";
  }
}

void errors(const Device &device) {
  const Model half = makeModel(Floats(Size * Size)),
              single = makeModel(Floats(Size * Size), "FLOAT");
  const popart::SGD varied({{"lossScaling", {Scaling, false}}});
  using Set = std::function<void(popart::SessionOptions &)>;
  auto with = [](const Set &set) {
    popart::SessionOptions options;
    options.automaticLossScalingSettings.enabled = true;
    set(options);
    return options;
  };
  auto attemptWith = [&](const Model &model, const Set &set) {
    attempt([&] { train(model, {}, varied, with(set), device); });
  };
  attempt([&] {
    infer(half.proto, half.y, with([](popart::SessionOptions &) {}), device);
  });
  attempt([&] {
    train(half, {}, popart::ConstSGD(0.1f),
          with([](popart::SessionOptions &) {}), device);
  });
  attemptWith(single, [](popart::SessionOptions &) {});
  attemptWith(half, [](popart::SessionOptions &options) {
    options.automaticLossScalingSettings.toTrackTensors = {"nothing"};
  });
  attemptWith(half, [](popart::SessionOptions &options) {
    options.automaticLossScalingSettings.thresholdUpperCountProportion = 1.5f;
  });
  attemptWith(half, [](popart::SessionOptions &options) {
    options.automaticLossScalingSettings.binEdgeLocation = -1;
  });
  attemptWith(half, [](popart::SessionOptions &options) {
    options.automaticLossScalingSettings.updatePeriod = 0;
  });
  attempt([&] {
    popart::SessionOptions options;
    options.enableReplicatedGraphs = true;
    options.replicatedGraphCount = 3;
    infer(single.proto, single.y, options, device);
  });
  attempt([&] {
    popart::SessionOptions options;
    options.enableExplicitMainLoops = true;
    infer(single.proto, single.y, options, device);
  });
  attempt([&] {
    auto builder = popart::Builder::create();
    auto x = builder->addInputTensor("INT64", {2});
    auto y = builder->aiOnnxOpset9().identity({x});
    popart::SessionOptions options;
    options.enableSupportedDataTypeCasting = false;
    infer(builder->getModelProto(), y, options, device);
  });
  // A division by zero stops an emulated IPU, if it is told to.
  attempt([&] {
    auto builder = popart::Builder::create();
    const popart::TensorInfo info("FLOAT", popart::Shape{1});
    auto x = builder->addInputTensor(info), z = builder->addInputTensor(info);
    auto y = builder->aiOnnxOpset9().div({x, z});
    popart::SessionOptions options;
    options.enableFloatingPointChecks = true;
    auto session = infer(builder->getModelProto(), y, options, device);
    float one = 1, zero = 0, result = 0;
    popart::NDArrayWrapper<float> a(&one, info), b(&zero, info),
        c(&result, info);
    popart::StepIO io({{x, a}, {z, b}}, {{y, c}});
    session->run(io);
  });
}

} // namespace

int main(int, char **argv) {
  const Device device = deviceOf(argv[1]);
  automaticLossScaling(device);
  scaledState(device);
  runningMean(device);
  rounding(device);
  buffers(device);
  streams(device);
  errors(device);
}
