// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for repeats. Operators that agree get the same number, so the
// graph becomes a text, in whose repeated words stretches are looked for: for
// every two places it is known how far the words there agree (`common`). Each
// word of such a length is a candidate; the one that saves most is taken, its
// operators are out of the game, and so on until nothing pays. Of those that
// save the same, because they begin elsewhere in a layer, the one with the
// fewest copies is best.

#include "lib/PopART/Passes/Repeats.h"

#include "lib/PopART/Support/Log.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

namespace populus::popir {

namespace {

/// Longer graphs are left alone: the search takes the square of it.
constexpr std::size_t MaxOps = 6000;
/// Outputs that an operator may have.
constexpr std::int64_t MaxOutputs = 1 << 16;

bool hasEqualValue(const Value &a, const Value &b) {
  return a.constant() == b.constant() ||
         (a.info == b.info &&
          std::ranges::equal(a.constant()->bytes(), b.constant()->bytes()));
}

std::string describe(const Value *tensor) {
  if (!tensor)
    return "-";
  return (tensor->isConstant() ? "constant " : "") + toString(tensor->info);
}

/// What has to be equal for operators to agree, but for values of constants.
std::string describe(const Op &op) {
  std::string text = toString(op.id()) + "{" + op.attributes().toString() + "}";
  for (const Value *input : op.inputs())
    text += ',' + describe(input);
  for (const Value *output : op.outputs())
    text += '>' + describe(output);
  return text;
}

bool isInOnePlace(const Stretch &stretch) {
  return std::ranges::all_of(stretch.ops, [&](const Op *op) {
    return op->placement() == stretch.ops.front()->placement();
  });
}

bool agree(const Op &a, const Op &b) {
  for (std::size_t i = 0; i != a.inputs().size(); ++i)
    if (a.hasInput(i) && a.input(i).isConstant() && a.dependsOnValue(i) &&
        !hasEqualValue(a.input(i), b.input(i)))
      return false;
  return true;
}

/// The graph as a text. An operator that agrees with none, or that cannot be in
/// a stretch, has a number of its own.
std::vector<unsigned> numberOps(const std::vector<Op *> &ops) {
  std::map<std::string, std::vector<std::pair<const Op *, unsigned>>> known;
  std::vector<unsigned> numbers;
  for (const Op *op : ops) {
    unsigned number = static_cast<unsigned>(numbers.size());
    if (!op->attributes().hasTensors() && op->callees().empty() &&
        op->bodies().empty() && op->runsAfter().empty() && !op->isStateful() &&
        !op->hasEffect()) {
      auto &alike = known[describe(*op)];
      auto found = std::ranges::find_if(
          alike, [&](const auto &entry) { return agree(*entry.first, *op); });
      if (found != alike.end())
        number = found->second;
      else
        alike.emplace_back(op, number);
    }
    numbers.push_back(number);
  }
  return numbers;
}

Stretch stretchAt(const std::vector<Op *> &ops, std::size_t begin,
                  std::size_t length) {
  Stretch stretch;
  std::unordered_map<const Value *, std::int64_t> sources;
  for (std::size_t k = 0; k != length; ++k) {
    Op *op = ops[begin + k];
    stretch.ops.push_back(op);
    for (Value *input : op->inputs()) {
      if (!input) {
        stretch.sources.push_back(NoSource);
        continue;
      }
      auto [source, isNew] = sources.try_emplace(
          input, -1 - static_cast<std::int64_t>(stretch.arguments.size()));
      if (isNew)
        stretch.arguments.push_back(input);
      stretch.sources.push_back(source->second);
    }
    for (std::size_t i = 0; i != op->outputs().size(); ++i)
      if (op->hasOutput(i))
        sources[op->outputs()[i]] = sourceOf(k, i);
  }
  return stretch;
}

/// Constants that are the same in all stretches need not be arguments.
std::vector<bool> sharedArguments(const std::vector<Stretch> &stretches) {
  std::vector<bool> isShared;
  const Stretch &first = stretches.front();
  for (std::size_t i = 0; i != first.arguments.size(); ++i) {
    const Value &argument = *first.arguments[i];
    isShared.push_back(
        argument.isConstant() &&
        std::ranges::all_of(stretches, [&](const Stretch &stretch) {
          return hasEqualValue(argument, *stretch.arguments[i]);
        }));
  }
  return isShared;
}

std::vector<std::int64_t> resultsOf(const std::vector<Stretch> &stretches) {
  std::set<std::int64_t> results;
  for (const Stretch &stretch : stretches) {
    const std::set<const Op *> inside(stretch.ops.begin(), stretch.ops.end());
    for (std::size_t k = 0; k != stretch.ops.size(); ++k)
      for (std::size_t i = 0; i != stretch.ops[k]->outputs().size(); ++i) {
        const Value *tensor = stretch.ops[k]->outputs()[i];
        if (tensor && (tensor->isGraphResult() ||
                       std::ranges::any_of(tensor->uses(), [&](const Use &use) {
                         return !inside.contains(use.user);
                       })))
          results.insert(sourceOf(k, i));
      }
  }
  return {results.begin(), results.end()};
}

double bytesOf(const Value &tensor) {
  return static_cast<double>(tensor.info.numElements()) *
         static_cast<double>(sizeOf(tensor.info.type));
}

class Search {
public:
  Search(const Graph &graph, const OutlineOptions &options)
      : ops(graph.ops().begin(), graph.ops().end()), options(options),
        numbers(numberOps(ops)), isTaken(numbers.size()),
        valueBefore(numbers.size() + 1) {
    for (std::size_t i = 0; i != numbers.size(); ++i)
      valueBefore[i + 1] = valueBefore[i] + ops[i]->codeValue();
    findCommon();
  }

