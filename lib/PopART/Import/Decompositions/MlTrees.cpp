// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ensembles of decision trees: TreeEnsembleRegressor, TreeEnsembleClassifier
// and TreeEnsemble. All trees are one table with a row for each node:
//
//     feature, threshold, place of the true branch, place of the false branch
//
// Each row of the input walks down all trees at the same time: a step looks up
// its current nodes in the table, compares, and moves to one of the two
// branches. A leaf is its own branch, so after as many steps as the deepest
// tree has levels all walks have arrived. A second table has the weights of
// leaves.

#include "lib/PopART/Import/Decompositions/MlScores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace populus::popir {

namespace {

using namespace ml;

enum class Mode { Leq, Lt, Gte, Gt, Eq, Neq };

struct Node {
  Mode mode = Mode::Leq;
  std::int64_t feature = 0;
  double threshold = 0;
  std::size_t whenTrue = 0, whenFalse = 0;
  bool missingIsTrue = false;
  bool isLeaf = false;
};

struct LeafWeight {
  std::size_t node;
  std::int64_t target;
  double weight;
};

struct Ensemble {
  std::vector<Node> nodes;
  std::vector<std::size_t> roots;
  std::vector<LeafWeight> weights;
};

/// Numbers of nodes are exact as float32.
constexpr std::size_t MostNodes = std::size_t(1) << 24;

/// The number of steps to the farthest leaf.
class Depth {
public:
  Depth(const Expansion &e, const Ensemble &trees)
      : e(e), trees(trees), depths(trees.nodes.size(), Unknown) {}

  int run() {
    int deepest = 0;
    for (std::size_t root : trees.roots)
      deepest = std::max(deepest, below(root));
    return deepest;
  }

private:
  static constexpr int Unknown = -1, Open = -2;

  /// Uses an explicit stack, because trees may be long chains.
  int below(std::size_t root) {
    std::vector<std::size_t> open = {root};
    while (!open.empty()) {
      const std::size_t at = open.back();
      const Node &node = trees.nodes[at];
      if (node.isLeaf || depths[at] >= 0) {
        depths[at] = std::max(depths[at], 0);
        open.pop_back();
        continue;
      }
      bool isReady = true;
      for (std::size_t next : {node.whenTrue, node.whenFalse}) {
        if (depths[next] == Open || (next == at))
          e.failInput("its trees have a cycle");
        if (depths[next] == Unknown) {
          isReady = false;
          open.push_back(next);
        }
      }
      depths[at] =
          isReady ? 1 + std::max(depths[node.whenTrue], depths[node.whenFalse])
                  : Open;
      if (isReady)
        open.pop_back();
    }
    return depths[root];
  }

  const Expansion &e;
  const Ensemble &trees;
  std::vector<int> depths;
};

/// Trees in the format of versions 1 to 4: nodes are identified by tree number
/// and node number.
class NamedTrees {
public:
  explicit NamedTrees(const Expansion &e) : e(e) {
    const auto trees = ints("nodes_treeids"), ids = ints("nodes_nodeids");
    if (trees.size() != ids.size() || ids.empty() || ids.size() > MostNodes)
      e.failInput(
          fmt::format("it has {} nodes in {} trees", ids.size(), trees.size()));
    for (std::size_t i = 0; i != ids.size(); ++i)
      if (!places.emplace(std::pair(trees[i], ids[i]), i).second)
        e.failInput(
            fmt::format("its tree {} has the node {} twice", trees[i], ids[i]));
    addNodes(trees);
    addRoots(trees);
  }

  /// `kind` is "target" or "class".
  Ensemble withWeights(const std::string &kind) {
    const auto trees = ints(kind + "_treeids"), nodes = ints(kind + "_nodeids"),
               targets = ints(kind + "_ids");
    const std::vector<double> weights = numbersOf(e, kind + "_weights");
    checkCount(nodes.size(), trees.size());
    checkCount(targets.size(), trees.size());
    checkCount(weights.size(), trees.size());
    for (std::size_t i = 0; i != trees.size(); ++i)
      result.weights.push_back(
          {placeOf(trees[i], nodes[i]), targets[i], weights[i]});
    return result;
  }

private:
  std::vector<std::int64_t> ints(const std::string &name) const {
    return e.attributes().getInts(name);
  }

