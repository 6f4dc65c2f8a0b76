// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Normalisations and their gradients. Gradients are compared with differences
// of the loss sum(gradsIn * normalised).

#include "Harness.h"

#include <popnn/BatchNorm.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Norms.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;

namespace {

constexpr double Epsilon = 1e-3;

/// Maps each element to its statistic.
struct Grouping {
  Shape shape;        // N, C, field
  std::size_t groups; // 0: a batch normalisation
  bool strided = true;

  std::size_t count() const { return groups ? shape[0] * groups : shape[1]; }
  std::size_t operator()(std::size_t element) const {
    const std::size_t c = element / shape[2] % shape[1];
    const std::size_t n = element / (shape[1] * shape[2]);
    if (groups == 0)
      return c;
    return n * groups + (strided ? c % groups : c / (shape[1] / groups));
  }
};

struct Statistics {
  Values mean, invStdDev;
};

Statistics statistics(const Grouping &group, const Values &in, bool unbiased) {
  Values sum(group.count()), squares(group.count()), n(group.count());
  for (std::size_t i = 0; i != in.size(); ++i) {
    sum[group(i)] += in[i];
    ++n[group(i)];
  }
  for (std::size_t i = 0; i != in.size(); ++i) {
    const double d = in[i] - sum[group(i)] / n[group(i)];
    squares[group(i)] += d * d;
  }
  Statistics result;
  for (std::size_t g = 0; g != n.size(); ++g) {
    result.mean.push_back(sum[g] / n[g]);
    const double variance = squares[g] / (n[g] - unbiased);
    result.invStdDev.push_back(1 / std::sqrt(variance + Epsilon));
  }
  return result;
}

Values normalised(const Grouping &group, const Values &in, const Values &gamma,
                  const Values &beta) {
  const Statistics s = statistics(group, in, false);
  Values out;
  for (std::size_t i = 0; i != in.size(); ++i) {
    const std::size_t c = i / group.shape[2] % group.shape[1];
    out.push_back((in[i] - s.mean[group(i)]) * s.invStdDev[group(i)] *
                      gamma[c] +
                  beta[c]);
  }
  return out;
}

double loss(const Grouping &group, const Values &in, const Values &gamma,
            const Values &beta, const Values &grads) {
  const Values out = normalised(group, in, gamma, beta);
  double sum = 0;
  for (std::size_t i = 0; i != out.size(); ++i)
    sum += out[i] * grads[i];
  return sum;
}

/// The derivative of f by each element.
template <class F> Values differences(Values at, F f) {
  Values result;
  for (double &x : at) {
    const double old = x, step = 1e-4;
    x = old + step;
    const double above = f(at);
    x = old - step;
    result.push_back((above - f(at)) / (2 * step));
    x = old;
  }
  return result;
}

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, Statistics) {
  const Grouping batch{{3, 4, 6}, 0}, groups{{3, 4, 6}, 2},
      blocks{{3, 4, 6}, 2, false};
  const Values in = randomValues(3 * 4 * 6, -1, 3);
  for (const Type &type : {FLOAT, HALF}) {
    Program p(GetParam());
    const Tensor t = p.input(type, {3, 4, 6}, in);
    const std::pair<Tensor, Tensor> results[] = {
        popnn::bn::batchNormStatistics(p.graph, t, Epsilon, p.prog, true),
        popnn::bn::batchNormStatistics(p.graph, t, Epsilon, p.prog, false,
                                       true),
        popnn::gn::groupNormStatistics(p.graph, t, Epsilon, p.prog, 2, false),
        popnn::gn::groupNormStatistics(
            p.graph, t, Epsilon, p.prog, 2, true, true, FLOAT, {},
            {{"groupNormStridedChannelGrouping", "false"}}),
    };
    const Statistics expected[] = {
        statistics(batch, in, true), statistics(batch, in, false),
        statistics(groups, in, false), statistics(blocks, in, true)};
    std::vector<std::string> means, deviations;
    for (const auto &[mean, deviation] : results) {
      means.push_back(p.output(mean));
      deviations.push_back(p.output(deviation));
    }
    p.run();
    const double tolerance = type == HALF ? 4e-3 : 1e-5;
    for (std::size_t i = 0; i != means.size(); ++i) {
      SCOPED_TRACE(i);
      expectNear(p.result(means[i]), expected[i].mean, tolerance, tolerance);
      expectNear(p.result(deviations[i]), expected[i].invStdDev, tolerance);
    }
  }
}

