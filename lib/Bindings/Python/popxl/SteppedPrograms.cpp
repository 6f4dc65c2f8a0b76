// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that are fed by a StepIO, and variables that a WeightsIO holds, as
// sessions of popart do it: popart.ir has them so. Elements are converted
// between the types of the arrays and those of the device.

#include "lib/Bindings/Python/popxl/Bindings.h"

#include "lib/Bindings/Python/Numpy.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/ModuleProgram.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Support/OnnxTypes.h"

#include <popart/istepio.hpp>
#include <popart/voiddata.hpp>

#include <cstring>

namespace py = pybind11;

namespace populus::python {

using namespace popir;

namespace {

DataType typeOf(const popart::TensorInfo &info, const std::string &name) {
  const auto type = fromOnnx(popart::session::toOnnx(info.dataType()));
  if (!type)
    failUnsupported("the array for '{}' has a type that is not supported",
                    name);
  return *type;
}

/// Elements as an array of the user has them, as another type.
HostTensor taken(const void *data, const popart::TensorInfo &info,
                 std::int64_t count, const std::string &name, DataType type) {
  const DataType given = typeOf(info, name);
  const auto *begin = static_cast<const std::byte *>(data);
  std::vector<std::byte> bytes(begin, begin + static_cast<std::size_t>(count) *
                                                  sizeOf(given));
  return HostTensor({given, {count}}, std::move(bytes)).convertedTo(type);
}

void give(const HostTensor &value, void *data, const popart::TensorInfo &info,
          const std::string &name) {
  const HostTensor converted = value.convertedTo(typeOf(info, name));
  std::memcpy(data, converted.bytes().data(), converted.bytes().size());
}

void run(ModuleProgram &program, popart::IStepIO &stepIo) {
  py::gil_scoped_release others;
  program.run(
      [&](std::size_t i, void *buffer, std::size_t bytes) {
        const StreamInfo &stream = program.inputs()[i];
        const std::int64_t count = stream.info.numElements();
        const popart::ConstVoidData data = stepIo.in(stream.name, count, false);
        // By the stream's type, so that small integers keep their range.
        const HostTensor value =
            taken(data.data, data.info, count, stream.name, stream.info.type)
                .convertedTo(deviceDataType(stream.info.type));
        std::memcpy(buffer, value.bytes().data(), bytes);
        stepIo.inComplete(stream.name, count);
      },
      [&](std::size_t i, void *buffer, std::size_t bytes) {
        const StreamInfo &stream = program.outputs()[i];
        const std::int64_t count = stream.info.numElements();
        const auto *begin = static_cast<const std::byte *>(buffer);
        const HostTensor value({deviceDataType(stream.info.type), {count}},
                               {begin, begin + bytes});
        const popart::MutableVoidData place = stepIo.out(stream.name, count);
        give(value, place.data, place.info, stream.name);
        stepIo.outComplete(stream.name);
      });
}

/// Writes the elements of `array` into what a WeightsIO has of that name.
void giveWeight(const popart::IWeightsIO &weights, const std::string &name,
                const std::string &type, const py::array &array) {
  if (!weights.contains(name))
    return;
  const popart::MutableVoidData place = weights.weight(name);
  give(tensorOf(type, array), place.data, place.info, name);
}

/// The elements that a WeightsIO has of that name, into `array`.
void takeWeight(const popart::IWeightsIO &weights, const std::string &name,
                const std::string &type, py::array &array) {
  if (!weights.contains(name))
    return;
  const popart::MutableVoidData place = weights.weight(name);
  const HostTensor value =
      taken(place.data, place.info, array.size(), name, python::typeOf(type));
  if (!(array.flags() & py::array::c_style) ||
      bytesOf(array) != value.bytes().size())
    failInput("the variable '{}' has another size than its new elements", name);
  std::memcpy(array.mutable_data(), value.bytes().data(), value.bytes().size());
}

} // namespace

void bindSteppedPrograms(py::module_ &module) {
  // The types of arguments are those of the module popart_core.
  py::module_::import("popart_core");
  module.def("run_with_step_io", &run);
  module.def("give_weight", &giveWeight);
  module.def("take_weight", &takeWeight);
}

} // namespace populus::python
