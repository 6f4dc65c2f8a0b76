// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries and edits of serialized ONNX models, for sessions and builders.

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

/// Converts the compiler's type and shape.
Info infoOf(const populus::popir::TensorInfo &info);

/// Infers types and shapes of tensors of a model, whose results need no types.
std::vector<Info> inferInfos(const std::string &bytes,
                             const std::vector<std::string> &tensors);

/// The bytes of a model, including external elements; `model` is a path or the
/// bytes themselves. The locations of external elements are stored in `places`.
/// Bytes passed by a program may refer to files anywhere.
std::string modelBytes(const std::string &model,
                       ExternalPlaces *places = nullptr);

/// The model with the initializers of `other`. Throws if types or shapes
/// differ, or, unless `ignoreUnknown`, if the model lacks such an initializer.
std::string withWeights(const std::string &model, const std::string &other,
                        bool ignoreUnknown);

/// Names of a model's inputs.
std::set<std::string> inputsOf(const std::string &model);

/// Names of the inputs of which all replicas get the same data.
std::set<std::string> broadcastInputsOf(const std::string &model);

/// Names and numbers of elements of a model's initializers.
std::map<std::string, std::int64_t> weightsOf(const std::string &model);

/// Calls `take` with name, type, shape and elements of each initializer.
void readWeights(const std::string &model,
                 const std::function<void(const std::string &, const Info &,
                                          const void *)> &take);

/// The model with new values of initializers. `give` writes the elements and
/// returns true, or returns false to keep the old ones.
std::string replaceWeights(
    const std::string &model,
    const std::function<bool(const std::string &, const Info &, void *)> &give);

} // namespace popart::session

#endif
