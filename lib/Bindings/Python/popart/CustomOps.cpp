// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs and operators of <popart/op.hpp> for modules of pybind11 in which
// programs bind operators of their own. Such a module names popart::Op as a
// base class and takes popart::Graph and popart::Op::Settings as arguments;
// objects of popxl that have the attribute `_public` stand for those.

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/op.hpp>

#include <pybind11/functional.h>
#include <pybind11/stl.h>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

namespace {

/// The attribute `_public` of an object, where C++ wants what that is.
PyObject *publicOf(PyObject *object, PyTypeObject *type) {
  PyObject *found = PyObject_GetAttrString(object, "_public");
  if (!found) {
    PyErr_Clear();
    return nullptr;
  }
  if (PyObject_TypeCheck(found, type))
    return found;
  Py_DECREF(found);
  return nullptr;
}

template <class T> void takesPublic() {
  py::detail::get_type_info(typeid(T), true)
      ->implicit_conversions.push_back(&publicOf);
}

std::map<int, TensorId> idsOf(const TensorIndexMap &map) {
  return map.tensorIdMap();
}

/// Adds a graph in which `source` knows the tensors: a function from a name to
/// a TensorInfo, or to None.
Graph &addGraph(Ir &ir, const std::string &name, const py::function &source) {
  Graph &graph = ir.createGraph(name);
  graph.setSource([source](Tensor &tensor) {
    const py::gil_scoped_acquire lock;
    const py::object info = source(tensor.id);
    if (!info.is_none())
      tensor.info = info.cast<TensorInfo>();
  });
  return graph;
}

void bindTensors(py::module_ &module) {
  const auto inside = py::return_value_policy::reference;
  py::class_<Tensor>(module, "IrTensor", "A tensor of a graph of C++.")
      .def_readonly("id", &Tensor::id)
      .def_readonly("info", &Tensor::info)
      .def("getGraph", py::overload_cast<>(&Tensor::getGraph), inside)
      .def("hasProducer", &Tensor::hasProducer)
      .def("getProducer", &Tensor::getProducer, inside);
}

void bindOps(py::module_ &module) {
  const auto inside = py::return_value_policy::reference;
  py::class_<Op::Settings>(module, "IrSettings",
                           "Settings that all operators of C++ have.")
      .def(py::init<Graph &, const std::string &>(), py::arg("graph"),
           py::arg("name"), py::keep_alive<1, 2>())
      .def_readwrite("name", &Op::Settings::name)
      .def_readwrite("schedulePriority", &Op::Settings::schedulePriority);
  py::class_<Op, std::shared_ptr<Op>>(module, "IrOp", "An operator of C++.")
      .def_readonly("id", &Op::id)
      .def_readonly("opid", &Op::opid)
      .def("name", &Op::getName)
      .def("opType", [](const Op &op) { return op.opid.type; })
      .def("getGraph", py::overload_cast<>(&Op::getGraph), inside)
      .def("inTensor", py::overload_cast<InIndex>(&Op::inTensor), inside)
      .def("outTensor", py::overload_cast<OutIndex>(&Op::outTensor), inside)
      .def("inId", &Op::inId)
      .def("outId", &Op::outId)
      .def("hasInput", &Op::hasInput)
      .def("hasOutput", &Op::hasOutput)
      .def("modifiesIndex", &Op::modifiesIndex)
      .def("aliasesIndex",
           [](const Op &op, InIndex in, OutIndex out) {
             for (const view::Region &region : op.aliases(in, out))
               if (!region.isEmpty())
                 return true;
             return false;
           })
      .def("input_ids", [](const Op &op) { return idsOf(*op.input); })
      .def("output_ids", [](const Op &op) { return idsOf(*op.output); });
}

} // namespace

void bindCustomOps(py::module_ &module) {
  const auto inside = py::return_value_policy::reference_internal;
  py::class_<Graph>(module, "IrGraph", py::dynamic_attr(), "A graph of C++.")
      .def("getGraphString", &Graph::getGraphString);
  py::class_<Ir>(module, "IrModel", "The graphs of C++ of a program.")
      .def(py::init<>())
      .def("add_graph", &addGraph, inside, py::arg("name"), py::arg("source"));
  bindTensors(module);
  bindOps(module);
  takesPublic<Graph>();
  takesPublic<Op::Settings>();
}

} // namespace populus::python
