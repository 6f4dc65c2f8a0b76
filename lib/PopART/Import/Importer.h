// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports an ONNX model as a module of the IR.

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
  /// Tensors to return instead of the model's outputs, by name or by a pattern
  /// (NamePattern.h); empty: the outputs.
  std::vector<std::string> anchors;
  FoldingBudget folding;
  FixedInputs fixed;
  BoundOptions bounds;
  /// Return the anchors or outputs; false: results are added later.
  bool returnsResults = true;
  /// Floating-point initializers become variables, which the program or the
  /// host can change, except for those that have to be known at compile time.
  bool variableWeights = false;
  /// Initializers that stay constants all the same.
  std::set<std::string> frozenWeights;
  /// Reject a model that would be computed with less precision than it
  /// specifies.
  bool isStrict = false;
  /// Called with warnings; may be empty.
  std::function<void(const std::string &)> warn;
  /// Called with results that have a bound; may be empty.
  std::function<void(const PaddedResult &)> padded;
};

/// Checks and imports the model. Constants are folded, because models often
/// compute shapes; every tensor gets a static shape.
std::unique_ptr<Module> importModel(onnx::ModelProto model,
                                    const ImportOptions &options = {});

} // namespace populus::popir

#endif
