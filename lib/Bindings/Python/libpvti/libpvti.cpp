// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trace points of Python programs. A context begins and ends one; so do
// begin() and end().

#include <pvti/pvti.hpp>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace pvti;

namespace {

/// Something that a thread does, between __enter__ and __exit__.
struct Mark {
  TraceChannel *channel;
  std::string label;
};

void bindGraphs(py::module_ &module) {
  py::class_<Series>(module, "Series")
      .def("add", &Series::add, py::arg("value"));
  py::class_<Graph>(module, "Graph", "Numbers over time.")
      .def(py::init<std::string, std::string, bool>(), py::arg("name"),
           py::arg("unit") = "", py::arg("enable") = true)
      .def("addSeries", &Graph::addSeries, py::arg("name"));
  py::class_<HeatmapDouble>(module, "HeatmapDouble")
      .def(py::init<std::string, std::vector<double>, std::string>(),
           py::arg("name"), py::arg("edges"), py::arg("unit") = "")
      .def("add", &HeatmapDouble::add, py::arg("values"));
  py::class_<HeatmapInt>(module, "HeatmapInt")
      .def(py::init<std::string, std::vector<std::int64_t>, std::string>(),
           py::arg("name"), py::arg("edges"), py::arg("unit") = "")
      .def("add", &HeatmapInt::add, py::arg("values"));
}

} // namespace

PYBIND11_MODULE(libpvti_core, module) {
  module.attr("__version__") = POPULUS_INTERFACE_VERSION;
  py::class_<TraceChannel>(module, "TraceChannel")
      .def(py::init<std::string, bool>(), py::arg("name"),
           py::arg("enabled") = true)
      .def_property_readonly("name", &TraceChannel::name)
      .def("isEnabled", &TraceChannel::isEnabled)
      .def("enable", &TraceChannel::enable)
      .def("disable", &TraceChannel::disable);
  py::class_<Mark>(module, "Tracepoint",
                   "Something that a thread does: a context.")
      .def(py::init([](TraceChannel *channel, const std::string &label) {
             return Mark{channel, label};
           }),
           py::arg("channel"), py::arg("label"), py::keep_alive<1, 2>())
      .def("__enter__",
           [](py::object self) {
             const Mark &mark = self.cast<const Mark &>();
             Tracepoint::begin(mark.channel, mark.label);
             return self;
           })
      .def("__exit__",
           [](const Mark &mark, const py::args &) {
             Tracepoint::end(mark.channel, mark.label);
           })
      .def_static(
          "begin",
          [](TraceChannel *channel, const std::string &label) {
            Tracepoint::begin(channel, label);
          },
          py::arg("channel"), py::arg("label"))
      .def_static("end", &Tracepoint::end, py::arg("channel"), py::arg("label"))
      .def_static(
          "event",
          [](TraceChannel *channel, const std::string &label) {
            Tracepoint::event(channel, label);
          },
          py::arg("channel"), py::arg("label"));
  bindGraphs(module);
  module.def("enableTraceChannel", &enableTraceChannel, py::arg("name"));
  module.def("disableTraceChannel", &disableTraceChannel, py::arg("name"));
  module.def("checkTraceChannel", &checkTraceChannel, py::arg("name"));
  module.def("listTraceChannels", &listTraceChannels);
  module.def("getCurrentTraceFilename", &getCurrentTraceFilename);
  module.def("closeTrace", &closeTrace);
  module.attr("traceDrivers") =
      py::cast(&traceDrivers, py::return_value_policy::reference);
  module.attr("tracePoplar") =
      py::cast(&tracePoplar, py::return_value_policy::reference);
  module.attr("traceFramework") =
      py::cast(&traceFramework, py::return_value_policy::reference);
}
