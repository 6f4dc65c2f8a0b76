// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CtcBeamSearchDecoder. With as many beams as there are label sequences the
// search is exact, so the reference adds up the probabilities of all
// alignments. With fewer beams it is a beam search over a map of sequences.

#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace populus::popir::test {
namespace {

using Type = onnx::TensorProto;
using Labels = std::vector<std::int64_t>;

const MachineOptions Machines[] = {
    {"cpu", "cpu"}, {"ipu2", "ipu-model", 1, 8}, {"ipu2", "ipu", 1, 8}};

/// Log probabilities [T, N, C] that add up to one.
Array logProbabilities(const Shape &shape, unsigned seed) {
  Array x = randomArray(shape, seed);
  for (std::int64_t row = 0; row != shape[0] * shape[1]; ++row) {
    double sum = 0;
    for (std::int64_t c = 0; c != shape[2]; ++c)
      sum += std::exp(x.values[row * shape[2] + c]);
    for (std::int64_t c = 0; c != shape[2]; ++c)
      x.values[row * shape[2] + c] -= std::log(sum);
  }
  return x;
}

struct Search {
  const Array &logs;
  std::int64_t sequence, length, blank;

  std::int64_t classes() const { return logs.shape[2]; }
  double probability(std::int64_t t, std::int64_t c) const {
    return std::exp(logs({t, sequence, c}));
  }
};

/// Sequences by probability, from all alignments.
std::map<Labels, double> allSequences(const Search &search) {
  std::map<Labels, double> result;
  const auto count =
      std::int64_t(std::pow(search.classes(), search.length) + 0.5);
  for (std::int64_t alignment = 0; alignment != count; ++alignment) {
    Labels labels;
    double probability = 1;
    std::int64_t rest = alignment, before = search.blank;
    for (std::int64_t t = 0; t != search.length; ++t) {
      const std::int64_t c = rest % search.classes();
      rest /= search.classes();
      probability *= search.probability(t, c);
      if (c != search.blank && c != before)
        labels.push_back(c);
      before = c;
    }
    result[labels] += probability;
  }
  return result;
}

/// Sequences by probability, of which the best `width` go on in each step.
std::map<Labels, double> beamSearch(const Search &search, std::size_t width) {
  struct Ends {
    double blank = 0, label = 0;
    double total() const { return blank + label; }
  };
  std::map<Labels, Ends> beams = {{{}, {1, 0}}};
  for (std::int64_t t = 0; t != search.length; ++t) {
    std::map<Labels, Ends> next;
    for (const auto &[labels, ends] : beams)
      for (std::int64_t c = 0; c != search.classes(); ++c) {
        const double p = search.probability(t, c);
        const bool repeats = !labels.empty() && labels.back() == c;
        Labels longer = labels;
        longer.push_back(c);
        if (c == search.blank)
          next[labels].blank += ends.total() * p;
        else
          next[longer].label += (repeats ? ends.blank : ends.total()) * p;
        if (repeats)
          next[labels].label += ends.label * p;
      }
    std::vector<std::pair<double, Labels>> order;
    for (const auto &[labels, ends] : next)
      order.emplace_back(-ends.total(), labels);
    std::ranges::sort(order);
    beams.clear();
    for (std::size_t i = 0; i != std::min(width, order.size()); ++i)
      beams[order[i].second] = next[order[i].second];
  }
  std::map<Labels, double> result;
  for (const auto &[labels, ends] : beams)
    result[labels] = ends.total();
  return result;
}

/// Results of the operator for one sequence are the best of `wanted`.
void expectBest(const std::vector<Array> &found, const Search &search,
                const std::map<Labels, double> &wanted) {
  std::vector<std::pair<double, Labels>> order;
  for (const auto &[labels, probability] : wanted)
    if (probability > 0)
      order.emplace_back(-std::log(probability), labels);
  std::ranges::sort(order);
  const std::int64_t n = search.sequence, steps = search.logs.shape[0];
  for (std::int64_t path = 0; path != found[0].shape[1]; ++path) {
    const double cost = found[0]({n, path});
    if (path >= std::int64_t(order.size())) {
      EXPECT_TRUE(std::isinf(cost)) << "path " << path << " costs " << cost;
      continue;
    }
    const auto &[wantedCost, labels] = order[path];
    EXPECT_NEAR(cost, wantedCost, 1e-5 * (1 + wantedCost)) << "path " << path;
    ASSERT_EQ(found[1]({n, path}), double(labels.size())) << "path " << path;
    for (std::int64_t t = 0; t != steps; ++t)
      EXPECT_EQ(
          found[2]({n, path, t}),
          double(t < std::int64_t(labels.size()) ? labels[t] : search.blank))
          << "path " << path << " label " << t;
  }
}

std::vector<Array> decode(const Array &logs, const Array &lengths,
                          std::int64_t blank, std::int64_t width,
                          std::int64_t paths,
                          const MachineOptions &machine = {"cpu", "cpu"}) {
  return runGraphcoreResults(
      "CtcBeamSearchDecoder", {logs, {lengths, Type::UINT32}},
      {Type::FLOAT, Type::UINT32, Type::UINT32},
      {{"blank", blank}, {"beam_width", width}, {"top_paths", paths}}, machine);
}

TEST(CtcBeamSearch, ExactWithManyBeams) {
  const Array logs = logProbabilities({4, 3, 3}, 21);
  const Array lengths{{3}, {4, 2, 0}};
  for (std::int64_t blank : {0, 2})
    for (const MachineOptions &machine : Machines) {
      const auto found = decode(logs, lengths, blank, 40, 5, machine);
      for (std::int64_t n = 0; n != 3; ++n) {
        const Search search{logs, n, std::int64_t(lengths.values[n]), blank};
        expectBest(found, search, allSequences(search));
      }
    }
}

TEST(CtcBeamSearch, FewBeams) {
  const Array logs = logProbabilities({9, 2, 4}, 22);
  const Array lengths{{2}, {9, 7}};
  for (std::int64_t width : {1, 3, 8}) {
    const auto found =
        decode(logs, lengths, 0, width, std::min<std::int64_t>(width, 3));
    for (std::int64_t n = 0; n != 2; ++n) {
      const Search search{logs, n, std::int64_t(lengths.values[n]), 0};
      expectBest(found, search, beamSearch(search, width));
    }
  }
}

TEST(CtcBeamSearch, ImpossibleClasses) {
  Array logs = logProbabilities({3, 1, 3}, 23);
  for (std::int64_t t = 0; t != 3; ++t)
    logs({t, 0, 1}) = -INFINITY;
  const Search search{logs, 0, 3, 0};
  expectBest(decode(logs, {{1}, {3}}, 0, 20, 6), search, allSequences(search));
}

TEST(CtcBeamSearch, WhatDoesNotGoTogether) {
  const Array logs = logProbabilities({3, 2, 3}, 24), lengths{{2}, {3, 3}};
  EXPECT_THROW(decode(logs, {{3}, {3, 3, 3}}, 0, 4, 1), Error);
  EXPECT_THROW(decode(logs, lengths, 3, 4, 1), Error);
  EXPECT_THROW(decode(logs, lengths, 0, 4, 5), Error);
}

} // namespace
} // namespace populus::popir::test
