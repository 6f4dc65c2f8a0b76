// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The import of a model that is still being made: what was added since the last
// question is imported, so that asking for the shape of each tensor costs no
// more than importing the whole model once.

#ifndef POPULUS_LIB_POPART_IMPORT_GROWINGMODEL_H
#define POPULUS_LIB_POPART_IMPORT_GROWINGMODEL_H

#include "lib/PopART/IR/HostTensor.h"

#include <memory>
#include <optional>
#include <string>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

class GrowingModel {
public:
  GrowingModel();
  ~GrowingModel();

  /// Type and shape of a tensor. `model` is the one of the last question, with
  /// more inputs, initializers and nodes at the end of its lists, and has to
  /// outlive this object. Nothing where a part of the model cannot be imported;
  /// importModel() says why.
  std::optional<TensorInfo> find(const onnx::ModelProto &model,
                                 const std::string &tensor);

  /// To be called when what the model had has changed.
  void forget();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace populus::popir

#endif