TEST_P(OnDevices, GroupNormAndGradients) {
  std::vector<std::pair<Grouping, Shape>> cases;
  cases.emplace_back(Grouping{{2, 6, 4}, 3}, Shape{2, 6, 2, 2});
  cases.emplace_back(Grouping{{2, 6, 4}, 2, false}, Shape{2, 6, 4});
  cases.emplace_back(Grouping{{3, 5, 1}, 1}, Shape{3, 5});
  cases.emplace_back(Grouping{{2, 3, 6}, 3}, Shape{2, 3, 3, 2});
  Program p(GetParam());
  std::vector<std::string> outs, gammas, betas, inputs;
  for (const auto &[group, shape] : cases) {
    const std::size_t channels = shape[1];
    const OptionFlags options{
        {"groupNormStridedChannelGrouping", group.strided ? "true" : "false"}};
    const Tensor t = p.input(shape, randomValues(product(shape)));
    const Tensor grads = p.input(shape, randomValues(product(shape), -1, 1, 3));
    const Tensor gamma = popnn::createNormGamma(p.graph, t);
    const Tensor beta = popnn::createNormBeta(p.graph, t);
    p.write(gamma, randomValues(channels, 0.5, 2, 4));
    p.write(beta, randomValues(channels, -1, 1, 5));
    const auto s = popnn::gn::groupNormStatistics(p.graph, t, Epsilon, p.prog,
                                                  group.groups, false, true,
                                                  FLOAT, {}, options);
    const auto out = popnn::gn::groupNormalise(p.graph, t, gamma, beta, s.first,
                                               s.second, p.prog, {}, options);
    outs.push_back(p.output(out.first));
    const auto params = popnn::gn::groupNormParamGradients(
        p.graph, t, grads, s.first, s.second, p.prog, FLOAT, {}, options);
    gammas.push_back(p.output(params.first));
    betas.push_back(p.output(params.second));
    inputs.push_back(p.output(
        popnn::gn::groupNormGradients(p.graph, t, grads, s.first, s.second,
                                      gamma, p.prog, FLOAT, {}, options)));
  }
  p.run();
  for (std::size_t i = 0; i != outs.size(); ++i) {
    SCOPED_TRACE(i);
    const auto &[group, shape] = cases[i];
    const Values in = randomValues(product(shape));
    const Values grads = randomValues(in.size(), -1, 1, 3);
    const Values gamma = randomValues(shape[1], 0.5, 2, 4);
    const Values beta = randomValues(shape[1], -1, 1, 5);
    const Grouping &g = group;
    expectNear(p.result(outs[i]), normalised(g, in, gamma, beta), 1e-4, 1e-4);
    expectNear(p.result(gammas[i]),
               differences(gamma,
                           [&](const Values &x) {
                             return loss(g, in, x, beta, grads);
                           }),
               1e-3, 1e-4);
    expectNear(p.result(betas[i]),
               differences(beta,
                           [&](const Values &x) {
                             return loss(g, in, gamma, x, grads);
                           }),
               1e-3, 1e-4);
    expectNear(p.result(inputs[i]),
               differences(in,
                           [&](const Values &x) {
                             return loss(g, x, gamma, beta, grads);
                           }),
               1e-3, 1e-3);
  }
}

