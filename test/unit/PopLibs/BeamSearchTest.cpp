// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CTC beam search against the sum over all sequences of classes, where the beam
// holds all labels, and against a search of its own where it does not.

#include "Harness.h"

#include <popnn/CTCInference.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>

using namespace poplar;
using namespace test;
using namespace popnn;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

namespace {

using Label = std::vector<unsigned>;

struct Decoded {
  Label label;
  double logProb;
};

double logSum(double a, double b) {
  if (std::isinf(a) || std::isinf(b))
    return std::max(a, b);
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

std::vector<Decoded> sorted(const std::map<Label, double> &labels) {
  std::vector<Decoded> result;
  for (const auto &[label, logProb] : labels)
    result.push_back({label, logProb});
  std::stable_sort(
      result.begin(), result.end(),
      [](const Decoded &a, const Decoded &b) { return a.logProb > b.logProb; });
  return result;
}

/// All labels of [steps][classes], by adding up all sequences.
std::vector<Decoded> allLabels(const Values &logProbs, std::size_t steps,
                               std::size_t classes, unsigned blank) {
  std::map<Label, double> labels;
  std::size_t paths = 1;
  for (std::size_t t = 0; t != steps; ++t)
    paths *= classes;
  for (std::size_t path = 0; path != paths; ++path) {
    Label label;
    double logProb = 0;
    unsigned before = blank;
    for (std::size_t t = 0, rest = path; t != steps; ++t, rest /= classes) {
      const unsigned c = rest % classes;
      logProb += logProbs[t * classes + c];
      if (c != blank && c != before)
        label.push_back(c);
      before = c;
    }
    const auto [place, isNew] = labels.insert({label, logProb});
    if (!isNew)
      place->second = logSum(place->second, logProb);
  }
  return sorted(labels);
}

/// The labels that a beam of \p width has at the end.
std::vector<Decoded> beamSearch(const Values &logProbs, std::size_t steps,
                                std::size_t classes, unsigned blank,
                                std::size_t width) {
  constexpr double Never = -std::numeric_limits<double>::infinity();
  struct Ways {
    double blank = Never, symbol = Never;
  };
  std::map<Label, Ways> beam{{{}, {0, Never}}};
  const auto total = [](const Ways &w) { return logSum(w.blank, w.symbol); };
  for (std::size_t t = 0; t != steps; ++t) {
    const double *row = &logProbs[t * classes];
    std::map<Label, Ways> next;
    for (const auto &[label, ways] : beam) {
      Ways &same = next[label];
      same.blank = logSum(same.blank, total(ways) + row[blank]);
      if (!label.empty())
        same.symbol = logSum(same.symbol, ways.symbol + row[label.back()]);
      for (unsigned c = 0; c != classes; ++c) {
        if (c == blank)
          continue;
        Label longer = label;
        longer.push_back(c);
        const bool again = !label.empty() && label.back() == c;
        Ways &extended = next[longer];
        extended.symbol = logSum(extended.symbol,
                                 (again ? ways.blank : total(ways)) + row[c]);
      }
    }
    std::map<Label, double> totals;
    for (const auto &[label, ways] : next)
      if (total(ways) > Never)
        totals[label] = total(ways);
    beam.clear();
    for (const Decoded &kept : sorted(totals))
      if (beam.size() < width)
        beam[kept.label] = next[kept.label];
  }
  std::map<Label, double> totals;
  for (const auto &[label, ways] : beam)
    totals[label] = total(ways);
  return sorted(totals);
}

Values logSoftmaxOf(const Values &logits, std::size_t classes) {
  Values result = logits;
  for (std::size_t row = 0; row != logits.size(); row += classes) {
    double sum = 0;
    for (std::size_t c = 0; c != classes; ++c)
      sum += std::exp(logits[row + c]);
    for (std::size_t c = 0; c != classes; ++c)
      result[row + c] -= std::log(sum);
  }
  return result;
}

/// The data [steps][classes] of one sequence of a batch.
Values sequenceOf(const Values &data, std::size_t b, std::size_t batch,
                  std::size_t steps, std::size_t classes) {
  Values result;
  for (std::size_t t = 0; t != steps; ++t)
    for (std::size_t c = 0; c != classes; ++c)
      result.push_back(data[(t * batch + b) * classes + c]);
  return result;
}

struct Shapes {
  std::size_t times, classes;
  unsigned blank, width, paths;
  Values lengths;
  Type type;
};

} // namespace

TEST_P(OnDevices, BeamSearch) {
  const Shapes all[] = {{4, 3, 1, 40, 5, {4, 3, 2, 0}, FLOAT},
                        {7, 5, 0, 3, 3, {7, 6, 1, 7}, FLOAT},
                        {9, 4, 3, 6, 2, {9, 5, 8, 2}, FLOAT},
                        {5, 3, 2, 4, 2, {5, 4, 3, 5}, HALF},
                        {1, 2, 0, 4, 4, {1, 1, 1, 0}, FLOAT}};
  for (const Shapes &s : all) {
    const std::size_t batch = s.lengths.size();
    const Values logits =
        randomValues(s.times * batch * s.classes, -2, 2, s.times);
    Program p(GetParam());
    const auto plan =
        ctc_infer::plan(p.graph, s.type, batch, s.times, s.classes, s.width);
    const Tensor data = ctc_infer::createDataInput(
        p.graph, s.type, batch, s.times, s.classes, plan, "data");
    p.write(data, logits);
    const auto [probs, lengths, labels] = ctc_infer::beamSearchDecoderLogits(
        p.graph, data, p.input(UNSIGNED_INT, {batch}, s.lengths), p.prog,
        s.blank, s.width, s.paths, plan);
    ASSERT_EQ(probs.elementType(), s.type);
    ASSERT_EQ(labels.shape(), (Shape{batch, s.paths, s.times}));
    const auto probsOut = p.output(probs), lengthsOut = p.output(lengths),
               labelsOut = p.output(labels);
    p.run();
    const Values gotProbs = p.result(probsOut),
                 gotLengths = p.result(lengthsOut),
                 gotLabels = p.result(labelsOut);
    const Values logProbs = logSoftmaxOf(logits, s.classes);
    for (std::size_t b = 0; b != batch; ++b) {
      const auto steps = static_cast<std::size_t>(s.lengths[b]);
      const Values own = sequenceOf(logProbs, b, batch, steps, s.classes);
      const auto expected = beamSearch(own, steps, s.classes, s.blank, s.width);
      if (&s == all) {
        // The beam has all labels.
        const auto exact = allLabels(own, steps, s.classes, s.blank);
        ASSERT_EQ(exact.size(), expected.size());
        for (std::size_t i = 0; i != exact.size(); ++i) {
          ASSERT_EQ(exact[i].label, expected[i].label);
          ASSERT_NEAR(exact[i].logProb, expected[i].logProb, 1e-9);
        }
      }
      for (std::size_t path = 0; path != s.paths; ++path) {
        const std::size_t at = b * s.paths + path;
        const bool there = path < expected.size();
        const Label label = there ? expected[path].label : Label();
        ASSERT_EQ(gotLengths[at], label.size());
        for (std::size_t t = 0; t != s.times; ++t)
          ASSERT_EQ(gotLabels[at * s.times + t],
                    t < label.size() ? label[t] : s.blank);
        if (there)
          ASSERT_NEAR(gotProbs[at], -expected[path].logProb,
                      s.type == HALF ? 2e-2 : 1e-4);
        else
          ASSERT_TRUE(std::isinf(gotProbs[at]));
      }
    }
  }
}

TEST(BeamSearch, Refusals) {
  Program p("cpu");
  const Tensor data = p.input({3, 2, 4}, Values(24));
  const Tensor lengths = p.input(UNSIGNED_INT, {2}, {3, 3});
  const auto plan = ctc_infer::plan(p.graph, FLOAT, 2, 3, 4, 2);
  const auto decode = [&](unsigned blank, unsigned width, unsigned paths) {
    ctc_infer::beamSearchDecoderLogProbabilities(p.graph, data, lengths, p.prog,
                                                 blank, width, paths, plan);
  };
  EXPECT_THROW(decode(4, 2, 1), poputil::poplibs_error);
  EXPECT_THROW(decode(0, 2, 3), poputil::poplibs_error);
  EXPECT_THROW(decode(0, 0, 0), poputil::poplibs_error);
  EXPECT_THROW(
      ctc_infer::plan(p.graph, FLOAT, 2, 3, 4, 2, {{"sortStages", "2"}}),
      invalid_option);
}

// The IPU Model's estimate is that of the vertices on a tile.
TEST(BeamSearch, Estimate) {
  constexpr std::size_t Times = 12, Batch = 6;
  for (unsigned width : {2u, 5u, 10u})
    for (unsigned classes : {5u, 20u}) {
      std::map<std::string, double> cycles;
      for (const char *device : {"model6", "ipu6"}) {
        Program p(device);
        const auto plan =
            ctc_infer::plan(p.graph, FLOAT, Batch, Times, classes, width);
        const Tensor data =
            p.input({Times, Batch, classes},
                    randomValues(Times * Batch * classes, -4, -0.5));
        p.output(std::get<0>(ctc_infer::beamSearchDecoderLogProbabilities(
            p.graph, data, p.input(UNSIGNED_INT, {Batch}, Values(Batch, Times)),
            p.prog, 0, width, 1, plan)));
        cycles[device] = static_cast<double>(p.cycles());
      }
      EXPECT_NEAR(cycles["model6"] / cycles["ipu6"], 1, 0.2)
          << width << " beams, " << classes << " classes";
    }
}