  void checkCount(std::size_t count, std::size_t wanted) const {
    if (count != wanted)
      e.failInput(fmt::format("its lists about trees have {} and {} entries",
                              count, wanted));
  }

  std::size_t placeOf(std::int64_t tree, std::int64_t node) const {
    const auto found = places.find({tree, node});
    if (found == places.end())
      e.failInput(fmt::format("its tree {} has no node {}", tree, node));
    return found->second;
  }

  Mode modeOf(const std::string &text) const {
    static const std::map<std::string, Mode> modes = {
        {"BRANCH_LEQ", Mode::Leq}, {"BRANCH_LT", Mode::Lt},
        {"BRANCH_GTE", Mode::Gte}, {"BRANCH_GT", Mode::Gt},
        {"BRANCH_EQ", Mode::Eq},   {"BRANCH_NEQ", Mode::Neq}};
    const auto found = modes.find(text);
    if (found == modes.end())
      e.failInput(fmt::format("its mode \"{}\" does not exist", text));
    return found->second;
  }

  void addNodes(const std::vector<std::int64_t> &trees) {
    const auto features = ints("nodes_featureids"),
               whenTrue = ints("nodes_truenodeids"),
               whenFalse = ints("nodes_falsenodeids"),
               missing = ints("nodes_missing_value_tracks_true");
    const auto modes = e.attributes().getStrings("nodes_modes");
    const std::vector<double> thresholds = numbersOf(e, "nodes_values");
    for (std::size_t count :
         {features.size(), whenTrue.size(), whenFalse.size(), modes.size(),
          thresholds.size()})
      checkCount(count, trees.size());
    if (!missing.empty())
      checkCount(missing.size(), trees.size());
    for (std::size_t i = 0; i != trees.size(); ++i) {
      Node node;
      node.isLeaf = modes[i] == "LEAF";
      node.whenTrue = node.whenFalse = i;
      if (!node.isLeaf) {
        node.mode = modeOf(modes[i]);
        node.feature = features[i];
        node.threshold = thresholds[i];
        node.whenTrue = placeOf(trees[i], whenTrue[i]);
        node.whenFalse = placeOf(trees[i], whenFalse[i]);
        node.missingIsTrue = !missing.empty() && missing[i] != 0;
      }
      result.nodes.push_back(node);
    }
  }

  /// Finds the roots: nodes that are no branch of others.
  void addRoots(const std::vector<std::int64_t> &trees) {
    std::set<std::size_t> branches;
    for (const Node &node : result.nodes)
      if (!node.isLeaf)
        branches.insert({node.whenTrue, node.whenFalse});
    std::set<std::int64_t> rooted;
    for (std::size_t i = 0; i != trees.size(); ++i)
      if (branches.count(i) == 0) {
        if (!rooted.insert(trees[i]).second)
          e.failInput(fmt::format("its tree {} has two roots", trees[i]));
        result.roots.push_back(i);
      }
    if (rooted != std::set<std::int64_t>(trees.begin(), trees.end()))
      e.failInput("its trees have a cycle");
  }

  const Expansion &e;
  Ensemble result;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> places;
};

/// Follows each row of the input to its leaf in each tree.
class Walk {
public:
  Walk(Expansion &e, const Ensemble &trees, Value &x)
      : e(e), trees(trees), rows(x.info.shape[0]), features(x.info.shape[1]),
        walkers(rows * static_cast<std::int64_t>(trees.roots.size())),
        values(e.reshape(x, {rows * features})) {
    for (const Node &node : trees.nodes)
      if (!node.isLeaf && (node.feature < 0 || node.feature >= features))
        e.failInput(fmt::format("its trees read feature {} of {}", node.feature,
                                features));
  }

