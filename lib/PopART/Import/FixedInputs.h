// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of the model that become constants: inputs that the user names, and
// inputs of a test data set that shapes, axes or sizes depend on.

#ifndef POPULUS_LIB_POPART_IMPORT_FIXEDINPUTS_H
#define POPULUS_LIB_POPART_IMPORT_FIXEDINPUTS_H

#include "lib/PopART/IR/HostTensor.h"
#include "lib/PopART/Support/Error.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

struct FixedInputs {
  /// By input: a file (.pb or .npy), or comma-separated numbers.
  std::map<std::string, std::string> values;
  /// A folder with input_0.pb, input_1.pb, … in the model's order; empty: none.
  std::string folder;
};

/// The inputs of a model without initializers, in the order of a test data set.
std::vector<std::string> namesOfInputs(const onnx::ModelProto &model);

/// Turns the inputs with given values into constants.
void fixInputs(onnx::ModelProto &model, const FixedInputs &fixed);

/// The value that the folder has for an input of the model; nothing without
/// one. `names` are all inputs before any became a constant.
std::optional<HostTensor> valueInFolder(const onnx::ModelProto &model,
                                        const FixedInputs &fixed,
                                        const std::vector<std::string> &names,
                                        const std::string &input);

/// Appends advice to the Error.
UnknownValue withAdvice(const UnknownValue &error);

} // namespace populus::popir

#endif
