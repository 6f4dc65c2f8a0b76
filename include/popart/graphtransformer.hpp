// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transforms models before sessions are made of them.

#ifndef POPULUS_INCLUDE_POPART_GRAPHTRANSFORMER_HPP
#define POPULUS_INCLUDE_POPART_GRAPHTRANSFORMER_HPP

#include <popart/names.hpp>

#include <memory>
#include <string>
#include <vector>

namespace popart {

namespace popart_detail {
class TransformedModel;
}

class GraphTransformer {
public:
  /// Takes the path of an ONNX file, or the bytes of one.
  explicit GraphTransformer(const std::string &modelProtoOrFilename);
  ~GraphTransformer();

  /// The bytes of the model.
  std::string getModelProto() const;

  /// Removes inputs and initializers that no node reads.
  void removeUnusedInputs();
  /// Adds the results of batch normalizations that training needs: the
  /// statistics.
  void prepareNodesForTraining();

  // Convert inputs, initializers and constants from one type to another.
  void convertFloatsToHalfs();
  void convertUINT8ToINT32();
  void convertUINT16ToINT32();
  void convertINT8ToINT32();
  void convertINT16ToINT32();
  /// A number out of range is an error, or is clamped if `clip`.
  void convertINT64ToINT32(bool clip = false);
  void convertDoublesToFloats();
  void convertDoublesToHalfs();
  void convertBFloats16ToFloat32();

  /// Converts weights that training does not change to constants.
  void convertInitializersToConstants(const std::vector<TensorId> &ids);
  void convertAllFixedPointInitializersToConstants();

  /// Writes the elements of these initializers to a file; see Builder.
  void saveInitializersExternally(const std::vector<TensorId> &ids,
                                  const std::string &path);

private:
  std::unique_ptr<popart_detail::TransformedModel> model;
};

} // namespace popart

#endif
