// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which initializers of a model are its weights. Exporters write constants as
// they write weights: the 1.41421 of a GELU, masks, sines of positions. How an
// initializer is used tells most of them apart, and names tell the others: what
// a program calls `layer.weight` is a parameter, and what an exporter had to
// find a name for (`val_4`, `onnx::Add_12`) is none.

#ifndef POPULUS_LIB_POPART_IMPORT_TRAINEDWEIGHTS_H
#define POPULUS_LIB_POPART_IMPORT_TRAINEDWEIGHTS_H

#include <string>
#include <vector>

namespace onnx {
class ModelProto;
}

namespace populus::popir {

/// Names of initializers, as patterns with * and ?, that overrule what is found
/// out about them.
struct WeightPatterns {
  std::vector<std::string> trained;
  /// These count where both lists have a name.
  std::vector<std::string> frozen;
};

struct WeightChoice {
  /// In the order of the model.
  std::vector<std::string> trained, frozen;
  /// The tensors of `frozen` that are used like weights, but whose elements are
  /// those of masks.
  std::vector<std::string> masks;

  /// A sentence for the user, with some of the names.
  std::string text() const;
};

/// Chooses among the floating point initializers that the model reads. Running
/// statistics are in neither list: they move, but not by their gradients.
/// \throws Error of the kind Usage for a pattern that no initializer has.
WeightChoice chooseWeights(const onnx::ModelProto &model,
                           const WeightPatterns &patterns);

} // namespace populus::popir

#endif
