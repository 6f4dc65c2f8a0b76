// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gated recurrent units with attention, and plain recurrent layers, against
// step-by-step references in double, whose gradients are differences.

#include "RecurrentReference.h"

#include <popnn/Gru.hpp>
#include <popnn/Recurrent.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;
using popnn::NonLinearityType;
using popnn::gru::GruParams;
using popnn::gru::GruWeights;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

/// The attention scores of a GRU come with its data.
struct Layer : RecurrentLayer {
  Values attention;

  Layer(std::size_t steps, std::size_t batch, std::size_t in, std::size_t out,
        std::size_t units)
      : RecurrentLayer(steps, batch, in, out, units),
        attention(randomValues(batch * steps, 0, 1, 6)) {}
};

/// The outputs of all steps, zero beyond the lengths; units are the reset and
/// the update gate and the candidate.
Values attentionGru(const Layer &l, bool resetAfter, const Values &lengths) {
  Values h = l.state, outputs;
  for (std::size_t t = 0; t != l.steps; ++t) {
    const Values before = h;
    for (std::size_t b = 0; b != l.batch; ++b) {
      Values reset(l.out), update(l.out), left = before;
      for (std::size_t o = 0; o != l.out; ++o) {
        const auto gate = [&](std::size_t unit) {
          double z = l.inputProduct(t, b, unit, o) +
                     l.stateProduct(before, b, unit, o) +
                     l.biases[(resetAfter ? unit * 2 : unit) * l.out + o];
          if (resetAfter)
            z += l.biases[(unit * 2 + 1) * l.out + o];
          return sigmoid(z);
        };
        reset[o] = gate(0);
        update[o] = gate(1) * (1 - l.attention[b * l.steps + t]);
        left[b * l.out + o] *= reset[o];
      }
      for (std::size_t o = 0; o != l.out; ++o) {
        const bool active = t < lengths[b];
        double z = l.inputProduct(t, b, 2, o);
        if (resetAfter)
          z += l.biases[4 * l.out + o] +
               reset[o] *
                   (l.stateProduct(before, b, 2, o) + l.biases[5 * l.out + o]);
        else
          z += l.stateProduct(left, b, 2, o) + l.biases[2 * l.out + o];
        const std::size_t i = b * l.out + o;
        if (active)
          h[i] = update[o] * before[i] + (1 - update[o]) * std::tanh(z);
        outputs.push_back(active ? h[i] : 0);
      }
    }
  }
  return outputs;
}

/// [steps][batch][out] of f(x W + h U + b).
Values plain(const Layer &l, NonLinearityType type) {
  Values h = l.state, outputs;
  for (std::size_t t = 0; t != l.steps; ++t) {
    const Values before = h;
    for (std::size_t i = 0; i != h.size(); ++i) {
      const std::size_t b = i / l.out, o = i % l.out;
      const double z = l.inputProduct(t, b, 0, o) +
                       l.stateProduct(before, b, 0, o) + l.biases[o];
      h[i] = type == NonLinearityType::TANH      ? std::tanh(z)
             : type == NonLinearityType::SIGMOID ? sigmoid(z)
                                                 : std::max(z, 0.0);
    }
    outputs.insert(outputs.end(), h.begin(), h.end());
  }
  return outputs;
}

Values transposed(const Values &m, std::size_t rows, std::size_t columns) {
  Values result(m.size());
  for (std::size_t r = 0; r != rows; ++r)
    for (std::size_t c = 0; c != columns; ++c)
      result[c * rows + r] = m[r * columns + c];
  return result;
}

} // namespace