  std::vector<Repeat> run() {
    std::vector<Repeat> repeats;
    for (;;) {
      Candidate best;
      for (std::size_t begin = 0; begin != numbers.size(); ++begin)
        for (std::size_t length : lengthsAt(begin))
          consider(begin, length, best);
      if (best.saved <= 0)
        return repeats;
      for (std::size_t begin : best.begins)
        std::fill_n(isTaken.begin() + begin, best.length, true);
      repeats.push_back(repeatOf(best));
    }
  }

private:
  struct Candidate {
    double saved = 0; // code
    double cost = 0;  // of copies, in the same unit
    std::size_t length = 0;
    std::vector<std::size_t> begins;
  };

  std::uint16_t &common(std::size_t a, std::size_t b) {
    return commonLengths[a * numbers.size() + b];
  }

  void findCommon() {
    std::size_t n = numbers.size();
    commonLengths.resize(n * n);
    for (std::size_t a = n; a-- != 0;)
      for (std::size_t b = n; b-- != a + 1;)
        if (numbers[a] == numbers[b])
          common(a, b) = static_cast<std::uint16_t>(
              1 + (b + 1 == n ? 0 : common(a + 1, b + 1)));
  }

  double valueOf(std::size_t begin, std::size_t length) const {
    // Rounded, so that equal sums are equal.
    return std::round((valueBefore[begin + length] - valueBefore[begin]) *
                      1000) /
           1000;
  }

  /// The lengths of words at a place that come again later, without overlap.
  std::set<std::size_t> lengthsAt(std::size_t begin) {
    std::set<std::size_t> lengths;
    for (std::size_t other = begin + 1; other < numbers.size(); ++other)
      if (std::size_t length =
              std::min<std::size_t>(common(begin, other), other - begin))
        lengths.insert(length);
    return lengths;
  }

  bool isFree(std::size_t begin, std::size_t length) const {
    auto first = isTaken.begin() + begin;
    return std::find(first, first + length, true) == first + length;
  }

  /// The places after `begin` at which the same word stands, without overlap;
  /// `isSame` may turn some down.
  template <class Predicate>
  std::vector<std::size_t> placesOf(std::size_t begin, std::size_t length,
                                    Predicate isSame) {
    std::vector<std::size_t> places = {begin};
    std::size_t other = begin + length;
    while (other + length <= numbers.size()) {
      bool isPlace = common(begin, other) >= length && isSame(other);
      if (isPlace)
        places.push_back(other);
      other += isPlace ? length : 1;
    }
    return places;
  }

  static double savedBy(const std::vector<std::size_t> &begins, double value) {
    return static_cast<double>(begins.size() - 1) * value;
  }

  void consider(std::size_t begin, std::size_t length, Candidate &best) {
    double value = valueOf(begin, length);
    if (value < options.threshold || !isFree(begin, length))
      return;
    // Most candidates do not even get here.
    auto isAnything = [](std::size_t) { return true; };
    if (savedBy(placesOf(begin, length, isAnything), value) < best.saved)
      return;
    const Stretch first = stretchAt(ops, begin, length);
    if (!isInOnePlace(first))
      return;
    Candidate candidate{
        0, 0, length, placesOf(begin, length, [&](std::size_t other) {
          return isFree(other, length) &&
                 stretchAt(ops, other, length).sources == first.sources;
        })};
    candidate.saved = savedBy(candidate.begins, value);
    if (candidate.saved < best.saved || candidate.saved == 0)
      return;
    candidate.cost = static_cast<double>(candidate.begins.size()) *
                     copyCost(repeatOf(candidate));
    bool pays = !options.pruneByCopyCost || candidate.cost < candidate.saved;
    if (pays && (candidate.saved > best.saved || candidate.cost < best.cost))
      best = std::move(candidate);
  }

  Repeat repeatOf(const Candidate &candidate) const {
    Repeat repeat;
    for (std::size_t begin : candidate.begins)
      repeat.stretches.push_back(stretchAt(ops, begin, candidate.length));
    repeat.isShared = sharedArguments(repeat.stretches);
    repeat.results = resultsOf(repeat.stretches);
    return repeat;
  }

  /// Of one call, in the unit of the threshold. Weights stay on their tiles;
  /// other arguments and results are exchanged.
  double copyCost(const Repeat &repeat) const {
    constexpr double Exchanged = 2, WeightBytesPerUnit = 1 << 24;
    const Stretch &first = repeat.stretches.front();
    double cost = Exchanged * static_cast<double>(repeat.results.size());
    for (std::size_t i = 0; i != first.arguments.size(); ++i)
      if (!first.arguments[i]->isConstant())
        cost += Exchanged;
      else if (!repeat.isShared[i])
        cost += bytesOf(*first.arguments[i]) / WeightBytesPerUnit;
    return cost;
  }

  const std::vector<Op *> ops;
  const OutlineOptions &options;
  std::vector<unsigned> numbers;
  std::vector<bool> isTaken;
  std::vector<double> valueBefore;
  std::vector<std::uint16_t> commonLengths; // by two places, the first before
};

} // namespace

std::int64_t sourceOf(std::size_t op, std::size_t output) {
  return static_cast<std::int64_t>(op) * MaxOutputs +
         static_cast<std::int64_t>(output);
}

Value *resultOf(const Stretch &stretch, std::int64_t source) {
  return stretch.ops[source / MaxOutputs]->outputs()[source % MaxOutputs];
}

std::vector<Repeat> findRepeats(const Graph &graph,
                                const OutlineOptions &options) {
  if (graph.ops().size() > MaxOps) {
    logging::info(logging::Module::transform,
                  "SubgraphOutline: {} operators are too many to look for "
                  "those that repeat",
                  graph.ops().size());
    return {};
  }
  return Search(graph, options).run();
}

} // namespace populus::popir
