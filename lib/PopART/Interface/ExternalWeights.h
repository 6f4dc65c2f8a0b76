// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initializers whose elements are in files beside the model: ONNX's external
// data. A program moves them there where a model would be too large for one
// message. A session holds all elements, and knows where they belong: a model
// that it writes has them there again.

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

/// Where the elements of an initializer are. The path is as the model has it.
struct ExternalPlace {
  std::string path;
  std::uint64_t offset = 0;
};

/// By initializer.
using ExternalPlaces = std::map<std::string, ExternalPlace>;

/// Where the initializers of a model are that it does not hold itself.
ExternalPlaces placesOf(const onnx::ModelProto &model);

/// Writes the elements of initializers to a file: behind those that `places`
/// has there already, else into a new one. Adds where they are to `places`. An
/// initializer that there is not, or that has a place, is an error.
void saveExternally(const onnx::GraphProto &graph,
                    const std::vector<std::string> &ids,
                    const std::string &path, ExternalPlaces &places);

/// Writes the elements of all initializers that have a place there. Other bytes
/// of the files stay.
void writeElements(const onnx::GraphProto &graph, const ExternalPlaces &places);

/// Initializers that have a place name it, and have no elements any more.
void referTo(const ExternalPlaces &places, onnx::GraphProto &graph);

/// The same for models as bytes.
void writeElements(const std::string &model, const ExternalPlaces &places);
std::string referring(const std::string &model, const ExternalPlaces &places);

} // namespace popart::session

#endif