  /// Numbers of leaves, [rows * trees].
  Value &run() {
    std::vector<double> columns;
    for (const Node &node : trees.nodes)
      for (double number :
           {static_cast<double>(node.feature), node.threshold,
            static_cast<double>(node.whenTrue),
            static_cast<double>(node.whenFalse), static_cast<double>(node.mode),
            node.missingIsTrue ? 1.0 : 0.0, node.isLeaf ? 1.0 : 0.0})
        columns.push_back(number);
    Value &nodes = table(
        e, {static_cast<std::int64_t>(trees.nodes.size()), Columns}, columns);
    std::vector<std::int64_t> starts, first;
    for (std::int64_t row = 0; row != rows; ++row)
      for (std::size_t root : trees.roots) {
        starts.push_back(static_cast<std::int64_t>(root));
        first.push_back(row * features);
      }
    Value *at = &e.cast(e.ints(starts), DataType::Int32);
    firstValue = &e.cast(e.ints(first), DataType::Int32);
    for (int depth = Depth(e, trees).run(); depth != 0; --depth)
      at = &step(nodes, *at);
    return *at;
  }

private:
  enum Column : std::int64_t {
    Feature,
    Threshold,
    WhenTrue,
    WhenFalse,
    ModeNumber,
    MissingIsTrue,
    IsLeaf,
    Columns
  };

  Value &step(Value &nodes, Value &at) {
    Value &all = e.op("Gather", {&nodes, &at}, {{"axis", std::int64_t(0)}});
    auto column = [&](Column which) -> Value & {
      return e.reshape(e.slice(all, 1, which, which + 1), {walkers});
    };
    Value &place = e.add(e.cast(column(Feature), DataType::Int32), *firstValue);
    Value &value =
        e.op("Gather", {&values, &place}, {{"axis", std::int64_t(0)}});
    Value *isTrue = &compared(value, column(Threshold), column(ModeNumber));
    if (std::ranges::any_of(trees.nodes, &Node::missingIsTrue)) {
      Value &follows = e.cast(column(MissingIsTrue), DataType::Bool);
      Value &isMissing = e.op("And", {&e.op("IsNaN", {&value}), &follows});
      isTrue = &e.op("Or", {isTrue, &isMissing});
    }
    return e.cast(e.select(*isTrue, column(WhenTrue), column(WhenFalse)),
                  DataType::Int32);
  }

  /// Emits only the comparison modes that occur.
  Value &compared(Value &value, Value &threshold, Value &number) {
    std::set<Mode> modes;
    for (const Node &node : trees.nodes)
      if (!node.isLeaf)
        modes.insert(node.mode);
    Value *result = nullptr;
    for (Mode mode : modes) {
      Value &holds = compared(mode, value, threshold);
      Value &wanted = e.scalar(Number, static_cast<double>(mode));
      result =
          result ? &e.select(e.op("Equal", {&number, &wanted}), holds, *result)
                 : &holds;
    }
    return *result;
  }

  Value &compared(Mode mode, Value &value, Value &threshold) {
    switch (mode) {
    case Mode::Leq:
      return e.op("LessOrEqual", {&value, &threshold});
    case Mode::Lt:
      return e.op("Less", {&value, &threshold});
    case Mode::Gte:
      return e.op("GreaterOrEqual", {&value, &threshold});
    case Mode::Gt:
      return e.op("Greater", {&value, &threshold});
    case Mode::Eq:
      return e.op("Equal", {&value, &threshold});
    case Mode::Neq:
      break;
    }
    return e.op("Not", {&e.op("Equal", {&value, &threshold})});
  }

