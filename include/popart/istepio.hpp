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

  /// Returns the data of an input for the next batch. With `prefetch` the data
  /// is requested ahead of time; a null pointer means that there is none yet.
  virtual ConstVoidData in(TensorId id, std::int64_t numElements,
                           bool prefetch) = 0;
  /// The session has copied the data that `in` returned.
  virtual void inComplete(TensorId id, std::int64_t numElements) = 0;
  /// Returns the buffer for the next data of an anchor.
  virtual MutableVoidData out(TensorId id, std::int64_t numElements) = 0;
  /// The session has written the data to the buffer that `out` returned.
  virtual void outComplete(TensorId id) = 0;

  /// Called before a step for each input and anchor with the number of elements
  /// that the step needs or returns. May throw runtime_error.
  virtual void checkNumElements(const TensorId &, std::int64_t, bool) const {}
  /// Called first, with the inputs of the model including weights. May throw
  /// error if there is data for other inputs.
  virtual void checkInputs(const std::set<TensorId> &) const {}

  /// Returns the type of the data of an input or anchor; UNDEFINED if there is
  /// no data or the type is unknown before the step.
  virtual DataType typeOf(const TensorId &, bool) const {
    return DataType::UNDEFINED;
  }

  void enableRuntimeAsserts(bool enable) { asserts = enable; }
  bool runtimeAssertsEnabled() const { return asserts; }

private:
  bool asserts = true;
};

/// Memory for the values of weights. Session::readWeights writes to it, and
/// Session::writeWeights reads it.
class IWeightsIO {
public:
  virtual ~IWeightsIO() {}

  virtual bool contains(TensorId id) const = 0;
  virtual MutableVoidData weight(TensorId id) const = 0;
};

} // namespace popart

#endif
