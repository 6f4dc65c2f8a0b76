// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interface that gives a step its input data and takes its results. A session
// asks for the data of one batch at a time.

#ifndef POPULUS_INCLUDE_POPART_ISTEPIO_HPP
#define POPULUS_INCLUDE_POPART_ISTEPIO_HPP

#include <popart/names.hpp>
#include <popart/voiddata.hpp>

#include <set>

namespace popart {

class IStepIO {
public:
  virtual ~IStepIO() {}

  /// The data of an input for the next batch. With `prefetch` it is asked for
  /// ahead of time, and there may be none yet: then a null pointer.
  virtual ConstVoidData in(TensorId id, std::int64_t numElements,
                           bool prefetch) = 0;
  /// The session has copied the data that `in` returned.
  virtual void inComplete(TensorId id, std::int64_t numElements) = 0;
  /// Returns the buffer for the next data of an anchor.
  virtual MutableVoidData out(TensorId id, std::int64_t numElements) = 0;
  /// The session has written the data to the buffer that `out` returned.
  virtual void outComplete(TensorId id) = 0;

  /// Before a step, for each input and anchor: how many elements the step needs
  /// or gives. May throw runtime_error.
  virtual void checkNumElements(const TensorId &, std::int64_t, bool) const {}
  /// And before that: what inputs the model has, weights among them. May throw
  /// error where there is data for others.
  virtual void checkInputs(const std::set<TensorId> &) const {}

  /// The type of the data of an input or anchor; UNDEFINED where there is none
  /// or that is not known before the step.
  virtual DataType typeOf(const TensorId &, bool) const {
    return DataType::UNDEFINED;
  }

  void enableRuntimeAsserts(bool enable) { asserts = enable; }
  bool runtimeAssertsEnabled() const { return asserts; }

private:
  bool asserts = true;
};

/// Memory for the values of weights, which Session::readWeights fills and
/// Session::writeWeights reads.
class IWeightsIO {
public:
  virtual ~IWeightsIO() {}

  virtual bool contains(TensorId id) const = 0;
  virtual MutableVoidData weight(TensorId id) const = 0;
};

} // namespace popart

#endif
