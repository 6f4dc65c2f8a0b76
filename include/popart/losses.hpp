// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses as objects. They predate loss operators in models. A loss adds a
// tensor with its name, which may be an anchor, to the model. Training
// minimises the sum of all losses, each with its reduction.

#ifndef POPULUS_INCLUDE_POPART_LOSSES_HPP
#define POPULUS_INCLUDE_POPART_LOSSES_HPP

#include <popart/inputshapeinfo.hpp>
#include <popart/reductiontype.hpp>

#include <string>
#include <vector>

namespace popart {

class Loss {
public:
  virtual ~Loss();

  const TensorId &input(InIndex i) const {
    return inputs.at(static_cast<std::size_t>(i));
  }
  const TensorId &output(OutIndex) const { return result; }
  const std::vector<TensorId> &getInputIds() const { return inputs; }
  ReductionType getReductionType() const { return reduction; }
  // IPU and pipeline stage of the loss; no effect.
  void virtualGraph(VGraphId) {}
  void pipelineStage(PipelineStage) {}

protected:
  Loss(const std::vector<TensorId> &inputs, const TensorId &output,
       ReductionType reduction)
      : inputs(inputs), result(output), reduction(reduction) {}

private:
  std::vector<TensorId> inputs;
  TensorId result;
  ReductionType reduction;
};

/// Negative log-likelihood of labels under probabilities. The labels have the
/// shape of the loss.
class NllLoss : public Loss {
public:
  NllLoss(const TensorId &probabilities, const TensorId &labels,
          const TensorId &output, ReductionType reduction = ReductionType::Sum)
      : Loss({probabilities, labels}, output, reduction) {}
  /// Labels with this index are ignored.
  NllLoss(const TensorId &probabilities, const TensorId &labels,
          const TensorId &output, int ignoreIndex,
          ReductionType reduction = ReductionType::Sum)
      : Loss({probabilities, labels}, output, reduction), hasIgnored(true),
        ignored(ignoreIndex) {}

  const TensorId &probsTensorId() const { return input(0); }
  const TensorId &labelTensorId() const { return input(1); }
  bool hasIgnoreIndex() const { return hasIgnored; }
  int getIgnoreIndex() const { return ignored; }

private:
  bool hasIgnored = false;
  int ignored = 0;
};

/// The sum of absolute values of each sample of a batch.
class L1Loss : public Loss {
public:
  L1Loss(const TensorId &input, const TensorId &output, float lambda,
         ReductionType reduction = ReductionType::Sum)
      : Loss({input}, output, reduction), lambda(lambda) {}

  const TensorId &getInputId() const { return input(0); }
  float getLambda() const { return lambda; }

private:
  float lambda;
};

/// A tensor of the model that is itself the loss.
class IdentityLoss : public Loss {
public:
  IdentityLoss(const TensorId &input, const TensorId &output,
               ReductionType reduction = ReductionType::Sum)
      : Loss({input}, output, reduction) {}

  const TensorId &getInputId() const { return input(0); }
};

/// A model with losses.
struct ModelWithLosses {
  /// The bytes of the model.
  std::string model;
  /// The tensor that training minimises.
  TensorId loss;
};

/// Adds losses to a model, given as the path of an ONNX file or as its bytes.
/// Labels that the model does not have become inputs with the types and shapes
/// of `inputShapes`.
ModelWithLosses withLosses(const std::string &model,
                           const std::vector<const Loss *> &losses,
                           const InputShapeInfo &inputShapes);

} // namespace popart

#endif
