// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log: levels by module, and lines of a program's own.

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/logging.hpp>

#include <pybind11/stl.h>

namespace py = pybind11;

namespace populus::python {

namespace {

/// Result of getLogger. It logs to the module "python".
class Logger {
public:
  explicit Logger(const std::string &module) : module(module) {}

  void setLevel(const std::string &level) {
    popart::logging::setLogLevel(module, level);
  }
  template <popart::logging::Level level> void write(const std::string &text) {
    popart::logging::write(level, text);
  }

private:
  std::string module;
};

} // namespace

void bindLogging(py::module_ &module) {
  using popart::logging::Level;
  py::class_<Logger>(module, "Logger")
      .def("setLevel", &Logger::setLevel, py::arg("level"),
           "\"TRACE\", \"DEBUG\", \"INFO\", \"WARN\", \"ERR\", \"CRITICAL\" or "
           "\"OFF\".")
      .def("debug", &Logger::write<Level::Debug>, py::arg("info"))
      .def("info", &Logger::write<Level::Info>, py::arg("info"))
      .def("warn", &Logger::write<Level::Warn>, py::arg("info"))
      .def("error", &Logger::write<Level::Err>, py::arg("info"))
      .def("critical", &Logger::write<Level::Critical>, py::arg("info"));
  module.def(
      "getLogger", [](const std::string &name) { return Logger(name); },
      py::arg("name") = "all", "The log of a module, or of all.");
}

} // namespace populus::python
