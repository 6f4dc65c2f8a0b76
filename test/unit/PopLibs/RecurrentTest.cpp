// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recurrent layers against step-by-step references in double.

#include "RecurrentReference.h"

#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace test;
using popnn::gru::GruParams;
using popnn::gru::GruWeights;
using popnn::lstm::LstmParams;
using popnn::lstm::LstmState;

namespace {

/// The state of the cells of an LSTM comes with its data.
struct Layer : RecurrentLayer {
  Values cell;

  Layer(std::size_t steps, std::size_t batch, std::size_t in, std::size_t out,
        std::size_t units)
      : RecurrentLayer(steps, batch, in, out, units),
        cell(randomValues(batch * out, -1, 1, 6)) {}
};

struct Sequences {
  Values outputs, state, cell;
};

/// \p order gives for f, i, g, o their places.
Sequences lstm(const Layer &l, const std::vector<std::size_t> &order,
               const Values &lengths) {
  Sequences s{{}, l.state, l.cell};
  for (std::size_t t = 0; t != l.steps; ++t) {
    const Values h = s.state;
    for (std::size_t b = 0; b != l.batch; ++b)
      for (std::size_t o = 0; o != l.out; ++o) {
        if (t >= lengths[b]) {
          s.outputs.push_back(0);
          continue;
        }
        double z[4];
        for (int u = 0; u != 4; ++u)
          z[u] = l.inputProduct(t, b, order[u], o) +
                 l.stateProduct(h, b, order[u], o) +
                 l.biases[order[u] * l.out + o];
        double &c = s.cell[b * l.out + o];
        c = sigmoid(z[0]) * c + sigmoid(z[1]) * std::tanh(z[2]);
        s.state[b * l.out + o] = sigmoid(z[3]) * std::tanh(c);
        s.outputs.push_back(s.state[b * l.out + o]);
      }
  }
  return s;
}

/// Biases are [3][out], or [3][2][out] with resetAfter.
Sequences gru(const Layer &l, bool resetAfter, const Values &lengths) {
  Sequences s{{}, l.state, {}};
  const auto bias = [&](std::size_t unit, std::size_t o) {
    return resetAfter ? l.biases[unit * 2 * l.out + o] +
                            l.biases[(unit * 2 + 1) * l.out + o]
                      : l.biases[unit * l.out + o];
  };
  for (std::size_t t = 0; t != l.steps; ++t) {
    const Values h = s.state;
    Values reset = h, update = h;
    const auto gate = [&](std::size_t unit, std::size_t b, std::size_t o) {
      return sigmoid(l.inputProduct(t, b, unit, o) +
                     l.stateProduct(h, b, unit, o) + bias(unit, o));
    };
    for (std::size_t i = 0; i != h.size(); ++i) {
      reset[i] = gate(0, i / l.out, i % l.out);
      update[i] = gate(1, i / l.out, i % l.out);
    }
    Values left = h;
    for (std::size_t i = 0; i != h.size(); ++i)
      left[i] *= reset[i];
    for (std::size_t i = 0; i != h.size(); ++i) {
      const std::size_t b = i / l.out, o = i % l.out;
      if (t >= lengths[b]) {
        s.outputs.push_back(0);
        continue;
      }
      double z = l.inputProduct(t, b, 2, o);
      if (resetAfter)
        z += l.biases[4 * l.out + o] +
             reset[i] * (l.stateProduct(h, b, 2, o) + l.biases[5 * l.out + o]);
      else
        z += l.stateProduct(left, b, 2, o) + bias(2, o);
      s.state[i] = update[i] * h[i] + (1 - update[i]) * std::tanh(z);
      s.outputs.push_back(s.state[i]);
    }
  }
  return s;
}

/// The gradients of all of a layer's data, where the loss is the weighted sum
/// of outputs (or the last ones) and last cell state.
struct Gradients {
  Values input, inputWeights, outputWeights, biases, state, cell;

  template <class Run> static Gradients of(Layer l, Run loss) {
    const auto by = [&](Values &parameter) {
      return differences(parameter, [&] { return loss(l); });
    };
    return {by(l.input),  by(l.inputWeights), by(l.outputWeights),
            by(l.biases), by(l.state),        by(l.cell)};
  }
};

} // namespace

POPLIBS_INSTANTIATE();

