// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common implementations of a step's data: arrays and callbacks; and a list of
// weights.

#ifndef POPULUS_INCLUDE_POPART_STEPIO_HPP
#define POPULUS_INCLUDE_POPART_STEPIO_HPP

#include <popart/iarray.hpp>
#include <popart/istepio.hpp>

#include <functional>
#include <map>

namespace popart {

/// An array for each input and anchor with the data of all batches of a step. A
/// step continues after the previous one, and starts again at the beginning
/// when the array is used up.
class StepIO : public IStepIO {
public:
  StepIO(const std::map<TensorId, IArray &> &inputs,
         const std::map<TensorId, IArray &> &outputs);

  ConstVoidData in(TensorId id, std::int64_t numElements,
                   bool prefetch) override;
  void inComplete(TensorId id, std::int64_t numElements) override;
  MutableVoidData out(TensorId id, std::int64_t numElements) override;
  void outComplete(TensorId) override {}
  void checkNumElements(const TensorId &id, std::int64_t numElements,
                        bool isInput) const override;
  void checkInputs(const std::set<TensorId> &known) const override;
  DataType typeOf(const TensorId &id, bool isInput) const override;

private:
  struct Place {
    IArray *array;
    std::int64_t offset;
  };
  using Places = std::map<TensorId, Place>;

  static Places placesOf(const std::map<TensorId, IArray &> &arrays);
  static Place &find(Places &places, const TensorId &id, const char *role);

  Places inputs, outputs;
};

/// Functions that are called for each batch.
class StepIOCallback : public IStepIO {
public:
  using InputCallback = std::function<ConstVoidData(TensorId, bool)>;
  using CompleteCallback = std::function<void(TensorId)>;
  using OutputCallback = std::function<MutableVoidData(TensorId)>;
  using InputCompleteCallback = CompleteCallback;
  using OutputCompleteCallback = CompleteCallback;

  StepIOCallback(InputCallback input, CompleteCallback inputComplete,
                 OutputCallback output, CompleteCallback outputComplete)
      : input(input), inputComplete(inputComplete), output(output),
        outputComplete(outputComplete) {}

  ConstVoidData in(TensorId id, std::int64_t, bool prefetch) override {
    return input(id, prefetch);
  }
  void inComplete(TensorId id, std::int64_t) override { inputComplete(id); }
  MutableVoidData out(TensorId id, std::int64_t) override { return output(id); }
  void outComplete(TensorId id) override { outputComplete(id); }

private:
  InputCallback input;
  CompleteCallback inputComplete;
  OutputCallback output;
  CompleteCallback outputComplete;
};

/// A list of weights.
class WeightsIO : public IWeightsIO {
public:
  bool contains(TensorId id) const override { return weights.count(id) != 0; }
  /// Throws runtime_error if there is no weight with that name.
  MutableVoidData weight(TensorId id) const override;
  /// The memory must outlive this object. The name must be new.
  void insert(TensorId id, MutableVoidData data);

private:
  std::map<TensorId, MutableVoidData> weights;
};

} // namespace popart

#endif
