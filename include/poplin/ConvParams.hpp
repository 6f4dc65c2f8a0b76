// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters of a convolution. The input field and the kernel are each
// truncated, dilated (zeros between elements), padded and flipped, in this
// order. The kernel slides over the field. The result is truncated, every
// stride-th element is kept, and the kept elements are padded.

#ifndef POPULUS_POPLIN_CONVPARAMS_HPP
#define POPULUS_POPLIN_CONVPARAMS_HPP

#include <poplar/Type.hpp>

#include <cstddef>
#include <functional>
#include <iosfwd>
#include <vector>

namespace poplin {

struct ConvParams {
  /// One entry for each field dimension.
  struct InputTransform {
    InputTransform() = default;
    /// The identity.
    explicit InputTransform(std::size_t size);
    InputTransform(std::vector<unsigned> truncationLower,
                   std::vector<unsigned> truncationUpper,
                   std::vector<unsigned> dilation,
                   std::vector<unsigned> paddingLower,
                   std::vector<unsigned> paddingUpper, std::vector<bool> flip);

    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    std::vector<unsigned> dilation;
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;
    std::vector<bool> flip;
  };

  struct OutputTransform {
    OutputTransform() = default;
    /// The identity.
    explicit OutputTransform(std::size_t size);
    OutputTransform(std::vector<unsigned> truncationLower,
                    std::vector<unsigned> truncationUpper,
                    std::vector<unsigned> stride,
                    std::vector<unsigned> paddingLower,
                    std::vector<unsigned> paddingUpper);

    std::vector<unsigned> truncationLower;
    std::vector<unsigned> truncationUpper;
    std::vector<unsigned> stride;
    std::vector<unsigned> paddingLower;
    std::vector<unsigned> paddingUpper;
  };

  ConvParams() = default;
  /// Without transforms. The channels are those of one group.
  ConvParams(poplar::Type dataType, std::size_t batchSize,
             std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels,
             std::size_t outputChannels, std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType,
             std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels,
             std::size_t outputChannels, std::size_t numConvGroups);
  ConvParams(poplar::Type inputType, poplar::Type outputType,
             std::size_t batchSize, std::vector<std::size_t> inputFieldShape,
             std::vector<std::size_t> kernelShape, std::size_t inputChannels,
             std::size_t outputChannels, std::size_t numConvGroups,
             InputTransform inputTransform, InputTransform kernelTransform,
             OutputTransform outputTransform);

  poplar::Type inputType;
  poplar::Type outputType;
  std::size_t batchSize = 0;
  std::vector<std::size_t> inputFieldShape;
  std::vector<std::size_t> kernelShape;
  std::size_t inputChannelsPerConvGroup = 0;
  std::size_t outputChannelsPerConvGroup = 0;
  std::size_t numConvGroups = 0;
  InputTransform inputTransform;
  InputTransform kernelTransform;
  OutputTransform outputTransform;

  std::size_t getNumFieldDims() const { return inputFieldShape.size(); }
  std::size_t getNumConvGroups() const { return numConvGroups; }
  std::size_t getBatchSize() const { return batchSize; }
  std::size_t getNumInputChansPerConvGroup() const {
    return inputChannelsPerConvGroup;
  }
  std::size_t getNumOutputChansPerConvGroup() const {
    return outputChannelsPerConvGroup;
  }
  std::size_t getNumInputChans() const {
    return inputChannelsPerConvGroup * numConvGroups;
  }
  std::size_t getNumOutputChans() const {
    return outputChannelsPerConvGroup * numConvGroups;
  }
  std::size_t getInputSize(unsigned dim) const { return inputFieldShape[dim]; }
  const std::vector<std::size_t> &getInputFieldShape() const {
    return inputFieldShape;
  }
  const std::vector<std::size_t> &getKernelShape() const { return kernelShape; }

  std::size_t getTruncatedInputSize(unsigned dim) const;
  std::size_t getTruncatedKernelSize(unsigned dim) const;
  std::size_t getTransformedInputSize(unsigned dim) const;
  std::size_t getTransformedKernelSize(unsigned dim) const;
  /// Before the output transform.
  std::size_t getUntransformedOutputSize(unsigned dim) const;
  std::size_t getOutputSize(unsigned dim) const;
  std::vector<std::size_t> getOutputFieldShape() const;

  /// Parameters of the same convolution without transforms that change nothing:
  /// flips and dilations of single elements, strides of single results.
  ConvParams canonicalize() const;

  /// Throws poputil::poplibs_error where sizes do not fit together.
  void validate() const;
};

bool operator<(const ConvParams &a, const ConvParams &b);
bool operator==(const ConvParams &a, const ConvParams &b);
bool operator!=(const ConvParams &a, const ConvParams &b);
std::ostream &operator<<(std::ostream &os, const ConvParams &params);

std::size_t hash_value(const ConvParams &params);

} // namespace poplin

namespace std {
template <> struct hash<poplin::ConvParams> {
  std::size_t operator()(const poplin::ConvParams &params) const {
    return poplin::hash_value(params);
  }
};
} // namespace std

#endif