TEST_P(OnDevices, Lstm) {
  const Layer layers[] = {{3, 2, 5, 4, 4}, {1, 1, 1, 1, 4}, {5, 3, 7, 9, 4}};
  for (const Layer &l : layers)
    for (const Type &type : {FLOAT, HALF}) {
      Program p(GetParam());
      LstmParams params(type, l.batch, l.steps, {l.in, l.out});
      const Tensor in = popnn::lstm::createInput(p.graph, params, "in");
      const auto weights = popnn::lstm::createWeights(p.graph, params, "w");
      const LstmState state =
          popnn::lstm::createInitialState(p.graph, params, "state");
      p.write(in, l.input);
      p.write(weights.inputWeights, l.inputWeights);
      p.write(weights.outputWeights, l.outputWeights);
      p.write(weights.biases,
              Values(l.biases.begin(), l.biases.begin() + 4 * l.out));
      p.write(state.output, l.state);
      p.write(state.cellState, l.cell);
      const auto result = popnn::lstm::lstmFwd(p.graph, params, state, in,
                                               weights, nullptr, p.prog);
      params.outputFullSequence = false;
      const auto last =
          popnn::lstm::lstmFwd(p.graph, params, state, in, weights, nullptr,
                               p.prog, {}, {{"inferenceOnly", "true"}});
      const auto outputs = p.output(result.first);
      const auto cell = p.output(result.second);
      const auto lastOutput = p.output(last.first);
      p.run();
      const Sequences expected =
          lstm(l, {0, 1, 2, 3}, Values(l.batch, double(l.steps)));
      const double tolerance = type == HALF ? 2e-2 : 2e-5;
      expectNear(p.result(outputs), expected.outputs, tolerance, tolerance);
      expectNear(p.result(cell), expected.cell, tolerance, tolerance);
      expectNear(p.result(lastOutput), expected.state, tolerance, tolerance);
    }
}

// Sequences of different lengths, units in another order, ordinary layouts.
TEST_P(OnDevices, LstmSequenceLengths) {
  const Layer l(4, 3, 2, 5, 4);
  const Values lengths{2, 4, 0};
  Program p(GetParam());
  LstmParams params(FLOAT, 3, 4, p.input(UNSIGNED_INT, {3}, lengths), {2, 5});
  params.cellOrder = {BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_OUTPUT_GATE,
                      BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_CANDIDATE};
  const popnn::lstm::LstmWeights weights{
      p.input({4, 2, 5}, l.inputWeights), p.input({4, 5, 5}, l.outputWeights),
      p.input({4, 5}, Values(l.biases.begin(), l.biases.begin() + 20))};
  const LstmState state{p.input({3, 5}, l.state), p.input({3, 5}, l.cell)};
  const Tensor in = p.input({4, 3, 2}, l.input);
  const auto result = popnn::lstm::lstmFwd(p.graph, params, state, in, weights,
                                           nullptr, p.prog);
  const auto outputs = p.output(result.first), cell = p.output(result.second);
  params.outputFullSequence = false;
  const auto last = p.output(
      popnn::lstm::lstmFwd(p.graph, params, state, in, weights, nullptr, p.prog)
          .first);
  p.run();
  const Sequences expected = lstm(l, {2, 0, 3, 1}, lengths);
  expectNear(p.result(outputs), expected.outputs, 2e-5, 2e-5);
  expectNear(p.result(cell), expected.cell, 2e-5, 2e-5);
  expectNear(p.result(last), expected.state, 2e-5, 2e-5);
}

TEST_P(OnDevices, Gru) {
  for (bool resetAfter : {false, true})
    for (bool variable : {false, true}) {
      const Layer l(3, 2, 4, 5, 3);
      const Values lengths = variable ? Values{3, 1} : Values{3, 3};
      Program p(GetParam());
      GruParams params(FLOAT, l.batch, l.steps, {l.in, l.out});
      params.resetAfter = resetAfter;
      const Tensor in = popnn::gru::createInput(p.graph, params, "in");
      const GruWeights weights =
          popnn::gru::createWeights(p.graph, params, "w");
      const Tensor state =
          popnn::gru::createInitialState(p.graph, params, "state");
      p.write(in, l.input);
      p.write(weights.inputWeights, l.inputWeights);
      p.write(weights.outputWeights, l.outputWeights);
      p.write(weights.biases,
              Values(l.biases.begin(),
                     l.biases.begin() + weights.biases.numElements()));
      p.write(state, l.state);
      const Tensor steps = p.input(UNSIGNED_INT, {2}, lengths);
      const auto forward = [&] {
        return variable ? popnn::gru::gruFwd(p.graph, params, state, in, steps,
                                             weights, nullptr, p.prog)
                        : popnn::gru::gruFwd(p.graph, params, state, in,
                                             weights, nullptr, p.prog);
      };
      const auto outputs = p.output(forward());
      params.outputFullSequence = false;
      const auto last = p.output(forward());
      p.run();
      const Sequences expected = gru(l, resetAfter, lengths);
      expectNear(p.result(outputs), expected.outputs, 2e-5, 2e-5);
      expectNear(p.result(last), expected.state, 2e-5, 2e-5);
    }
}

