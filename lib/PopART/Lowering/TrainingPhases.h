// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The phase of a training step that an operator belongs to, for reports.

#ifndef POPULUS_LIB_POPART_LOWERING_TRAININGPHASES_H
#define POPULUS_LIB_POPART_LOWERING_TRAININGPHASES_H

#include "lib/PopART/IR/Module.h"

#include <unordered_map>

namespace populus::popir {

class TrainingPhases {
public:
  explicit TrainingPhases(const Module &module);

  /// "forward", "backward" or "update"; empty if the module does not train.
  const char *of(const Op &op) const;

private:
  void addGraph(const Graph &graph);

  std::unordered_map<const Op *, const char *> phases;
  bool isTraining = false;
};

} // namespace populus::popir

#endif