TEST_P(OnDevices, BatchNormAndGradients) {
  const Grouping group{{3, 2, 5}, 0};
  const Shape shape{3, 2, 5};
  const Values in = randomValues(30), grads = randomValues(30, -1, 1, 3);
  const Values gamma{1.5, -0.5}, beta{0.25, 2};
  Program p(GetParam());
  const Tensor t = p.input(shape, in), g = p.input(shape, grads);
  Tensor gammaIn = p.input({2}, gamma), betaIn = p.input({2}, beta);
  const auto s =
      popnn::bn::batchNormStatistics(p.graph, t, Epsilon, p.prog, false);
  const auto out = popnn::bn::batchNormalise(p.graph, t, gammaIn, betaIn,
                                             s.first, s.second, p.prog);
  const auto normal = p.output(out.first);
  const auto inference =
      p.output(popnn::bn::batchNormalise(p.graph, t, gammaIn, betaIn, p.prog));
  const auto gradient = p.output(popnn::bn::batchNormGradients(
      p.graph, t, g, s.first, s.second, gammaIn, p.prog));
  const auto params = popnn::bn::batchNormParamGradients(p.graph, t, g, s.first,
                                                         s.second, p.prog);
  popnn::bn::batchNormParamUpdate(p.graph, params.first, params.second, -0.5f,
                                  gammaIn, betaIn, p.prog);
  const auto gammaOut = p.output(gammaIn), betaOut = p.output(betaIn);
  p.run();
  Values folded, newGamma, newBeta;
  for (std::size_t i = 0; i != 30; ++i)
    folded.push_back(in[i] * gamma[i / 5 % 2] + beta[i / 5 % 2]);
  const Values dGamma = differences(
      gamma, [&](const Values &x) { return loss(group, in, x, beta, grads); });
  const Values dBeta = differences(
      beta, [&](const Values &x) { return loss(group, in, gamma, x, grads); });
  for (int i = 0; i != 2; ++i) {
    newGamma.push_back(gamma[i] - 0.5 * dGamma[i]);
    newBeta.push_back(beta[i] - 0.5 * dBeta[i]);
  }
  expectNear(p.result(normal), normalised(group, in, gamma, beta), 1e-4, 1e-4);
  expectNear(p.result(inference), folded);
  expectNear(p.result(gradient),
             differences(in,
                         [&](const Values &x) {
                           return loss(group, x, gamma, beta, grads);
                         }),
             1e-3, 1e-3);
  expectNear(p.result(gammaOut), newGamma, 1e-3, 1e-3);
  expectNear(p.result(betaOut), newBeta, 1e-3, 1e-3);
}

// Layer and instance normalisation are group normalisations.
TEST_P(OnDevices, LayerAndInstanceNorm) {
  const Values in = randomValues(2 * 4 * 3), ones(4, 1), zeros(4, 0);
  Program p(GetParam());
  const Tensor t = p.input({2, 4, 3}, in);
  const Tensor gamma = p.input({4}, ones), beta = p.input({4}, zeros);
  const auto layer =
      popnn::ln::layerNormStatistics(p.graph, t, Epsilon, p.prog, false);
  const auto instance =
      popnn::in::instanceNormStatistics(p.graph, t, Epsilon, p.prog, false);
  const auto layerOut =
      p.output(popnn::ln::layerNormalise(p.graph, t, gamma, beta, layer.first,
                                         layer.second, p.prog)
                   .first);
  const auto instanceOut = p.output(
      popnn::in::instanceNormalise(p.graph, t, gamma, beta, instance.first,
                                   instance.second, p.prog)
          .first);
  p.run();
  expectNear(p.result(layerOut), normalised({{2, 4, 3}, 1}, in, ones, zeros),
             1e-4, 1e-4);
  expectNear(p.result(instanceOut), normalised({{2, 4, 3}, 4}, in, ones, zeros),
             1e-4, 1e-4);
}

TEST(Norms, Errors) {
  Program p("cpu");
  const Tensor t = p.input({2, 6, 3}, Values(36));
  EXPECT_THROW(popnn::gn::groupNormStatistics(p.graph, t, 1, p.prog, 4, false),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::gn::groupNormStatistics(p.graph, t, 1, p.prog, 2, false,
                                              false, FLOAT, {},
                                              {{"stride", "true"}}),
               poplar::invalid_option);
  EXPECT_THROW(popnn::bn::batchNormWhiten(p.graph, t, t, t, p.prog),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::bn::batchNormStatistics(
                   p.graph, p.input(INT, {2, 2}, Values(4)), 1, p.prog, false),
               poputil::poplibs_error);
}
