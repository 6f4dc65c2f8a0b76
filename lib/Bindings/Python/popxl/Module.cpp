// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension module popxl_core: modules of the IR, and programs made of
// them. The package popxl (the Python files of this folder) is the interface
// that users see.

#include "lib/Bindings/Python/popxl/Bindings.h"

#include "lib/Bindings/Python/Interrupt.h"
#include "lib/Bindings/Python/Numpy.h"
#include "lib/PopART/Support/Error.h"

namespace py = pybind11;

namespace populus::python {

popir::DataType typeOf(const std::string &name) {
  const std::optional<popir::DataType> type = popir::dataTypeOf(name);
  if (!type)
    popir::failInput("there is no type '{}'", name);
  return *type;
}

popir::HostTensor tensorOf(const std::string &type, const py::array &array) {
  const py::array elements = py::array::ensure(array, py::array::c_style);
  popir::TensorInfo info{typeOf(type), {}};
  for (py::ssize_t i = 0; i != elements.ndim(); ++i)
    info.shape.push_back(elements.shape(i));
  const std::size_t itemSize = itemSizeOf(elements.dtype());
  if (itemSize != popir::sizeOf(info.type))
    popir::failInput("elements of {} bytes are not of the type '{}'", itemSize,
                     type);
  const auto *begin = static_cast<const std::byte *>(elements.data());
  return {info, {begin, begin + bytesOf(elements)}};
}

} // namespace populus::python

static const char *classOf(populus::popir::ErrorKind kind) {
  switch (kind) {
  case populus::popir::ErrorKind::Memory:
    return "OutOfMemoryException";
  case populus::popir::ErrorKind::Internal:
    return "popart_internal_exception";
  default:
    return "popart_exception";
  }
}

/// Errors of the compiler are exceptions of popart.
static void translate(std::exception_ptr error) {
  try {
    std::rethrow_exception(std::move(error));
  } catch (const populus::popir::Error &e) {
    const py::object kind =
        py::module_::import("popart_core").attr(classOf(e.kind()));
    PyErr_SetString(kind.ptr(), e.what());
  }
}

PYBIND11_MODULE(popxl_core, module) {
  module.doc() = "Modules of the IR; use them through the package popxl.";
  py::register_local_exception_translator(translate);
  populus::python::registerInterrupted();
  populus::python::bindFloat8(module);
  populus::python::bindGraphs(module);
  populus::python::bindPrograms(module);
  populus::python::bindSteppedPrograms(module);
}