  Expansion &e;
  const Ensemble &trees;
  std::int64_t rows, features, walkers;
  Value &values;
  Value *firstValue = nullptr;
};

enum class Aggregate { Sum, Average, Min, Max };

/// Returns the sum (or another aggregate) of each row's leaf weights for each
/// target: [rows, targets].
Value &aggregated(Expansion &e, const Ensemble &trees, std::int64_t targets,
                  Aggregate aggregate) {
  const bool isSum =
      aggregate == Aggregate::Sum || aggregate == Aggregate::Average;
  // The default weight of a leaf for a target.
  constexpr double Most = std::numeric_limits<float>::max();
  const double nothing = isSum ? 0 : aggregate == Aggregate::Min ? Most : -Most;
  std::vector<double> weights(trees.nodes.size() * targets, nothing);
  for (const LeafWeight &leaf : trees.weights) {
    if (leaf.target < 0 || leaf.target >= targets)
      e.failInput(fmt::format("its leaves have weights for target {} of {}",
                              leaf.target, targets));
    double &weight = weights[leaf.node * targets + leaf.target];
    if (isSum || weight == nothing)
      weight = (isSum ? weight : 0) + leaf.weight;
    else
      weight = aggregate == Aggregate::Min ? std::min(weight, leaf.weight)
                                           : std::max(weight, leaf.weight);
  }
  Value &x = rowsOf(e);
  const auto count = static_cast<std::int64_t>(trees.roots.size());
  Value &ofNodes = table(
      e, {static_cast<std::int64_t>(trees.nodes.size()), targets}, weights);
  Value &ofLeaves =
      e.reshape(e.op("Gather", {&ofNodes, &Walk(e, trees, x).run()},
                     {{"axis", std::int64_t(0)}}),
                {x.info.shape[0], count, targets});
  const char *type = isSum                         ? "ReduceSum"
                     : aggregate == Aggregate::Min ? "ReduceMin"
                                                   : "ReduceMax";
  Value &total =
      e.reshape(e.reduce(type, ofLeaves, {1}), {x.info.shape[0], targets});
  if (aggregate == Aggregate::Average)
    return e.mul(total, 1 / static_cast<double>(count));
  if (isSum)
    return total;
  Value &isNothing = e.op("Equal", {&total, &e.scalar(Number, nothing)});
  return e.select(isNothing, e.scalar(Number, 0), total);
}

std::vector<Value *> regressor(Expansion &e) {
  static const std::map<std::string, Aggregate> aggregates = {
      {"SUM", Aggregate::Sum},
      {"AVERAGE", Aggregate::Average},
      {"MIN", Aggregate::Min},
      {"MAX", Aggregate::Max}};
  const std::string text =
      e.attributes().getString("aggregate_function", "SUM");
  const auto aggregate = aggregates.find(text);
  if (aggregate == aggregates.end())
    e.failInput(fmt::format("aggregate_function \"{}\" does not exist", text));
  const std::int64_t targets = e.attributes().getInt("n_targets", 1);
  const std::vector<double> base = numbersOf(e, "base_values");
  if (targets < 1 ||
      (!base.empty() && static_cast<std::int64_t>(base.size()) != targets))
    e.failInput(fmt::format("it has {} targets and {} base_values", targets,
                            base.size()));
  Value *scores = &aggregated(e, NamedTrees(e).withWeights("target"), targets,
                              aggregate->second);
  if (!base.empty())
    scores = &e.add(*scores, table(e, {1, targets}, base));
  return {&e.cast(transformed(e, *scores, transformOf(e)), DataType::Float)};
}

/// Two classes, with leaf weights for one of them only. Weights for the first
/// class are taken as the score of the second: a probability if none is
/// negative, else a distance from the boundary. With weights for the second
/// class, the first has score zero.
std::vector<Value *> ofOneClass(Expansion &e, const Ensemble &trees,
                                const std::vector<std::int64_t> &labels,
                                const std::vector<double> &base,
                                const std::string &transform) {
  const bool areForSecond = trees.weights.front().target == 1;
  if (base.size() > (areForSecond ? 0 : 1))
    e.failUnsupported(fmt::format("its leaves have weights for one class only, "
                                  "and it has {} base_values; give the leaves "
                                  "weights for both",
                                  base.size()));
  Ensemble single = trees;
  bool arePositive = true;
  for (LeafWeight &leaf : single.weights) {
    leaf.target = 0;
    arePositive = arePositive && leaf.weight >= 0;
  }
  Value *score = &aggregated(e, single, 1, Aggregate::Sum);
  if (!base.empty())
    score = &e.add(*score, base.back());
  Value &isSecond =
      e.op("Greater", {score, &e.scalar(Number, arePositive ? 0.5 : 0)});
  Value &both =
      areForSecond
          ? transformed(e, e.concat({&e.mul(*score, 0), score}, 1), transform)
          : ofSecond(e, *score, arePositive, transform);
  return {&oneOfTwo(e, isSecond, labels), &e.cast(both, DataType::Float)};
}

std::vector<Value *> classifier(Expansion &e) {
  const std::vector<std::int64_t> labels = labelsOf(e, "classlabels_int64s");
  const auto classes = static_cast<std::int64_t>(labels.size());
  const std::vector<double> base = numbersOf(e, "base_values");
  if (classes < 2 || (base.size() > 1 && base.size() != labels.size()) ||
      (base.size() == 1 && classes > 2))
    e.failInput(fmt::format("it has {} class labels and {} base_values",
                            classes, base.size()));
  const Ensemble trees = NamedTrees(e).withWeights("class");
  std::set<std::int64_t> weighted;
  for (const LeafWeight &leaf : trees.weights) {
    if (leaf.target < 0 || leaf.target >= classes)
      e.failInput(fmt::format("its leaves have weights for class {} of {}",
                              leaf.target, classes));
    weighted.insert(leaf.target);
  }
  const std::string transform = transformOf(e);
  if (classes == 2 && weighted.size() == 1)
    return ofOneClass(e, trees, labels, base, transform);
  Value *scores = &aggregated(e, trees, classes, Aggregate::Sum);
  if (!base.empty())
    scores = &e.add(*scores, table(e, {1, std::int64_t(base.size())}, base));
  return {&likeliest(e, *scores, labels),
          &e.cast(transformed(e, *scores, transform), DataType::Float)};
}

/// Trees in the format of version 5: branches are indices into a list of nodes
/// or, by a flag, into a list of leaves, which is appended to the nodes here. A
/// node that tests for members of a set becomes one node for each member.
class PlacedTrees {
public:
  explicit PlacedTrees(const Expansion &e)
      : e(e), features(ints("nodes_featureids")), modes(numbers("nodes_modes")),
        splits(numbers("nodes_splits")), members(numbers("membership_values")),
        whenTrue(ints("nodes_truenodeids")),
        whenFalse(ints("nodes_falsenodeids")),
        trueLeaves(ints("nodes_trueleafs")),
        falseLeaves(ints("nodes_falseleafs")),
        missing(ints("nodes_missing_value_tracks_true")),
        targets(ints("leaf_targetids")), weights(numbers("leaf_weights")) {
    const std::size_t inner = features.size();
    if (modes.size() != inner || splits.size() != inner ||
        whenTrue.size() != inner || whenFalse.size() != inner ||
        trueLeaves.size() != inner || falseLeaves.size() != inner ||
        (!missing.empty() && missing.size() != inner) ||
        targets.size() != weights.size() ||
        features.size() + targets.size() + members.size() > MostNodes)
      e.failInput(fmt::format("it has {} nodes and {} leaves, and lists of "
                              "other sizes about them",
                              features.size(), targets.size()));
  }

