// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Incremental import of a model under construction. Each query imports only the
// nodes added since the last one, so that querying the shape of every tensor
// costs no more than importing the whole model once.

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

  /// Type and shape of a tensor. `model` is the model of the last query,
  /// perhaps with inputs, initializers and nodes appended, and has to outlive
  /// this object. Nothing if a part of the model cannot be imported;
  /// importModel() reports the reason.
  std::optional<TensorInfo> find(const onnx::ModelProto &model,
                                 const std::string &tensor);

  /// Must be called if an existing part of the model has changed.
  void forget();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace populus::popir

#endif