TEST_P(OnDevices, LstmBackward) {
  struct Case {
    Layer layer;
    Values lengths;
    bool allSteps;
    Type type;
  };
  const Case cases[] = {{{3, 2, 3, 4, 4}, {3, 3}, true, FLOAT},
                        {{3, 2, 3, 4, 4}, {3, 3}, true, HALF},
                        {{4, 3, 2, 5, 4}, {2, 4, 0}, true, FLOAT},
                        {{4, 3, 2, 5, 4}, {3, 4, 1}, false, FLOAT},
                        {{1, 1, 1, 1, 4}, {1}, false, FLOAT}};
  for (const Case &c : cases) {
    Layer l = c.layer;
    l.biases.resize(4 * l.out);
    const std::vector<std::size_t> order{2, 0, 3, 1};
    const std::size_t outputs = (c.allSteps ? l.steps : 1) * l.batch * l.out;
    const Values outputGrad = randomValues(outputs, -1, 1, 7);
    const Values cellGrad = randomValues(l.batch * l.out, -1, 1, 8);
    const Gradients expected = Gradients::of(l, [&](const Layer &at) {
      const Sequences s = lstm(at, order, c.lengths);
      return dot(c.allSteps ? s.outputs : s.state, outputGrad) +
             dot(s.cell, cellGrad);
    });

    Program p(GetParam());
    LstmParams params(c.type, l.batch, l.steps,
                      p.input(UNSIGNED_INT, {l.batch}, c.lengths),
                      {l.in, l.out});
    params.outputFullSequence = c.allSteps;
    params.cellOrder = {BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_OUTPUT_GATE,
                        BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_CANDIDATE};
    const Tensor in = popnn::lstm::createInput(p.graph, params, "in");
    const auto weights = popnn::lstm::createWeights(p.graph, params, "w");
    const LstmState state =
        popnn::lstm::createInitialState(p.graph, params, "state");
    p.write(in, l.input);
    p.write(weights.inputWeights, l.inputWeights);
    p.write(weights.outputWeights, l.outputWeights);
    p.write(weights.biases, l.biases);
    p.write(state.output, l.state);
    p.write(state.cellState, l.cell);
    Tensor intermediates, inputGrad;
    const auto forward = popnn::lstm::lstmFwd(p.graph, params, state, in,
                                              weights, &intermediates, p.prog);
    const Tensor lastCellGrad = p.input(c.type, {l.batch, l.out}, cellGrad);
    popnn::lstm::LstmWeights weightsGrad;
    const LstmState stateGrad = popnn::lstm::lstmBwdWithWU(
        p.graph, params, p.prog, state, intermediates, weights, in,
        forward.first, p.input(c.type, forward.first.shape(), outputGrad),
        &lastCellGrad, &inputGrad, weightsGrad);
    const auto ofInput = p.output(inputGrad);
    const auto ofInputWeights = p.output(weightsGrad.inputWeights);
    const auto ofOutputWeights = p.output(weightsGrad.outputWeights);
    const auto ofBiases = p.output(weightsGrad.biases);
    const auto ofState = p.output(stateGrad.output);
    const auto ofCell = p.output(stateGrad.cellState);
    p.run();
    const double tolerance = c.type == HALF ? 2e-2 : 5e-5;
    expectNear(p.result(ofInput), expected.input, tolerance, tolerance);
    expectNear(p.result(ofInputWeights), expected.inputWeights, tolerance,
               tolerance);
    expectNear(p.result(ofOutputWeights), expected.outputWeights, tolerance,
               tolerance);
    expectNear(p.result(ofBiases), expected.biases, tolerance, tolerance);
    expectNear(p.result(ofState), expected.state, tolerance, tolerance);
    expectNear(p.result(ofCell), expected.cell, tolerance, tolerance);
  }
}