  Ensemble run() {
    const std::size_t inner = features.size();
    for (std::size_t i = 0; i != inner; ++i)
      addNode(i);
    for (std::size_t i = 0; i != targets.size(); ++i) {
      Node leaf;
      leaf.isLeaf = true;
      leaf.whenTrue = leaf.whenFalse = inner + i;
      result.nodes.push_back(leaf);
      result.weights.push_back({inner + i, targets[i], weights[i]});
    }
    result.nodes.insert(result.nodes.end(), chained.begin(), chained.end());
    for (std::int64_t root : ints("tree_roots"))
      result.roots.push_back(checked(root, inner));
    if (result.roots.empty())
      e.failInput("it has no tree_roots");
    return std::move(result);
  }

private:
  std::vector<std::int64_t> ints(const char *name) const {
    return e.attributes().getInts(name);
  }
  std::vector<double> numbers(const char *name) const {
    const auto tensor = e.attributes().getTensor(name);
    return tensor ? tensor->toDoubles() : std::vector<double>();
  }

  std::size_t checked(std::int64_t place, std::size_t count) const {
    if (place < 0 || static_cast<std::size_t>(place) >= count)
      e.failInput(fmt::format("its branch {} is none of {}", place, count));
    return static_cast<std::size_t>(place);
  }

