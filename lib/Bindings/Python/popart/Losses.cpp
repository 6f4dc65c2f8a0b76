// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses as objects, as in PopART 1.

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/losses.hpp>

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

void bindLosses(py::module_ &module) {
  py::class_<Loss>(module, "Loss")
      .def("input", &Loss::input, py::arg("index"))
      .def("output", &Loss::output, py::arg("index") = 0)
      .def("virtualGraph", &Loss::virtualGraph, py::arg("vgraph"))
      .def("pipelineStage", &Loss::pipelineStage, py::arg("stage"));
  py::class_<NllLoss, Loss>(module, "NllLoss")
      .def(py::init<const TensorId &, const TensorId &, const TensorId &,
                    ReductionType>(),
           py::arg("probabilities"), py::arg("labels"), py::arg("output"),
           py::arg("reduction") = ReductionType::Sum)
      .def(py::init<const TensorId &, const TensorId &, const TensorId &, int,
                    ReductionType>(),
           py::arg("probabilities"), py::arg("labels"), py::arg("output"),
           py::arg("ignore_index"), py::arg("reduction") = ReductionType::Sum)
      .def("probsTensorId", &NllLoss::probsTensorId)
      .def("labelTensorId", &NllLoss::labelTensorId);
  py::class_<L1Loss, Loss>(module, "L1Loss")
      .def(py::init<const TensorId &, const TensorId &, float, ReductionType>(),
           py::arg("input"), py::arg("output"), py::arg("lambda"),
           py::arg("reduction") = ReductionType::Sum)
      .def("getInputId", &L1Loss::getInputId)
      .def("getLambda", &L1Loss::getLambda);
  py::class_<IdentityLoss, Loss>(module, "IdentityLoss")
      .def(py::init<const TensorId &, const TensorId &, ReductionType>(),
           py::arg("input"), py::arg("output"),
           py::arg("reduction") = ReductionType::Sum)
      .def("getInputId", &IdentityLoss::getInputId);
  module.def("_withLosses", [](const std::string &model,
                               const std::vector<const Loss *> &losses,
                               const InputShapeInfo &inputShapes) {
    const ModelWithLosses result = withLosses(model, losses, inputShapes);
    return py::make_tuple(py::bytes(result.model), result.loss);
  });
}

} // namespace populus::python