TEST_P(OnDevices, AttentionGru) {
  struct Case {
    bool resetAfter;
    Values lengths;
    Type type;
  };
  const Case cases[] = {
      {false, {3, 3}, FLOAT}, {true, {3, 1}, FLOAT}, {false, {2, 3}, HALF}};
  for (const Case &c : cases) {
    Layer l(3, 2, 4, 5, 3);
    l.biases.resize(l.out * (c.resetAfter ? 6 : 3));
    const Values outputGrad = randomValues(l.steps * l.batch * l.out, -1, 1, 7);
    Program p(GetParam());
    GruParams params(c.type, l.batch, l.steps, {l.in, l.out});
    params.resetAfter = c.resetAfter;
    const Tensor in = popnn::gru::createInput(p.graph, params, "in");
    const GruWeights weights = popnn::gru::createWeights(p.graph, params, "w");
    const Tensor state =
        popnn::gru::createInitialState(p.graph, params, "state");
    const Tensor attention =
        popnn::gru::createAttention(p.graph, params, "attention");
    p.write(in, l.input);
    p.write(weights.inputWeights, l.inputWeights);
    p.write(weights.outputWeights, l.outputWeights);
    p.write(weights.biases, l.biases);
    p.write(state, l.state);
    p.write(attention, l.attention);
    const Tensor steps = p.input(UNSIGNED_INT, {l.batch}, c.lengths);
    Tensor intermediates, inputGrad, attentionGrad;
    GruWeights weightsGrad;
    const Tensor output =
        popnn::gru::auGruFwd(p.graph, params, state, in, steps, weights,
                             &intermediates, attention, p.prog);
    const Tensor stateGrad = popnn::gru::auGruBwdWithWU(
        p.graph, params, p.prog, state, intermediates, weights, in, steps,
        output, p.input(c.type, output.shape(), outputGrad), &inputGrad,
        weightsGrad, attention, &attentionGrad);
    ASSERT_EQ(attentionGrad.shape(), attention.shape());
    const auto outputs = p.output(output);
    const auto ofInput = p.output(inputGrad);
    const auto ofInputWeights = p.output(weightsGrad.inputWeights);
    const auto ofOutputWeights = p.output(weightsGrad.outputWeights);
    const auto ofBiases = p.output(weightsGrad.biases);
    const auto ofState = p.output(stateGrad);
    const auto ofAttention = p.output(attentionGrad);
    p.run();
    const double tolerance = c.type == HALF ? 2e-2 : 5e-5;
    expectNear(p.result(outputs), attentionGru(l, c.resetAfter, c.lengths),
               tolerance, tolerance);
    const auto expectGradient = [&](const std::string &handle,
                                    Values &parameter) {
      expectNear(p.result(handle),
                 differences(parameter,
                             [&] {
                               return dot(
                                   attentionGru(l, c.resetAfter, c.lengths),
                                   outputGrad);
                             }),
                 tolerance, tolerance);
    };
    expectGradient(ofInput, l.input);
    expectGradient(ofInputWeights, l.inputWeights);
    expectGradient(ofOutputWeights, l.outputWeights);
    expectGradient(ofBiases, l.biases);
    expectGradient(ofState, l.state);
    expectGradient(ofAttention, l.attention);
  }
}

// Without a score the layer is the ordinary one, with a score of 1 each step
// begins anew; scores of another shape are refused.
TEST_P(OnDevices, AttentionScores) {
  const Layer l(2, 3, 2, 3, 3);
  Program p(GetParam());
  const GruParams params(FLOAT, l.batch, l.steps, {l.in, l.out});
  const GruWeights weights{
      p.input({3, l.in, l.out}, l.inputWeights),
      p.input({3, l.out, l.out}, l.outputWeights),
      p.input({3, l.out}, Values(l.biases.begin(), l.biases.begin() + 9))};
  const Tensor in = p.input({l.steps, l.batch, l.in}, l.input);
  const Tensor state = p.input({l.batch, l.out}, l.state);
  const Tensor zeros = p.input({l.batch, l.steps}, Values(6, 0.0));
  const auto plainOutput = p.output(
      popnn::gru::gruFwd(p.graph, params, state, in, weights, nullptr, p.prog));
  const auto withZeros = p.output(popnn::gru::auGruFwd(
      p.graph, params, state, in, weights, nullptr, zeros, p.prog));
  EXPECT_THROW(popnn::gru::auGruFwd(p.graph, params, state, in, weights,
                                    nullptr, zeros.transpose(), p.prog),
               poputil::poplibs_error);
  p.run();
  EXPECT_EQ(p.result(withZeros), p.result(plainOutput));
}

