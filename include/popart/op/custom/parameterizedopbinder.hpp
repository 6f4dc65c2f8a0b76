// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Python bindings of a ParameterizedOp, for modules of pybind11 that programs
// compile. `import popart` has to come first: it knows the classes of
// operators, graphs and settings.
//
//   PYBIND11_MODULE(scale_binding, m) {
//     py::class_<ScaleParams>(m, "ScaleParams").def(py::init<float>());
//     popart::ir::op::makeParameterizedOpBindings<ScaleOp>(m, "Scale");
//   }

#ifndef POPULUS_INCLUDE_POPART_OP_CUSTOM_PARAMETERIZEDOPBINDER_HPP
#define POPULUS_INCLUDE_POPART_OP_CUSTOM_PARAMETERIZEDOPBINDER_HPP

#include <popart/op/custom/parameterizedop.hpp>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>

namespace popart {
namespace ir {
namespace op {

template <class OP>
pybind11::class_<OP, Op, std::shared_ptr<OP>>
makeParameterizedOpBindings(pybind11::module_ module, const char *name) {
  namespace py = pybind11;
  using Params = typename OP::ParamsType;
  using Inputs = std::map<InIndex, TensorId>;
  using Outputs = std::map<OutIndex, TensorId>;
  const auto inside = py::return_value_policy::reference;
  py::class_<OP, Op, std::shared_ptr<OP>> bound(module, name);
  bound
      .def(py::init<const OperatorIdentifier &, const Params &,
                    const Op::Settings &>(),
           py::arg("opid"), py::arg("params"), py::arg("settings"))
      .def(py::init<const Params &, const Op::Settings &>(), py::arg("params"),
           py::arg("settings"))
      .def_property_readonly("params", &OP::params)
      .def_static("default_opid", &OP::defaultOperatorId)
      .def_static(
          "create_op_in_graph",
          [](Graph &graph, const Inputs &in, const Outputs &out,
             const OperatorIdentifier &opid, const Params &params,
             const Op::Settings &settings) {
            return OP::createOpInGraph(graph, in, out, opid, params, settings);
          },
          py::arg("graph"), py::arg("inputs"), py::arg("outputs"),
          py::arg("opid"), py::arg("params"), py::arg("settings"), inside)
      .def_static(
          "create_op_in_graph",
          [](Graph &graph, const Inputs &in, const Outputs &out,
             const Params &params, const Op::Settings &settings) {
            return OP::createOpInGraph(graph, in, out, params, settings);
          },
          py::arg("graph"), py::arg("inputs"), py::arg("outputs"),
          py::arg("params"), py::arg("settings"), inside);
  return bound;
}

} // namespace op
} // namespace ir
} // namespace popart

#endif
