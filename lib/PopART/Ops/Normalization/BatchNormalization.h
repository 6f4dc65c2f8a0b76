// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BatchNormalization. For inference it is a scale and a shift of each channel,
// which follow from the channel's statistics. It is declared in a header
// because a pass folds it into the preceding convolution.

#ifndef POPULUS_LIB_POPART_OPS_NORMALIZATION_BATCHNORMALIZATION_H
#define POPULUS_LIB_POPART_OPS_NORMALIZATION_BATCHNORMALIZATION_H

#include "lib/PopART/Lowering/DeviceOp.h"

namespace populus::popir {

class BatchNormalization final : public DeviceOp {
public:
  explicit BatchNormalization(OpSpec spec);

  std::vector<TensorInfo> infer() const override;
  void lower(Lowering &lowering) const override;
  bool ownsResult() const override { return true; }
  bool mayAlias(std::size_t, std::size_t) const override { return false; }
  bool dependsOnValue(std::size_t index) const override { return index != 0; }

  /// y = x * scale[c] + shift[c], if all parameters are constants.
  struct Affine {
    std::vector<double> scale, shift;
  };
  std::optional<Affine> affine() const;

  /// True if it normalises by the statistics of the batch.
  bool isTraining() const {
    return attributes().getInt("training_mode", 0) != 0 ||
           (version() < 14 && spec().numOutputs == NumTrainingOutputs);
  }
  void differentiate(Gradients &gradients) const override;

private:
  /// Result, running mean and variance, batch mean and variance.
  static constexpr std::size_t NumTrainingOutputs = 5;

  void lowerAffine(Lowering &lowering, const Affine &affine) const;
  void lowerTraining(Lowering &lowering) const;
  /// Updates the running statistics from a batch of `count` elements.
  void moveStatistics(Lowering &lowering, const poplar::Tensor &mean,
                      const poplar::Tensor &variance, double count) const;
  double varianceCorrection(double count) const;
  void normalize(Lowering &lowering, const poplar::Tensor &mean,
                 const poplar::Tensor &variance) const;
  poplar::Tensor
  normalizeMixed(Lowering &lowering, const poplar::Tensor &x,
                 const std::vector<poplar::Tensor> &parameters) const;
  poplar::Tensor parameter(Lowering &lowering, std::size_t index) const;
  /// [1, channels, 1, ...]: lined up with the input's channels.
  std::vector<std::size_t> channelShape() const;
};

} // namespace populus::popir

#endif
