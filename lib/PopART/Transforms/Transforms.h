// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of the IR. Each has a name by which users switch it on and off
// (--patterns) and which log messages carry. To add one: write a file that
// defines the function, and a line in the table of Transforms.cpp.

#ifndef POPULUS_LIB_POPART_TRANSFORMS_TRANSFORMS_H
#define POPULUS_LIB_POPART_TRANSFORMS_TRANSFORMS_H

#include "lib/PopART/IR/Graph.h"

#include <functional>
#include <optional>
#include <set>
#include <span>

namespace popart {

struct Transform {
  std::string_view name;
  std::string_view help;
  /// Returns how many places it changed. Null where it is about lowering, which
  /// asks whether it is enabled.
  std::size_t (*run)(Graph &graph) = nullptr;
};

/// All transforms, in the order in which they run.
std::span<const Transform> allTransforms();

/// Which transforms are on: all, unless the user says otherwise.
class Patterns {
public:
  Patterns();

  /// Applies a list such as "-PostNRepl,Prune" or "none,BatchNormIntoConv":
  /// items switch one transform on or, with '-', off; "all" and "none" are all
  /// of them. An unknown name is a usage Error that lists those that exist.
  void apply(const std::string &list);

  bool isEnabled(std::string_view name) const {
    return enabled.count(std::string(name)) != 0;
  }

private:
  void applyItem(std::string item);
  std::set<std::string> enabled;
};

/// Lets everything that is float be float16 (--precision fp16), but for the
/// first `floatConvolutions` convolutions and what comes before and between
/// them; without a number, for the first third of them.
void convertToHalf(Graph &graph,
                   std::optional<std::size_t> floatConvolutions = {});

/// Which repeated parts of a graph become functions. Units are those of
/// Op::codeValue: about the code of one product of matrices.
struct OutlineOptions {
  /// What a part has to have at least.
  double threshold = 1;
  /// Leave parts alone whose calls copy more than they save.
  bool pruneByCopyCost = true;
  /// Weights stay where the host can write them: also those that are equal now
  /// are arguments, not part of a function.
  bool keepWeights = false;
};

/// Lets calls of one graph take the place of what repeats (SubgraphOutline).
/// Returns the number of calls.
std::size_t outline(Graph &graph, const OutlineOptions &options);

/// Runs the enabled transforms; `afterEach` is told the name of each one that
/// ran.
void runTransforms(Graph &graph, const Patterns &patterns,
                   const std::function<void(std::string_view)> &afterEach = {});

std::size_t removeIdentities(Graph &graph);
std::size_t foldBatchNorms(Graph &graph);
std::size_t padIntoWindow(Graph &graph);
std::size_t mergeDuplicates(Graph &graph);
std::size_t prune(Graph &graph);

} // namespace popart

#endif
