// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From an ONNX model to a module of the IR.

#ifndef POPULUS_LIB_POPART_IMPORT_IMPORTER_H
#define POPULUS_LIB_POPART_IMPORT_IMPORTER_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Import/Bounds.h"
#include "lib/PopART/Import/FixedInputs.h"
#include "lib/PopART/Import/Folding.h"
#include "lib/PopART/Import/InputShapes.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace populus::popir {

struct ImportOptions {
  ShapeOptions shapes;
  /// Tensors to return instead of the model's outputs; empty: the outputs.
  std::vector<std::string> anchors;
  FoldingBudget folding;
  FixedInputs fixed;
  BoundOptions bounds;
  /// Return these or the outputs; else nothing, for what is returned is said
  /// later.
  bool returnsResults = true;
  /// Initializers of floating point are variables, which the program or the
  /// host can change, but for those that have to be known to compile it.
  bool variableWeights = false;
  /// Initializers that are constants all the same.
  std::set<std::string> frozenWeights;
  /// Refuse what is computed with less precision than the model says.
  bool isStrict = false;
  /// Told what is else worth a warning; may be empty.
  std::function<void(const std::string &)> warn;
  /// Told which results have a bound; may be empty.
  std::function<void(const PaddedResult &)> padded;
};

/// Checks the model and imports it. Subgraphs of constants are folded, for
/// shapes are often computed by them; every tensor gets its static shape.
std::unique_ptr<Module> importModel(onnx::ModelProto model,
                                    const ImportOptions &options = {});

} // namespace populus::popir

#endif
