// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns: rewrites of a model that are on or off, each also as a property.

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/patterns/patterns.hpp>

#include <pybind11/stl.h>

#include <sstream>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

void bindPatterns(py::module_ &module) {
  py::enum_<PatternsLevel>(module, "PatternsLevel")
      .value("NoPatterns", PatternsLevel::NoPatterns)
      .value("Minimal", PatternsLevel::Minimal)
      .value("Default", PatternsLevel::Default)
      .value("All", PatternsLevel::All)
      .value("NONE", PatternsLevel::NoPatterns)
      .value("DEFAULT", PatternsLevel::Default)
      .value("ALL", PatternsLevel::All);
  py::class_<Patterns> patterns(module, "Patterns");
  patterns.def(py::init<>())
      .def(py::init<PatternsLevel>(), py::arg("level"))
      .def(py::init<const std::vector<std::string> &>(), py::arg("names"))
      .def_static("create", &Patterns::create, py::arg("names"))
      .def("isPatternEnabled", &Patterns::isPatternEnabled, py::arg("name"))
      .def("enablePattern", &Patterns::enablePattern, py::arg("name"),
           py::arg("enable"), py::return_value_policy::reference_internal)
      .def("enableRuntimeAsserts", &Patterns::enableRuntimeAsserts,
           py::arg("enable"), py::return_value_policy::reference_internal)
      .def("__repr__", [](const Patterns &patterns) {
        std::ostringstream out;
        out << patterns;
        return out.str();
      });
  const Patterns all(PatternsLevel::All);
  for (const auto &entry : all.getSettings()) {
    const std::string name = entry.first;
    patterns.def_property(name.c_str(),
                          py::cpp_function([name](const Patterns &self) {
                            return self.isPatternEnabled(name);
                          }),
                          py::cpp_function([name](Patterns &self, bool enable) {
                            self.enablePattern(name, enable);
                          }));
  }
}

} // namespace populus::python
