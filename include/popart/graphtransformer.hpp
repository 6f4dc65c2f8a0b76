// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes models before sessions are made of them.

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
  /// The path of an ONNX file, or the bytes of one.
  explicit GraphTransformer(const std::string &modelProtoOrFilename);
  ~GraphTransformer();

  /// The bytes of the model.
  std::string getModelProto() const;

  /// Inputs and initializers that no node reads.
  void removeUnusedInputs();
  /// Batch normalizations get the results that training needs, which are the
  /// statistics.
  void prepareNodesForTraining();

  // Inputs, initializers and constants of a type get another one.
  void convertFloatsToHalfs();
  void convertUINT8ToINT32();
  void convertUINT16ToINT32();
  void convertINT8ToINT32();
  void convertINT16ToINT32();
  /// Numbers that do not fit are an error, or the nearest ones that do.
  void convertINT64ToINT32(bool clip = false);
  void convertDoublesToFloats();
  void convertDoublesToHalfs();
  void convertBFloats16ToFloat32();

  /// Weights that training leaves as they are.
  void convertInitializersToConstants(const std::vector<TensorId> &ids);
  void convertAllFixedPointInitializersToConstants();

  /// Keeps the elements of these initializers in a file; see Builder.
  void saveInitializersExternally(const std::vector<TensorId> &ids,
                                  const std::string &path);

private:
  std::unique_ptr<popart_detail::TransformedModel> model;
};

} // namespace popart

#endif
