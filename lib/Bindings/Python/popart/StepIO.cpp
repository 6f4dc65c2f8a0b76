// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data of steps: NumPy arrays, which are used in place, and Python functions. A
// session runs without the interpreter's lock; only calls of functions take the
// lock.

#include "lib/Bindings/Python/Interrupt.h"
#include "lib/Bindings/Python/popart/Arrays.h"
#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/error.hpp>
#include <popart/stepio.hpp>

#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <utility>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

namespace {

using Arrays = std::map<TensorId, py::array>;

/// An array that a step reads or writes where it is.
class NumpyArray final : public IArray {
public:
  explicit NumpyArray(const TensorId &id, const py::array &array)
      : held(array), info(infoOf(array)) {
    if (!(array.flags() & py::array::c_style))
      throw error("The array for '{}' is not C-contiguous; "
                  "numpy.ascontiguousarray makes a copy that is",
                  id);
  }

  void *data() override { return const_cast<void *>(held.data()); }
  DataType dataType() const override { return info.dataType(); }
  std::size_t rank() const override {
    return static_cast<std::size_t>(info.rank());
  }
  std::int64_t dim(std::size_t i) const override {
    return info.dim(static_cast<int>(i));
  }
  std::size_t nelms() const override {
    return static_cast<std::size_t>(info.nelms());
  }
  Shape shape() const override { return info.shape(); }

private:
  py::array held;
  TensorInfo info;
};

using Wrapped = std::vector<std::unique_ptr<NumpyArray>>;

std::map<TensorId, IArray &> wrap(const Arrays &arrays, Wrapped &wrapped) {
  std::map<TensorId, IArray &> result;
  for (const auto &[id, array] : arrays) {
    wrapped.push_back(std::make_unique<NumpyArray>(id, array));
    result.emplace(id, *wrapped.back());
  }
  return result;
}

using Times =
    std::map<TensorId, std::pair<std::vector<double>, std::vector<double>>>;

/// The arrays have to be there before the StepIO that looks at them.
struct HeldArrays {
  Wrapped wrapped;
};

class PyStepIO final : private HeldArrays, public StepIO {
public:
  PyStepIO(const Arrays &inputs, const Arrays &outputs)
      : StepIO(wrap(inputs, wrapped), wrap(outputs, wrapped)) {
    for (const auto &[id, array] : outputs)
      if (!array.writeable())
        throw error("The array for '{}' is not writeable", id);
  }

  ConstVoidData in(TensorId id, std::int64_t numElements,
                   bool prefetch) override {
    interrupted();
    times[id].first.push_back(now());
    return StepIO::in(id, numElements, prefetch);
  }
  void inComplete(TensorId id, std::int64_t numElements) override {
    times[id].second.push_back(now());
    StepIO::inComplete(id, numElements);
  }
  MutableVoidData out(TensorId id, std::int64_t numElements) override {
    times[id].first.push_back(now());
    return StepIO::out(id, numElements);
  }
  void outComplete(TensorId id) override {
    times[id].second.push_back(now());
    StepIO::outComplete(id);
  }

  /// For each tensor, when each batch was asked for, and when it had been
  /// copied: seconds of a clock that only runs forward.
  Times takeTimes() { return std::exchange(times, {}); }

private:
  static double now() {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
  }

  /// Lets Ctrl-C end a step before its next batch.
  InterruptCheck interrupted;
  Times times;
};

/// The functions, and what they have returned until the next call.
class PyStepIOCallback final : public IStepIO {
public:
  using Input = std::function<py::object(std::string, bool)>;
  using Output = std::function<py::object(std::string)>;
  using Complete = std::function<void(std::string)>;

  PyStepIOCallback(Input input, Complete inputComplete, Output output,
                   Complete outputComplete)
      : input(std::move(input)), inputComplete(std::move(inputComplete)),
        output(std::move(output)), outputComplete(std::move(outputComplete)) {}

  ConstVoidData in(TensorId id, std::int64_t, bool prefetch) override {
    const py::gil_scoped_acquire lock;
    const py::object given = input(id, prefetch);
    if (given.is_none())
      return {};
    py::array &array = held[id] = contiguous(given);
    return {array.data(), infoOf(array)};
  }
  void inComplete(TensorId id, std::int64_t) override {
    const py::gil_scoped_acquire lock;
    inputComplete(id);
  }
  MutableVoidData out(TensorId id, std::int64_t) override {
    const py::gil_scoped_acquire lock;
    py::array array = output(id).cast<py::array>();
    if (!(array.flags() & py::array::c_style) || !array.writeable())
      throw runtime_error(
          "the array for '{}' is not C-contiguous and writeable", id);
    held[id] = array;
    return {array.mutable_data(), infoOf(array)};
  }
  void outComplete(TensorId id) override {
    const py::gil_scoped_acquire lock;
    outputComplete(id);
  }

private:
  Input input;
  Complete inputComplete;
  Output output;
  Complete outputComplete;
  std::map<std::string, py::array> held;
};

/// Arrays for the values of weights.
class PyWeightsIO final : public IWeightsIO {
public:
  explicit PyWeightsIO(const Arrays &arrays) {
    for (const auto &[id, array] : arrays) {
      const NumpyArray check(id, array);
      held[id] = array;
      weights.insert(id, {const_cast<void *>(array.data()), infoOf(array)});
    }
  }

  bool contains(TensorId id) const override { return weights.contains(id); }
  MutableVoidData weight(TensorId id) const override {
    return weights.weight(id);
  }

private:
  Arrays held;
  WeightsIO weights;
};

} // namespace

void bindStepIO(py::module_ &module) {
  py::class_<IStepIO>(module, "IStepIO")
      .def("enableRuntimeAsserts", &IStepIO::enableRuntimeAsserts,
           py::arg("enable"),
           "Whether sizes of arrays are checked before a step.");
  py::class_<PyStepIO, IStepIO>(
      module, "PyStepIO",
      "Arrays for the inputs and the anchors of a step, by name. They have to "
      "be C-contiguous; their shapes may be any with the right number of "
      "elements.")
      .def(py::init<const Arrays &, const Arrays &>(), py::arg("inputs"),
           py::arg("outputs"))
      .def("_takeTimes", &PyStepIO::takeTimes);
  py::class_<PyStepIOCallback, IStepIO>(
      module, "PyStepIOCallback",
      "Functions that give the array of an input, and of an anchor, for each "
      "batch, and that are told when it has been used.")
      .def(py::init<PyStepIOCallback::Input, PyStepIOCallback::Complete,
                    PyStepIOCallback::Output, PyStepIOCallback::Complete>(),
           py::arg("input_callback"), py::arg("input_complete_callback"),
           py::arg("output_callback"), py::arg("output_complete_callback"));
  py::class_<IWeightsIO>(module, "IWeightsIO");
  py::class_<PyWeightsIO, IWeightsIO>(module, "PyWeightsIO",
                                      "Arrays for the values of weights.")
      .def(py::init<const Arrays &>(), py::arg("weights"));
}

} // namespace populus::python
