// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's external data: initializers whose elements are in files beside the
// model. Programs use it for models too large for one protobuf message. A
// session loads all elements and remembers their files, so that a model that it
// writes uses the same files.

#ifndef POPULUS_LIB_POPART_INTERFACE_EXTERNALWEIGHTS_H
#define POPULUS_LIB_POPART_INTERFACE_EXTERNALWEIGHTS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace onnx {
class GraphProto;
class ModelProto;
} // namespace onnx

namespace popart::session {

/// Location of an initializer's elements. The path is that in the model.
struct ExternalPlace {
  std::string path;
  std::uint64_t offset = 0;
};

/// By initializer.
using ExternalPlaces = std::map<std::string, ExternalPlace>;

/// The locations of a model's external initializers.
ExternalPlaces placesOf(const onnx::ModelProto &model);

/// Writes the elements of initializers to a file, behind those that `places`
/// has there already, and adds their locations to `places`. Throws if an
/// initializer does not exist or has a location.
void saveExternally(const onnx::GraphProto &graph,
                    const std::vector<std::string> &ids,
                    const std::string &path, ExternalPlaces &places);

/// Writes the elements of all external initializers to their locations. Other
/// bytes of the files stay.
void writeElements(const onnx::GraphProto &graph, const ExternalPlaces &places);

/// Replaces the elements of external initializers by their locations.
void referTo(const ExternalPlaces &places, onnx::GraphProto &graph);

/// Like above, for a serialized model.
void writeElements(const std::string &model, const ExternalPlaces &places);
std::string referring(const std::string &model, const ExternalPlaces &places);

} // namespace popart::session

#endif
