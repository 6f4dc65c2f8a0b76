// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient graph of a graph: a graph of its own, which is called after the
// forward graph. Its arguments are first the gradients of results of the
// forward graph, then those forward values that the gradients are computed
// from; its results are the gradients that are asked for.

#ifndef POPULUS_LIB_POPART_TRAINING_GRADIENTGRAPH_H
#define POPULUS_LIB_POPART_TRAINING_GRADIENTGRAPH_H

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/Module.h"

#include <map>
#include <vector>

namespace populus::popir {

/// `provided` are values of the forward graph whose gradients are arguments,
/// `required` those whose gradients are results, if they exist. Operators of
/// the forward graph get the results that only gradients read.
GradientGraph makeGradientGraph(Graph &forward, const std::string &name,
                                const std::vector<Value *> &provided,
                                const std::vector<Value *> &required,
                                GradientGraphs &graphs);

/// Makes each gradient graph once.
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
