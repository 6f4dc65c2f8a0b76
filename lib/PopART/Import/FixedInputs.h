// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inputs of the model that are made constants: those that the user names, and,
// where shapes, axes or sizes have to be known when the model is compiled,
// those of a test data set that they depend on.

#ifndef POPULUS_LIB_POPART_IMPORT_FIXEDINPUTS_H
#define POPULUS_LIB_POPART_IMPORT_FIXEDINPUTS_H

#include "lib/PopART/Support/Error.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace onnx {
class ModelProto;
} // namespace onnx

namespace populus::popir {

struct FixedInputs {
  /// For an input by name: a file (.pb or .npy), or numbers between commas.
  std::map<std::string, std::string> values;
  /// A folder with input_0.pb, input_1.pb, … in the model's order; empty: none.
  std::string folder;
};

/// The inputs of a model that are not initializers, in the order in which a
/// test data set numbers them.
std::vector<std::string> namesOfInputs(const onnx::ModelProto &model);

/// Makes constants of the inputs that have a value of their own.
void fixInputs(onnx::ModelProto &model, const FixedInputs &fixed);

/// Makes constants of those `inputs` that the folder has; `names` are those of
/// all inputs before any was made a constant. False where it has none of them,
/// or they are constants already.
bool fixUnknown(onnx::ModelProto &model, const FixedInputs &fixed,
                const std::vector<std::string> &names,
                const std::set<std::string> &inputs);

/// The Error with what can be done about it.
UnknownValue withAdvice(const UnknownValue &error);

} // namespace populus::popir

#endif
