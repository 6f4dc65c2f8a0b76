// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exceptions of C++ as classes of Python with the same text. What a program
// catches is a table: the first row whose class fits wins, so children come
// before their parents.

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/error.hpp>
#include <poplar/exceptions.hpp>
#include <poputil/exceptions.hpp>

namespace py = pybind11;

namespace populus::python {

namespace {

/// Classes of this module live as long as the interpreter.
PyObject *OutOfMemory, *PopartInternal, *PopartRuntime, *Popart, *Poplibs,
    *PoplarApplication, *PoplarRecoverable, *PoplarUnrecoverable,
    *PoplarUnknown, *PoplarSystem, *PoplarRuntime, *Poplar;

PyObject *makeClass(py::module_ &module, const char *name, PyObject *base) {
  const std::string full = std::string("popart_core.") + name;
  PyObject *type = PyErr_NewException(full.c_str(), base, nullptr);
  module.add_object(name, py::handle(type));
  return type;
}

void makeClasses(py::module_ &module) {
  Popart = makeClass(module, "popart_exception", PyExc_RuntimeError);
  PopartInternal = makeClass(module, "popart_internal_exception", Popart);
  PopartRuntime = makeClass(module, "popart_runtime_error", Popart);
  OutOfMemory = makeClass(module, "OutOfMemoryException", Popart);
  Poplibs = makeClass(module, "poplibs_exception", PyExc_RuntimeError);
  Poplar = makeClass(module, "poplar_exception", PyExc_RuntimeError);
  PoplarRuntime = makeClass(module, "poplar_runtime_error", Poplar);
  PoplarApplication =
      makeClass(module, "poplar_application_runtime_error", PoplarRuntime);
  PoplarSystem =
      makeClass(module, "poplar_system_runtime_error", PoplarRuntime);
  PoplarRecoverable =
      makeClass(module, "poplar_recoverable_runtime_error", PoplarSystem);
  PoplarUnrecoverable =
      makeClass(module, "poplar_unrecoverable_runtime_error", PoplarSystem);
  PoplarUnknown =
      makeClass(module, "poplar_unknown_runtime_error", PoplarSystem);
}

/// The summary of a program that does not fit is the message itself.
void setOutOfMemory(const popart::memory_allocation_err &e) {
  py::object error = py::handle(OutOfMemory)(e.what());
  error.attr("summary") = py::str(e.what());
  PyErr_SetObject(OutOfMemory, error.ptr());
}

void setRecoverable(const poplar::recoverable_runtime_error &e) {
  py::object error = py::handle(PoplarRecoverable)(e.what());
  error.attr("recoveryAction") = py::cast(e.getRecoveryAction());
  PyErr_SetObject(PoplarRecoverable, error.ptr());
}

void translate(std::exception_ptr held) {
  try {
    std::rethrow_exception(held);
  } catch (const popart::memory_allocation_err &e) {
    setOutOfMemory(e);
  } catch (const popart::internal_error &e) {
    PyErr_SetString(PopartInternal, e.what());
  } catch (const popart::runtime_error &e) {
    PyErr_SetString(PopartRuntime, e.what());
  } catch (const popart::error &e) {
    PyErr_SetString(Popart, e.what());
  } catch (const poputil::poplibs_error &e) {
    PyErr_SetString(Poplibs, e.what());
  } catch (const poplar::application_runtime_error &e) {
    PyErr_SetString(PoplarApplication, e.what());
  } catch (const poplar::recoverable_runtime_error &e) {
    setRecoverable(e);
  } catch (const poplar::unrecoverable_runtime_error &e) {
    PyErr_SetString(PoplarUnrecoverable, e.what());
  } catch (const poplar::unknown_runtime_error &e) {
    PyErr_SetString(PoplarUnknown, e.what());
  } catch (const poplar::system_runtime_error &e) {
    PyErr_SetString(PoplarSystem, e.what());
  } catch (const poplar::runtime_error &e) {
    PyErr_SetString(PoplarRuntime, e.what());
  } catch (const poplar::poplar_error &e) {
    PyErr_SetString(Poplar, e.what());
  }
}

/// For tests of programs that catch these.
void bindThrowers(py::module_ &module) {
  module.def("_throw_popart_error",
             [](const std::string &text) { throw popart::error("{}", text); });
  module.def("_throw_popart_internal_error", [](const std::string &text) {
    throw popart::internal_error("{}", text);
  });
  module.def("_throw_popart_runtime_error", [](const std::string &text) {
    throw popart::runtime_error("{}", text);
  });
  module.def("_throw_poplibs_error", [](const std::string &text) {
    throw poputil::poplibs_error(text);
  });
  module.def("_throw_poplar_error",
             [](const std::string &text) { throw poplar::poplar_error(text); });
  module.def("_throw_application_runtime_error", [] {
    throw poplar::application_runtime_error("application runtime error");
  });
  module.def("_throw_recoverable_runtime_error",
             [](poplar::RecoveryAction action) {
               throw poplar::recoverable_runtime_error(
                   "recoverable runtime error", action);
             });
  module.def("_throw_unrecoverable_runtime_error", [] {
    throw poplar::unrecoverable_runtime_error("unrecoverable runtime error");
  });
  module.def("_throw_unknown_runtime_error", [] {
    throw poplar::unknown_runtime_error("unknown runtime error");
  });
}

} // namespace

void bindErrors(py::module_ &module) {
  py::enum_<poplar::RecoveryAction>(module, "RecoveryAction")
      .value("IPU_RESET", poplar::RecoveryAction::IPU_RESET)
      .value("LINK_RESET", poplar::RecoveryAction::LINK_RESET)
      .value("PARTITION_RESET", poplar::RecoveryAction::PARTITION_RESET)
      .value("FULL_RESET", poplar::RecoveryAction::FULL_RESET);
  makeClasses(module);
  py::register_exception_translator(translate);
  bindThrowers(module);
}

} // namespace populus::python
