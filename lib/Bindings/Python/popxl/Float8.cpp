// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// 8-bit floats of NumPy arrays: their bits, and the numbers that these stand
// for. What bits mean is known by the types of the IR alone.

#include "lib/Bindings/Python/popxl/Bindings.h"

#include "lib/PopART/Support/Error.h"

#include <algorithm>
#include <type_traits>

namespace py = pybind11;

namespace populus::python {

using namespace popir;

namespace {

template <class T>
using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;

template <class T> Array<T> arrayLike(const py::array &other) {
  return Array<T>(
      std::vector<py::ssize_t>(other.shape(), other.shape() + other.ndim()));
}

/// Calls `function` with a value of the small float `type` names.
template <class Function>
void withSmallFloat(const std::string &type, Function &&function) {
  bool isKnown = false;
  withElementType(typeOf(type), [&](auto sample) {
    if constexpr (std::is_constructible_v<decltype(sample), float, bool>) {
      isKnown = true;
      function(sample);
    }
  });
  if (!isKnown)
    failInput("'{}' is no type of 8-bit floats", type);
}

/// The nearest elements. What is too large becomes the largest one, or not a
/// number.
Array<std::uint8_t> toBits(const std::string &type, const Array<float> &values,
                           bool saturates) {
  Array<std::uint8_t> result = arrayLike<std::uint8_t>(values);
  withSmallFloat(type, [&](auto sample) {
    std::transform(
        values.data(), values.data() + values.size(), result.mutable_data(),
        [&](float value) { return decltype(sample)(value, saturates).bits; });
  });
  return result;
}

Array<float> fromBits(const std::string &type,
                      const Array<std::uint8_t> &bits) {
  Array<float> result = arrayLike<float>(bits);
  withSmallFloat(type, [&](auto sample) {
    std::transform(bits.data(), bits.data() + bits.size(),
                   result.mutable_data(), [&](std::uint8_t element) {
                     sample.bits = element;
                     return static_cast<float>(sample);
                   });
  });
  return result;
}

} // namespace

void bindFloat8(py::module_ &module) {
  module.def("to_float8_bits", &toBits, py::arg("type"), py::arg("values"),
             py::arg("saturates"));
  module.def("from_float8_bits", &fromBits, py::arg("type"), py::arg("bits"));
}

} // namespace populus::python