TEST_P(OnDevices, GruBackward) {
  struct Case {
    bool resetAfter, allSteps;
    Values lengths;
    Type type;
  };
  const Case cases[] = {{false, true, {3, 3}, FLOAT},
                        {true, true, {3, 1}, FLOAT},
                        {false, false, {2, 3}, FLOAT},
                        {true, true, {3, 3}, HALF}};
  for (const Case &c : cases) {
    Layer l(3, 2, 4, 5, 3);
    l.biases.resize(l.out * (c.resetAfter ? 6 : 3));
    const std::size_t outputs = (c.allSteps ? l.steps : 1) * l.batch * l.out;
    const Values outputGrad = randomValues(outputs, -1, 1, 7);
    const Gradients expected = Gradients::of(l, [&](const Layer &at) {
      const Sequences s = gru(at, c.resetAfter, c.lengths);
      return dot(c.allSteps ? s.outputs : s.state, outputGrad);
    });

    // The candidate comes first.
    const auto reordered = [](const Values &units) {
      Values result = units;
      std::rotate(result.begin(), result.end() - units.size() / 3,
                  result.end());
      return result;
    };
    Program p(GetParam());
    GruParams params(c.type, l.batch, l.steps, {l.in, l.out});
    params.resetAfter = c.resetAfter;
    params.outputFullSequence = c.allSteps;
    params.cellOrder = {BASIC_GRU_CELL_CANDIDATE, BASIC_GRU_CELL_RESET_GATE,
                        BASIC_GRU_CELL_UPDATE_GATE};
    const Tensor in = popnn::gru::createInput(p.graph, params, "in");
    const GruWeights weights = popnn::gru::createWeights(p.graph, params, "w");
    const Tensor state =
        popnn::gru::createInitialState(p.graph, params, "state");
    p.write(in, l.input);
    p.write(weights.inputWeights, reordered(l.inputWeights));
    p.write(weights.outputWeights, reordered(l.outputWeights));
    p.write(weights.biases, reordered(l.biases));
    p.write(state, l.state);
    const Tensor steps = p.input(UNSIGNED_INT, {l.batch}, c.lengths);
    Tensor intermediates, inputGrad;
    const Tensor output = popnn::gru::gruFwd(p.graph, params, state, in, steps,
                                             weights, &intermediates, p.prog);
    GruWeights weightsGrad;
    const Tensor stateGrad = popnn::gru::gruBwdWithWU(
        p.graph, params, p.prog, state, intermediates, weights, in, steps,
        output, p.input(c.type, output.shape(), outputGrad), &inputGrad,
        weightsGrad);
    const auto ofInput = p.output(inputGrad);
    const auto ofInputWeights = p.output(weightsGrad.inputWeights);
    const auto ofOutputWeights = p.output(weightsGrad.outputWeights);
    const auto ofBiases = p.output(weightsGrad.biases);
    const auto ofState = p.output(stateGrad);
    p.run();
    const double tolerance = c.type == HALF ? 2e-2 : 5e-5;
    expectNear(p.result(ofInput), expected.input, tolerance, tolerance);
    expectNear(p.result(ofInputWeights), reordered(expected.inputWeights),
               tolerance, tolerance);
    expectNear(p.result(ofOutputWeights), reordered(expected.outputWeights),
               tolerance, tolerance);
    expectNear(p.result(ofBiases), reordered(expected.biases), tolerance,
               tolerance);
    expectNear(p.result(ofState), expected.state, tolerance, tolerance);
  }
}