  std::size_t branch(std::int64_t place, bool isLeaf) const {
    return isLeaf ? features.size() + checked(place, targets.size())
                  : checked(place, features.size());
  }

  void addNode(std::size_t i) {
    Node node;
    node.feature = features[i];
    node.threshold = splits[i];
    node.whenTrue = branch(whenTrue[i], trueLeaves[i] != 0);
    node.whenFalse = branch(whenFalse[i], falseLeaves[i] != 0);
    node.missingIsTrue = !missing.empty() && missing[i] != 0;
    constexpr double Member = 6;
    if (!(modes[i] >= 0 && modes[i] <= Member))
      e.failInput(fmt::format("its mode {} does not exist", modes[i]));
    if (modes[i] == Member)
      makeChain(node);
    else
      node.mode = static_cast<Mode>(static_cast<int>(modes[i]));
    result.nodes.push_back(node);
  }

  /// The members of the next set, which ends with NaN.
  std::vector<double> nextSet() {
    std::vector<double> set;
    while (nextMember < members.size() && !std::isnan(members[nextMember]))
      set.push_back(members[nextMember++]);
    if (nextMember == members.size())
      e.failInput("its membership_values end within a set");
    ++nextMember;
    return set;
  }

  void makeChain(Node &node) {
    const std::vector<double> set = nextSet();
    const std::size_t otherwise = node.whenFalse;
    node.mode = Mode::Eq;
    node.threshold =
        set.empty() ? std::numeric_limits<double>::quiet_NaN() : set.front();
    Node *last = &node;
    for (std::size_t i = 1; i < set.size(); ++i) {
      last->whenFalse = features.size() + targets.size() + chained.size();
      Node next = node;
      next.threshold = set[i];
      next.whenFalse = otherwise;
      next.missingIsTrue = false; // the first one has decided
      chained.push_back(next);
      last = &chained.back();
    }
  }

  const Expansion &e;
  const std::vector<std::int64_t> features;
  const std::vector<double> modes, splits, members;
  const std::vector<std::int64_t> whenTrue, whenFalse, trueLeaves, falseLeaves;
  const std::vector<std::int64_t> missing, targets;
  const std::vector<double> weights;
  std::size_t nextMember = 0;
  std::vector<Node> chained;
  Ensemble result;
};

std::vector<Value *> treeEnsemble(Expansion &e) {
  static const char *transforms[] = {"NONE", "SOFTMAX", "LOGISTIC",
                                     "SOFTMAX_ZERO", "PROBIT"};
  static constexpr Aggregate Aggregates[] = {Aggregate::Average, Aggregate::Sum,
                                             Aggregate::Min, Aggregate::Max};
  const std::int64_t transform = e.attributes().getInt("post_transform", 0);
  const std::int64_t aggregate = e.attributes().getInt("aggregate_function", 1);
  const std::int64_t targets = e.attributes().getInt("n_targets", 1);
  if (transform < 0 || transform > 4 || aggregate < 0 || aggregate > 3 ||
      targets < 1)
    e.failInput(fmt::format("its post_transform {}, aggregate_function {} or "
                            "n_targets {} does not exist",
                            transform, aggregate, targets));
  Value &scores =
      aggregated(e, PlacedTrees(e).run(), targets, Aggregates[aggregate]);
  return {&e.cast(transformed(e, scores, transforms[transform]), e.type(0))};
}

const RegisterDecomposition decompositions[] = {
    {"TreeEnsembleRegressor", {1, 3, 5}, regressor, Domain},
    {"TreeEnsembleClassifier", {1, 3, 5}, classifier, Domain},
    {"TreeEnsemble", {5}, treeEnsemble, Domain}};

} // namespace

} // namespace populus::popir
