// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training as programs do it: a softmax regression beside the same in float64.
#include "device.hpp"

#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/builder.hpp>
#include <popart/dataflow.hpp>
#include <popart/ndarraywrapper.hpp>
#include <popart/session.hpp>
#include <popart/sgd.hpp>
#include <popart/stepio.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <vector>

namespace {

using Vector = std::vector<double>;

constexpr int Batch = 6, In = 5, Classes = 3, Steps = 4;

struct Data {
  std::vector<float> x, w;
  std::vector<std::int32_t> labels;

  Data() {
    unsigned state = 1;
    auto next = [&state] {
      state = state * 1664525u + 1013904223u;
      return static_cast<float>(state >> 8) / (1 << 24) - 0.5f;
    };
    for (int i = 0; i != Steps * Batch * In; ++i)
      x.push_back(next());
    for (int i = 0; i != In * Classes; ++i)
      w.push_back(next());
    for (int i = 0; i != Steps * Batch; ++i)
      labels.push_back((i * 7) % Classes);
  }
};

/// The gradient of the mean loss of one batch, and the loss.
double gradient(const Data &data, const std::vector<double> &w, int step,
                std::vector<double> &g) {
  double loss = 0;
  g.assign(In * Classes, 0);
  for (int b = 0; b != Batch; ++b) {
    const float *x = &data.x[(step * Batch + b) * In];
    const int label = data.labels[step * Batch + b];
    double e[Classes], sum = 0;
    for (int c = 0; c != Classes; ++c) {
      double z = 0;
      for (int i = 0; i != In; ++i)
        z += x[i] * w[i * Classes + c];
      sum += e[c] = std::exp(z);
    }
    loss -= std::log(e[label] / sum) / Batch;
    for (int i = 0; i != In; ++i)
      for (int c = 0; c != Classes; ++c)
        g[i * Classes + c] += x[i] * (e[c] / sum - (c == label)) / Batch;
  }
  return loss;
}

using Update = std::function<void(std::vector<double> &w,
                                  const std::vector<double> &g, int step)>;

struct Model {
  std::string proto, x, labels, w, loss, probabilities;
};

Model makeModel(const Data &data, int batch) {
  Model model;
  auto builder = popart::Builder::create();
  auto opset = builder->aiOnnxOpset9();
  auto graphcore = builder->aiGraphcoreOpset1();
  model.x = builder->addInputTensor("FLOAT", {batch, In});
  model.labels = builder->addInputTensor("INT32", {batch});
  popart::TensorInfo info("FLOAT", popart::Shape{In, Classes});
  model.w = builder->addInitializedInputTensor({data.w.data(), info}, "w");
  model.probabilities = opset.softmax({opset.matmul({model.x, model.w})});
  model.loss = graphcore.nllloss({model.probabilities, model.labels},
                                 popart::ReductionType::Mean);
  model.proto = builder->getModelProto();
  return model;
}

std::unique_ptr<popart::TrainingSession>
makeSession(const Model &model, const std::string &proto,
            const popart::Optimizer &optimizer,
            const std::shared_ptr<popart::DeviceInfo> &device,
            const popart::SessionOptions &options = {}) {
  auto session = popart::TrainingSession::createFromOnnxModel(
      proto,
      popart::DataFlow(1, {{model.loss, popart::AnchorReturnType("All")}}),
      model.loss, optimizer, device, {}, options);
  session->prepareDevice();
  session->weightsFromHost();
  return session;
}

/// Runs a step; its losses.
std::vector<float> run(popart::Session &session, const Model &model, Data &data,
                       int step, int microBatches = 1) {
  std::vector<float> losses(microBatches);
  const std::int64_t rows = Batch;
  popart::NDArrayWrapper<float> x(&data.x[step * Batch * In], {rows, In});
  popart::NDArrayWrapper<std::int32_t> labels(&data.labels[step * Batch],
                                              {rows});
  popart::NDArrayWrapper<float> loss(losses.data(), {microBatches});
  popart::StepIO io({{model.x, x}, {model.labels, labels}},
                    {{model.loss, loss}});
  session.run(io);
  return losses;
}

std::vector<float> weights(popart::Session &session, const std::string &name) {
  std::vector<float> w(In * Classes);
  popart::WeightsIO io;
  io.insert(name, {w.data(),
                   popart::TensorInfo("FLOAT", popart::Shape{In, Classes})});
  session.weightsToHost();
  session.readWeights(io);
  return w;
}

double difference(const std::vector<float> &found,
                  const std::vector<double> &wanted) {
  double most = 0;
  for (std::size_t i = 0; i != wanted.size(); ++i)
    most = std::max(most, std::fabs(found[i] - wanted[i]));
  return most;
}

void report(const char *name, double loss, double weights) {
  std::cout << name << ": losses " << (loss < 1e-6 ? "agree" : "differ")
            << ", weights " << (weights < 1e-6 ? "agree" : "differ") << "\n";
}

void compare(const char *name, const popart::Optimizer &optimizer,
             const std::shared_ptr<popart::DeviceInfo> &device,
             const Update &update) {
  Data data;
  const Model model = makeModel(data, Batch);
  auto session = makeSession(model, model.proto, optimizer, device);
  std::vector<double> w(data.w.begin(), data.w.end()), g;
  double worst = 0;
  for (int step = 0; step != Steps; ++step) {
    const double loss = gradient(data, w, step, g);
    worst =
        std::max(worst, std::fabs(run(*session, model, data, step)[0] - loss));
    update(w, g, step);
  }
  report(name, worst, difference(weights(*session, model.w), w));
}

void optimizers(const std::shared_ptr<popart::DeviceInfo> &device) {
  compare("ConstSGD", popart::ConstSGD(0.5f, 0.25f), device,
          [](Vector &w, const Vector &g, int) {
            for (std::size_t i = 0; i != w.size(); ++i)
              w[i] -= 0.5 * (g[i] + 0.25 * w[i]);
          });
  std::vector<double> v(In * Classes), m = v, s = v;
  for (const bool isSeparate : {false, true}) {
    std::fill(v.begin(), v.end(), 0);
    compare(isSeparate ? "SGD, separate" : "SGD, combined",
            popart::SGD({{"defaultLearningRate", {0.25f, false}},
                         {"defaultMomentum", {0.5f, true}},
                         {"defaultWeightDecay", {0.125f, true}},
                         {"defaultVelocityScaling", {2.0f, true}},
                         {"lossScaling", {64.0f, false}}},
                        {},
                        isSeparate
                            ? popart::SGDAccumulatorAndMomentum::Separate
                            : popart::SGDAccumulatorAndMomentum::Combined),
            device, [&](Vector &w, const Vector &g, int) {
              for (std::size_t i = 0; i != w.size(); ++i) {
                v[i] = 0.5 * v[i] + g[i] + 0.125 * w[i];
                w[i] -= 0.25 * v[i];
              }
            });
  }
  std::fill(v.begin(), v.end(), 0);
  compare("Adam",
          popart::Adam({{"defaultLearningRate", {0.125f, false}},
                        {"defaultWeightDecay", {0.0625f, true}},
                        {"defaultBeta1", {0.75f, true}},
                        {"defaultBeta2", {0.875f, true}},
                        {"defaultEps", {1.0f / 1024, true}},
                        {"lossScaling", {8.0f, true}}},
                       popart::AdamMode::Adam, popart::WeightDecayMode::Decay,
                       popart::DataType::UNDEFINED, popart::DataType::FLOAT,
                       popart::DataType::FLOAT),
          device, [&](Vector &w, const Vector &g, int step) {
            for (std::size_t i = 0; i != w.size(); ++i) {
              m[i] = 0.75 * m[i] + 0.25 * g[i];
              s[i] = 0.875 * s[i] + 0.125 * g[i] * g[i];
              const double mean = m[i] / (1 - std::pow(0.75, step + 1));
              const double size = s[i] / (1 - std::pow(0.875, step + 1));
              w[i] -= 0.125 *
                      (mean / (std::sqrt(size) + 1.0 / 1024) + 0.0625 * w[i]);
            }
          });
  std::fill(s.begin(), s.end(), 0);
  compare("AdaGrad",
          popart::Adaptive({{"defaultLearningRate", {0.125f, true}},
                            {"defaultEps", {1.0f / 1024, true}}},
                           popart::AdaptiveMode::AdaGrad),
          device, [&](Vector &w, const Vector &g, int) {
            for (std::size_t i = 0; i != w.size(); ++i) {
              s[i] += g[i] * g[i];
              w[i] -= 0.125 * g[i] / (std::sqrt(s[i]) + 1.0 / 1024);
            }
          });
  compare("clipped",
          popart::SGD({{"defaultLearningRate", {1.0f, true}}},
                      {popart::ClipNormSettings::clipAllWeights(0.0625f)}),
          device, [](Vector &w, const Vector &g, int) {
            double norm = 0;
            for (double x : g)
              norm += x * x;
            norm = std::sqrt(norm);
            for (std::size_t i = 0; i != w.size(); ++i)
              w[i] -= g[i] * 0.0625 / std::max(norm, 0.0625);
          });
}

/// Micro-batches whose gradients are added up make the step of the batch.
void accumulation(const std::shared_ptr<popart::DeviceInfo> &device,
                  popart::MeanReductionStrategy strategy) {
  using Velocity = popart::SGDAccumulatorAndMomentum;
  for (const std::pair<float, Velocity> &kind :
       {std::make_pair(0.0f, Velocity::Combined),
        std::make_pair(0.5f, Velocity::Combined),
        std::make_pair(0.5f, Velocity::Separate)}) {
    Data data;
    const float momentum = kind.first;
    const popart::SGD optimizer({{"defaultLearningRate", {0.5f, true}},
                                 {"defaultMomentum", {momentum, true}}},
                                {}, kind.second);
    popart::SessionOptions options;
    options.meanAccumulationAndReplicationReductionStrategy = strategy;
    options.enableGradientAccumulation = true;
    options.accumulationFactor = 3;
    options.accumulationAndReplicationReductionType =
        popart::ReductionType::Mean;
    const Model model = makeModel(data, Batch / 3);
    auto session = makeSession(model, model.proto, optimizer, device, options);
    std::vector<double> w(data.w.begin(), data.w.end()), v(w.size()), g;
    double worst = 0;
    for (int step = 0; step != Steps; ++step) {
      const double loss = gradient(data, w, step, g);
      double mean = 0;
      for (float part : run(*session, model, data, step, 3))
        mean += part / 3.0;
      worst = std::max(worst, std::fabs(mean - loss));
      for (std::size_t i = 0; i != w.size(); ++i)
        w[i] -= 0.5 * (v[i] = momentum * v[i] + g[i]);
    }
    report("accumulated", worst, difference(weights(*session, model.w), w));
  }
}

/// A session that is made from what another one saved goes on as that does, and
/// an inference session takes the weights.
void saved(const std::shared_ptr<popart::DeviceInfo> &device,
           const std::string &path) {
  Data data;
  const Model model = makeModel(data, Batch);
  const popart::SGD optimizer({{"defaultLearningRate", {0.5f, false}},
                               {"defaultMomentum", {0.5f, true}}});
  auto session = makeSession(model, model.proto, optimizer, device);
  run(*session, model, data, 0);
  session->modelToHost(path);
  auto again = makeSession(model, path, optimizer, device);
  const bool isSame =
      run(*session, model, data, 1) == run(*again, model, data, 1) &&
      run(*session, model, data, 2) == run(*again, model, data, 2);
  std::cout << "resumed: " << (isSame ? "the same" : "another") << "\n";

  const popart::SGD slower({{"defaultLearningRate", {0.0f, false}},
                            {"defaultMomentum", {0.5f, true}}});
  session->updateOptimizerFromHost(&slower);
  const std::vector<float> before = weights(*session, model.w);
  run(*session, model, data, 3);
  std::cout << "rate 0: weights "
            << (weights(*session, model.w) == before ? "stay" : "change")
            << "\n";

  popart::SessionOptions options;
  options.constantWeights = false;
  auto inference = popart::InferenceSession::createFromOnnxModel(
      model.proto,
      popart::DataFlow(1, {{model.loss, popart::AnchorReturnType("All")}}),
      device, {}, options);
  inference->prepareDevice();
  session->modelToHost(path);
  inference->resetHostWeights(path, true);
  inference->weightsFromHost();
  std::cout << "inference: loss "
            << (run(*inference, model, data, 3) == run(*session, model, data, 3)
                    ? "the same"
                    : "another")
            << "\n";
}

/// The gradient drops the same elements as the model; each batch and each seed
/// drops others.
void dropout(const std::shared_ptr<popart::DeviceInfo> &device) {
  constexpr int Size = 256, Batches = 2;
  auto builder = popart::Builder::create();
  auto x = builder->addInputTensor("FLOAT", {Size});
  auto y = builder->aiOnnxOpset9().dropout({x}, 1, 0.25f)[0];
  auto loss = builder->aiGraphcoreOpset1().identityloss(
      {y}, popart::ReductionType::Sum);
  const auto all = popart::AnchorReturnType("All");
  const std::string gradient = "Gradient___" + x;
  auto session = popart::TrainingSession::createFromOnnxModel(
      builder->getModelProto(),
      popart::DataFlow(Batches, {{y, all}, {gradient, all}}), loss,
      popart::ConstSGD(0.1f), device);
  session->prepareDevice();
  session->weightsFromHost();
  std::vector<float> ones(Size * Batches, 1), out(ones.size()),
      slope(ones.size());
  auto runWith = [&](std::uint64_t seed) {
    popart::NDArrayWrapper<float> in(ones.data(), {Batches, Size}),
        result(out.data(), {Batches, Size}),
        gradients(slope.data(), {Batches, Size});
    popart::StepIO io({{x, in}}, {{y, result}, {gradient, gradients}});
    session->setRandomSeed(seed);
    session->run(io);
    return out;
  };
  const std::vector<float> first = runWith(5);
  const auto kept =
      std::count_if(first.begin(), first.end(), [](float v) { return v != 0; });
  const bool isScaled = std::all_of(first.begin(), first.end(), [](float v) {
    return v == 0 || std::fabs(v - 4 / 3.0f) < 1e-6f;
  });
  std::cout << "dropout: kept " << (kept > 330 && kept < 440 ? "3/4" : "wrong")
            << ", scaled " << isScaled << ", same in the gradient "
            << (slope == out) << ", batches differ "
            << !std::equal(first.begin(), first.begin() + Size,
                           first.begin() + Size)
            << ", the seed repeats " << (runWith(5) == first)
            << ", seeds differ " << (runWith(6) != first) << "\n";
}

void attempt(const std::function<void()> &action) {
  try {
    action();
    std::cout << "no error\n";
  } catch (const popart::error &error) {
    std::cout << "error: " << error.what() << "\n";
  }
}

void errors(const std::shared_ptr<popart::DeviceInfo> &device) {
  Data data;
  const Model model = makeModel(data, Batch);
  auto make = [&](const std::string &loss, const std::string &anchor,
                  const popart::Optimizer &optimizer) {
    return popart::TrainingSession::createFromOnnxModel(
        model.proto,
        popart::DataFlow(1, {{anchor, popart::AnchorReturnType("All")}}), loss,
        optimizer, device);
  };
  const popart::ConstSGD sgd(0.1f);
  attempt([&] { make("nothing", model.loss, sgd); });
  attempt([&] { make(model.probabilities, model.loss, sgd); });
  attempt([&] { make(model.loss, "Gradient___nothing", sgd); });
  attempt([&] {
    auto session = make(model.loss, model.loss, sgd);
    session->prepareDevice();
    run(*session, model, data, 0);
  });
  attempt([&] {
    auto session = makeSession(model, model.proto, sgd, device);
    const popart::ConstSGD other(0.2f);
    session->updateOptimizerFromHost(&other);
  });
  attempt([&] {
    auto withNesterov = [](float nesterov) {
      return popart::SGD({{"defaultLearningRate", {0.1f, false}},
                          {"defaultMomentum", {0.5f, true}},
                          {"nesterov", {nesterov, false}}});
    };
    auto session = makeSession(model, model.proto, withNesterov(0), device);
    const popart::SGD other = withNesterov(1);
    session->updateOptimizerFromHost(&other);
  });
  attempt([] { popart::SGD({{"learningRate", {0.1f, true}}}); });
  attempt([] { popart::ConstSGD(-1.0f); });
  attempt([] { popart::ConstSGD(0.0f); });
  attempt([] { popart::ConstSGD(0.1f, 0, 0); });
  attempt([] {
    popart::SGD optimizer({{"defaultLearningRate", {0.1f, true}}});
    optimizer.insertSpecific("w", {{"beta1", {0.1f, true}}});
  });
  attempt([&] {
    popart::SessionOptions options;
    options.accumulationFactor = 2;
    makeSession(model, model.proto, sgd, device, options);
  });
}

} // namespace

int main(int, char **argv) {
  auto device = deviceOf(argv[1]);
  optimizers(device);
  accumulation(device, popart::MeanReductionStrategy::Post);
  accumulation(device, popart::MeanReductionStrategy::Running);
  saved(device, argv[2]);
  dropout(device);
  errors(device);
}
