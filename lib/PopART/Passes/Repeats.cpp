// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search for repeats, for outlining. Equal operators get equal numbers, so
// the graphs become a text. With m = MatMul, a = Add, r = Relu and c = Concat:
//
//   graph   m a r m a r c m a r    each `m a r` reads the layer before
//   text    1 2 3 1 2 3 4 1 2 3
//
// The repeated words of the text are candidates (RepeatedWords.h). "1 2 3" has
// three occurrences; as a function it saves the code of two of them. The
// occurrences must not overlap, and their edges must agree: if the last Add
// read the Concat instead of its MatMul, the third would be left out
// (Wiring.h).
//
// A greedy loop takes the candidate that saves most and removes its operators
// from the text, until none pays for the copies of its calls. Savings of the
// others only shrink by that, so a priority queue holds upper bounds, and a
// candidate is evaluated again only when it reaches the top. Words of equal
// savings that differ in their start (`m a r`, `a r m`) are ordered by copies.

#include "lib/PopART/Passes/Repeats.h"

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/Passes/Joining.h"
#include "lib/PopART/Passes/RepeatedWords.h"
#include "lib/PopART/Passes/Wiring.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace populus::popir {

namespace {

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

/// A hash of the elements.
std::size_t hashOf(const Value &constant) {
  const std::span<const std::byte> bytes = constant.constant()->bytes();
  return std::hash<std::string_view>()(
      {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
}

/// A text that is equal for equal operators; constants are compared in
/// addition.
std::string describe(const Op &op) {
  std::string text = toString(op.id()) + "{" + op.attributes().toString() + "}";
  for (const Graph *callee : op.callees())
    text += '@' + callee->name;
  for (std::size_t i = 0; i != op.inputs().size(); ++i) {
    const Value *input = op.inputs()[i];
    text += ',' + describe(input);
    if (input && input->isConstant() && op.dependsOnValue(i))
      text += fmt::format("={:x}", hashOf(*input));
  }
  for (const Value *output : op.outputs())
    text += '>' + describe(output);
  return text;
}

bool agree(const Op &a, const Op &b) {
  for (std::size_t i = 0; i != a.inputs().size(); ++i)
    if (a.hasInput(i) && a.input(i).isConstant() && a.dependsOnValue(i) &&
        !hasEqualValue(a.input(i), b.input(i)))
      return false;
  return true;
}

/// Arguments and variables whose memory a graph writes.
class WrittenMemory {
public:
  explicit WrittenMemory(const Graph &graph) : aliases(graph), writers(graph) {
    for (const Value &value : graph.values())
      if (value.isArgument() || value.variable())
        lasting.insert(aliases.groupOf(value));
  }

  bool contains(const Value &value) const {
    return lasting.contains(aliases.groupOf(value)) &&
           !writers.of(value).empty();
  }

private:
  Aliases aliases;
  Writers writers;
  std::unordered_set<const Value *> lasting;
};

/// True if the operator may move into a function, where its operands and
/// results are copies.
bool canMove(const Op &op, const WrittenMemory &memory) {
  if (op.attributes().hasTensors() || !op.bodies().empty() ||
      !op.runsAfter().empty() || op.isStateful() || op.hasEffect())
    return false;
  for (std::size_t i = 0; i != op.inputs().size(); ++i)
    if (op.effect(i).modifies && memory.contains(op.input(i)))
      return false;
  return std::ranges::none_of(op.outputs(), [&](const Value *output) {
    return output && memory.contains(*output);
  });
}

/// Numbers the operators. An operator without an equal one, one that cannot be
/// outlined, and the end of a graph get unique numbers.
std::vector<unsigned> numberOps(std::span<Op *const> ops) {
  std::unordered_map<std::string, std::vector<std::pair<const Op *, unsigned>>>
      known;
  std::map<const Graph *, WrittenMemory> memory;
  std::vector<unsigned> numbers;
  for (const Op *op : ops) {
    unsigned number = static_cast<unsigned>(numbers.size());
    if (op &&
        canMove(*op,
                memory.try_emplace(op->graph(), *op->graph()).first->second)) {
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

/// By argument: true for a constant that is equal in all occurrences, which
/// needs to be no argument.
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

double bytesOf(const Value &tensor) {
  return static_cast<double>(tensor.info.numElements()) *
         static_cast<double>(sizeOf(tensor.info.type));
}

class Search {
public:
  Search(std::span<Graph *const> graphs, const PassOptions &options)
      : ops(textOf(graphs)), options(options), wiring(ops),
        words(numberOps(ops)), valueBefore(ops.size() + 1),
        samePlacementFrom(ops.size()), isTaken(ops.size()),
        takenBefore(ops.size() + 1) {
    for (std::size_t i = 0; i != ops.size(); ++i) {
      valueBefore[i + 1] = valueBefore[i] + valueOf(ops[i]);
      const bool goesOn =
          i != 0 && ops[i] && ops[i - 1] &&
          placeOf(ops[i]->placement()) == placeOf(ops[i - 1]->placement());
      samePlacementFrom[i] = goesOn ? samePlacementFrom[i - 1] : i;
    }
  }

  std::vector<Repeat> run() {
    for (const RepeatedWords::Word &word : words.words())
      enter(word.length, words.placesOf(word));
    std::vector<Repeat> repeats;
    while (!candidates.empty()) {
      Candidate best = candidates.top();
      candidates.pop();
      if (best.round != repeats.size()) {
        look(std::move(best), repeats.size());
        continue;
      }
      take(best);
      repeats.push_back(repeatOf(best));
    }
    return repeats;
  }

private:
  /// A word that may pay. Before it is evaluated, `saved` is an upper bound: as
  /// if all its occurrences could be outlined.
  struct Candidate {
    double saved = 0; // code
    double cost = 0;  // of copies, in the same unit
    std::size_t length = 0;
    std::vector<std::size_t> begins;
    /// Number of repeats that had been taken at its last evaluation.
    std::size_t round = NotLookedAt;

    /// True if this candidate is worse.
    bool operator<(const Candidate &other) const {
      return std::tuple(-saved, cost, begins.front(), length) >
             std::tuple(-other.saved, other.cost, other.begins.front(),
                        other.length);
    }
  };
  static constexpr std::size_t NotLookedAt = SIZE_MAX;

  /// The operators of all graphs, null behind each graph.
  static std::vector<Op *> textOf(std::span<Graph *const> graphs) {
    std::vector<Op *> text;
    for (const Graph *graph : graphs) {
      text.insert(text.end(), graph->ops().begin(), graph->ops().end());
      text.push_back(nullptr);
    }
    return text;
  }

  /// A call costs nothing: the code of its callee exists once anyway.
  static double valueOf(const Op *op) {
    return op && op->callees().empty() ? op->codeValue() : 0;
  }

  double valueOf(std::size_t begin, std::size_t length) const {
    // Rounded, so that equal sums are equal.
    return std::round((valueBefore[begin + length] - valueBefore[begin]) *
                      1000) /
           1000;
  }

  double savedBy(const Candidate &candidate) const {
    return static_cast<double>(candidate.begins.size() - 1) *
           valueOf(candidate.begins.front(), candidate.length);
  }

  bool isFree(std::size_t begin, std::size_t length) const {
    return takenBefore[begin + length] == takenBefore[begin];
  }

  bool isInOnePlace(std::size_t begin, std::size_t length) const {
    return samePlacementFrom[begin + length - 1] <= begin;
  }

  template <class Places> void enter(std::size_t length, const Places &places) {
    if (places.size() < 2 ||
        valueOf(*places.begin(), length) < options.outlineThreshold ||
        !entered.emplace(length, *places.begin(), places.size()).second)
      return;
    Candidate candidate{.length = length,
                        .begins = {places.begin(), places.end()}};
    std::ranges::sort(candidate.begins);
    candidate.saved = savedBy(candidate);
    if (candidate.saved > 0)
      candidates.push(std::move(candidate));
  }

  /// Evaluates a candidate after `round` repeats have been taken, and queues it
  /// again if it still pays. Occurrences whose edges differ are queued as a
  /// candidate of their own, and the common prefix as a shorter one.
  void look(Candidate candidate, std::size_t round) {
    const std::size_t length = candidate.length;
    std::vector<std::size_t> open, others;
    for (std::size_t begin : candidate.begins)
      if (isFree(begin, length) && isInOnePlace(begin, length))
        open.push_back(begin);
    std::size_t agreed = 0;
    candidate.begins.clear();
    for (std::size_t begin : open) {
      std::vector<std::size_t> &begins = candidate.begins;
      if (!begins.empty() && begin < begins.back() + length)
        continue;
      const std::size_t common =
          begins.empty() ? length
                         : wiring.agreement(begins.front(), begin, length);
      (common == length ? begins : others).push_back(begin);
      if (common != length)
        agreed = std::max(agreed, common);
    }
    if (!others.empty()) {
      enter(length, others);
      if (agreed != 0)
        enter(agreed, open);
    }
    if (candidate.begins.size() < 2)
      return;
    candidate.saved = savedBy(candidate);
    candidate.cost =
        static_cast<double>(candidate.begins.size()) * copyCost(candidate);
    candidate.round = round;
    // A negative threshold asks for all repeats, whatever they cost.
    if (!options.outlinePrunesByCopyCost || options.outlineThreshold < 0 ||
        candidate.cost < candidate.saved)
      candidates.push(std::move(candidate));
  }

  void take(const Candidate &candidate) {
    for (std::size_t begin : candidate.begins)
      std::fill_n(isTaken.begin() + static_cast<std::ptrdiff_t>(begin),
                  candidate.length, true);
    for (std::size_t i = 0; i != isTaken.size(); ++i)
      takenBefore[i + 1] = takenBefore[i] + (isTaken[i] ? 1 : 0);
  }

  Repeat repeatOf(const Candidate &candidate) const {
    Repeat repeat;
    for (std::size_t begin : candidate.begins)
      repeat.stretches.push_back(stretchAt(begin, candidate.length));
    repeat.isShared = sharedArguments(repeat.stretches);
    repeat.results = wiring.resultsOf(candidate.begins, candidate.length);
    return repeat;
  }

  Stretch stretchAt(std::size_t begin, std::size_t length) const {
    Stretch stretch;
    for (std::size_t k = 0; k != length; ++k)
      stretch.ops.push_back(ops[begin + k]);
    wiring.forEachArgument(begin, length, [&](Value &argument, std::size_t) {
      stretch.arguments.push_back(&argument);
    });
    return stretch;
  }

  /// The cost of a call's copies in the unit of the threshold. Weights are
  /// copied within their tiles; other arguments and results are exchanged.
  double copyCost(const Candidate &candidate) const {
    constexpr double Exchanged = 2, WeightBytesPerUnit = 1 << 24;
    const std::vector<std::size_t> &begins = candidate.begins;
    double cost =
        Exchanged *
        static_cast<double>(wiring.resultsOf(begins, candidate.length).size());
    wiring.forEachArgument(begins.front(), candidate.length,
                           [&](const Value &argument, std::size_t operand) {
                             auto isShared = [&](std::size_t begin) {
                               return hasEqualValue(
                                   argument, wiring.operandOf(begin, operand));
                             };
                             if (!argument.isConstant() && !argument.variable())
                               cost += Exchanged;
                             else if (argument.variable() ||
                                      !std::ranges::all_of(begins, isShared))
                               cost += bytesOf(argument) / WeightBytesPerUnit;
                           });
    return cost;
  }

  const std::vector<Op *> ops;
  const PassOptions &options;
  const Wiring wiring;
  const RepeatedWords words;
  std::priority_queue<Candidate> candidates;
  /// All candidates ever queued: length, first and number of occurrences.
  std::set<std::tuple<std::size_t, std::size_t, std::size_t>> entered;
  std::vector<double> valueBefore;
  /// By place, the start of the run of operators with the same placement.
  std::vector<std::size_t> samePlacementFrom;
  std::vector<bool> isTaken;
  std::vector<std::size_t> takenBefore;
};

} // namespace

std::vector<Repeat> findRepeats(std::span<Graph *const> graphs,
                                const PassOptions &options) {
  return Search(graphs, options).run();
}

} // namespace populus::popir