// An input that has been multiplied by the weights has its own gradient.
TEST_P(OnDevices, LstmBackwardWithoutInputWeights) {
  const Layer l(2, 1, 4 * 3, 3, 4);
  const auto loss = [&](const Values &products, const Values &outputGrad) {
    Layer at = l;
    at.input = products;
    // The product with these weights is the input itself.
    at.inputWeights.assign(at.inputWeights.size(), 0);
    for (std::size_t u = 0; u != 4; ++u)
      for (std::size_t o = 0; o != 3; ++o)
        at.inputWeights[(u * l.in + u * 3 + o) * 3 + o] = 1;
    at.biases.resize(12);
    return dot(lstm(at, {0, 1, 2, 3}, {2}).outputs, outputGrad);
  };
  Values products = l.input;
  const Values outputGrad = randomValues(6, -1, 1, 7);
  const Values expected =
      differences(products, [&] { return loss(products, outputGrad); });
  Program p(GetParam());
  LstmParams params(FLOAT, 1, 2, {12, 3});
  params.doInputWeightCalc = false;
  const popnn::lstm::LstmWeights weights{
      {},
      p.input({4, 3, 3}, l.outputWeights),
      p.input({4, 3}, Values(l.biases.begin(), l.biases.begin() + 12))};
  const LstmState state{p.input({1, 3}, l.state), p.input({1, 3}, l.cell)};
  const Tensor in = p.input({2, 1, 12}, l.input);
  Tensor intermediates, inputGrad, deltas;
  const auto forward = popnn::lstm::lstmFwd(p.graph, params, state, in, weights,
                                            &intermediates, p.prog);
  const Tensor *noCellGrad = nullptr;
  popnn::lstm::lstmBwd(p.graph, params, p.prog, state, intermediates, weights,
                       in, forward.first, p.input({2, 1, 3}, outputGrad),
                       noCellGrad, &inputGrad, &deltas);
  EXPECT_FALSE(popnn::lstm::lstmWU(p.graph, params, p.prog, state,
                                   intermediates, deltas, weights, in,
                                   forward.first)
                   .inputWeights.valid());
  expectNear(p.valuesOf(inputGrad), expected, 5e-5, 5e-5);
}

TEST(Recurrent, Errors) {
  Program p("cpu");
  EXPECT_THROW(
      popnn::lstm::createInput(p.graph, LstmParams(INT, 1, 1, {1, 1}), "in"),
      poputil::poplibs_error);
  EXPECT_THROW(
      popnn::gru::createInput(p.graph, GruParams(FLOAT, 1, 1, {1}), "in"),
      poputil::poplibs_error);
  const LstmParams params(FLOAT, 1, 2, {3, 4});
  EXPECT_THROW(popnn::lstm::createWeights(p.graph, params, "w",
                                          {{"rnnCodeReused", "true"}}),
               poplar::invalid_option);
  const auto weights = popnn::lstm::createWeights(p.graph, params, "w");
  const LstmState state =
      popnn::lstm::createInitialState(p.graph, params, "state");
  const Tensor in = popnn::lstm::createInput(p.graph, params, "in");
  EXPECT_THROW(popnn::lstm::lstmFwd(p.graph, params, state, in.slice(0, 1),
                                    weights, nullptr, p.prog),
               poputil::poplibs_error);
  Tensor intermediates, inputGrad;
  const auto forward = popnn::lstm::lstmFwd(p.graph, params, state, in, weights,
                                            &intermediates, p.prog);
  const Tensor *noCellGrad = nullptr;
  EXPECT_THROW(popnn::lstm::lstmBwd(p.graph, params, p.prog, state,
                                    intermediates, weights, in, forward.first,
                                    forward.first.slice(0, 1), noCellGrad,
                                    &inputGrad, nullptr),
               poputil::poplibs_error);
  EXPECT_THROW(popnn::lstm::lstmBwd(p.graph, params, p.prog, state,
                                    forward.first, weights, in, forward.first,
                                    forward.first, noCellGrad, &inputGrad,
                                    nullptr),
               poputil::poplibs_error);
}

TEST(Recurrent, Flops) {
  const LstmParams lstm(FLOAT, 2, 3, {4, 5});
  const GruParams gru(FLOAT, 2, 3, {4, 5});
  // 2 x 3 steps, 5 outputs, a product and a sum for each of 4 + 5 factors.
  EXPECT_EQ(popnn::lstm::getBasicLstmCellFwdFlops(lstm),
            6u * 5 * (2 * 9 * 4 + 12));
  EXPECT_EQ(popnn::gru::getBasicGruCellFwdFlops(gru),
            6u * 5 * (2 * 9 * 3 + 10));
  EXPECT_EQ(popnn::lstm::getBasicLstmCellWuFlops(lstm),
            6u * 5 * (2 * 9 * 4 + 4));
  EXPECT_LT(popnn::gru::getBasicGruCellWuFlops(gru),
            popnn::gru::getBasicGruCellBwdFlops(gru));
  EXPECT_LT(popnn::lstm::getBasicLstmCellWuFlops(lstm),
            popnn::lstm::getBasicLstmCellBwdFlops(lstm));
}
