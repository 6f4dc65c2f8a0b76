// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sessions and builders ask of an ONNX model that they have as bytes.

#ifndef POPULUS_LIB_POPART_INTERFACE_MODELBYTES_H
#define POPULUS_LIB_POPART_INTERFACE_MODELBYTES_H

#include "lib/PopART/Interface/ExternalWeights.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace populus::popir {
struct TensorInfo;
}

namespace popart::session {

/// Type and shape of a tensor.
struct Info {
  int onnxType = 0;
  std::vector<std::int64_t> shape;
};

/// As the compiler has it.
Info infoOf(const populus::popir::TensorInfo &info);

/// Types and shapes of different tensors of a model, whose results need not
/// have types.
std::vector<Info> inferInfos(const std::string &bytes,
                             const std::vector<std::string> &tensors);

/// The bytes of the model, of which `model` is the path or which it is, with
/// the elements of all initializers; `places` is told where the model had them.
/// Bytes that a program has may name files anywhere.
std::string modelBytes(const std::string &model,
                       ExternalPlaces *places = nullptr);

/// The model with the values that `other` gives its initializers. Throws where
/// types or shapes differ, and, unless `ignoreUnknown`, where the model has no
/// such initializer.
std::string withWeights(const std::string &model, const std::string &other,
                        bool ignoreUnknown);

/// Names of a model's inputs.
std::set<std::string> inputsOf(const std::string &model);

/// Names of the inputs that all replicas get the same data for.
std::set<std::string> broadcastInputsOf(const std::string &model);

/// Names of a model's initializers, and how many elements each one has.
std::map<std::string, std::int64_t> weightsOf(const std::string &model);

/// Shows `take` the initializers of a model: name, type and shape, elements.
void readWeights(const std::string &model,
                 const std::function<void(const std::string &, const Info &,
                                          const void *)> &take);

/// The model with other values for initializers. `give` writes the elements and
/// returns true, or returns false for those that stay.
std::string replaceWeights(
    const std::string &model,
    const std::function<bool(const std::string &, const Info &, void *)> &give);

} // namespace popart::session

#endif