TEST_P(OnDevices, PlainLayer) {
  struct Case {
    Layer layer;
    NonLinearityType activation;
    Type type;
  };
  const Case cases[] = {{{3, 2, 4, 5, 1}, NonLinearityType::TANH, FLOAT},
                        {{1, 1, 1, 1, 1}, NonLinearityType::SIGMOID, FLOAT},
                        {{4, 3, 7, 3, 1}, NonLinearityType::RELU, FLOAT},
                        {{3, 2, 4, 5, 1}, NonLinearityType::TANH, HALF}};
  namespace rnn = popnn::rnn;
  for (const Case &c : cases) {
    Layer l = c.layer;
    l.biases.resize(l.out);
    const Values outputGrad = randomValues(l.steps * l.batch * l.out, -1, 1, 7);
    Program p(GetParam());
    const Tensor in =
        rnn::createInput(p.graph, l.steps, l.batch, l.in, l.out, c.type);
    const Tensor w =
        rnn::createWeightsInput(p.graph, l.steps, l.batch, l.in, l.out, c.type);
    const Tensor u =
        rnn::createWeightsFeedback(p.graph, l.batch, l.out, c.type);
    const Tensor biases = p.input(c.type, {l.out}, l.biases);
    const Tensor state = rnn::createFwdState(p.graph, c.type, l.batch, l.out,
                                             p.prog, false, false);
    ASSERT_EQ(w.shape(), (Shape{l.out, l.in}));
    p.write(in, l.input);
    p.write(w, transposed(l.inputWeights, l.in, l.out));
    p.write(u, transposed(l.outputWeights, l.out, l.out));
    p.write(rnn::getOutputFromFwdState(state), l.state);
    const Tensor output = rnn::rnnFwdSequence(
        p.graph, p.prog, state, nullptr, biases, w, u, in, c.activation, FLOAT);
    const Tensor grad = p.input(c.type, output.shape(), outputGrad);
    const auto gradients =
        rnn::rnnBwdSequence(p.graph, true, false, p.prog, state, output, biases,
                            w, u, grad, in, c.activation, FLOAT);
    // The same a step at a time.
    const auto zeros = [&](const Shape &shape) {
      return p.input(c.type, shape, Values(product(shape)));
    };
    Tensor dw = zeros({l.out, l.in}), du = zeros({l.out, l.out}),
           db = zeros({l.out});
    Tensor delta = rnn::createBwdState(p.graph, c.type, l.batch, l.out, p.prog);
    std::vector<Tensor> inputGrads(l.steps);
    for (std::size_t t = l.steps; t-- != 0;) {
      const auto step =
          rnn::backwardGradientStep(p.graph, grad[t], delta, output[t], w, u,
                                    p.prog, c.activation, FLOAT);
      inputGrads[t] = step.first.expand({0});
      delta = step.second;
      rnn::paramDeltaUpdate(p.graph, delta, in[t],
                            t == 0 ? rnn::getOutputFromFwdState(state)
                                   : output[t - 1],
                            dw, du, db, p.prog, FLOAT);
    }
    const auto outputs = p.output(output);
    const std::string whole[] = {
        p.output(std::get<0>(gradients)), p.output(std::get<1>(gradients)),
        p.output(std::get<2>(gradients)), p.output(std::get<3>(gradients))};
    const std::string stepwise[] = {p.output(concat(inputGrads)), p.output(dw),
                                    p.output(du), p.output(db)};
    p.run();
    const double tolerance = c.type == HALF ? 2e-2 : 5e-5;
    expectNear(p.result(outputs), plain(l, c.activation), tolerance, tolerance);
    const auto gradientOf = [&](Values &parameter) {
      return differences(
          parameter, [&] { return dot(plain(l, c.activation), outputGrad); });
    };
    const Values expected[] = {
        gradientOf(l.input),
        transposed(gradientOf(l.inputWeights), l.in, l.out),
        transposed(gradientOf(l.outputWeights), l.out, l.out),
        gradientOf(l.biases)};
    for (std::size_t i = 0; i != 4; ++i) {
      expectNear(p.result(whole[i]), expected[i], tolerance, tolerance);
      expectNear(p.result(stepwise[i]), expected[i], tolerance, tolerance);
    }
  }
}

TEST(PlainRecurrent, Parts) {
  namespace rnn = popnn::rnn;
  Program p("cpu");
  const Tensor t = p.input({3, 2, 4}, Values(24));
  EXPECT_THROW(
      rnn::forwardWeightInput(p.graph, t, p.input({5, 3}, Values(15)), p.prog),
      poputil::poplibs_error);
  EXPECT_THROW(rnn::getOutputFromFwdState(t[0]), poputil::poplibs_error);
  EXPECT_EQ(
      rnn::getMatMulPrePlanParameters(3, 2, 4, 5, FLOAT, FLOAT, true).size(),
      2u);
  // 6 outputs of 5 elements; 4 + 5 products and sums, two sums.
  EXPECT_EQ(rnn::getFwdFlops(3, 2, 4, 5), 6u * 5 * (2 * 9 + 2));
  const rnn::RnnParams params(FLOAT, 2, 3, {4, 5});
  EXPECT_EQ(rnn::createInputTensor(p.graph, params, 1).shape(),
            (Shape{3, 2, 4}));
  EXPECT_EQ(rnn::createOutputTensor(p.graph, params, 2, 1).shape(),
            (Shape{6, 2, 5}));
  EXPECT_EQ(rnn::createInitialState(p.graph, params, true, 2, 1).shape(),
            (Shape{2, 2, 5}));
  const Values base = randomValues(6, -1, 1, 2);
  const Tensor shifted =
      rnn::shiftRnnTensor(p.graph, params, p.input({3, 1, 2}, base),
                          p.input({1, 1, 2}, {8, 9}), p.prog, 1);
  EXPECT_EQ(p.valuesOf(shifted),
            (Values{8, 9, base[0], base[1], base[2], base[3]}));
}
