// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient graph of a graph: a separate graph, called after the forward
// graph. Its arguments are the gradients of results of the forward graph, then
// the forward values that it needs. Its results are the requested gradients.

#ifndef POPULUS_LIB_POPART_TRAINING_GRADIENTGRAPH_H
#define POPULUS_LIB_POPART_TRAINING_GRADIENTGRAPH_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/Module.h"

#include <map>
#include <vector>

namespace populus::popir {

/// Builds a gradient graph. Gradients of `provided` are its arguments,
/// gradients of `required`, if they exist, its results; both are values of the
/// forward graph. Forward operators get the optional results that only
/// gradients read.
GradientGraph makeGradientGraph(Graph &forward, const std::string &name,
                                const std::vector<Value *> &provided,
                                const std::vector<Value *> &required,
                                GradientGraphs &graphs);

/// Builds gradient graphs, memoised.
class GradientGraphMaker : public GradientGraphs {
public:
  const GradientGraph &of(Graph &forward, const std::vector<Value *> &provided,
                          const std::vector<Value *> &required) override;

private:
  struct Key {
    const Graph *forward;
    std::vector<Value *> provided, required;
    auto operator<=>(const Key &) const = default;
  };
  std::map<Key, GradientGraph> known;
};

} // namespace populus::popir

#endif
