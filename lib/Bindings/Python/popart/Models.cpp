// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of models before sessions are made of them, and what models can have.

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/graphtransformer.hpp>
#include <popart/supportedoperations.hpp>
#include <popart/version.hpp>

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

static void bindDefinitions(py::module_ &module) {
  py::class_<OpDefinition> definition(module, "OpDefinition",
                                      "What an operator may be given.");
  py::class_<OpDefinition::Input>(definition, "Input")
      .def_readonly("name", &OpDefinition::Input::name)
      .def_readonly("supportedTensors", &OpDefinition::Input::supportedTensors)
      .def_readonly("constant", &OpDefinition::Input::constant);
  py::class_<OpDefinition::Output>(definition, "Output")
      .def_readonly("name", &OpDefinition::Output::name)
      .def_readonly("supportedTensors",
                    &OpDefinition::Output::supportedTensors);
  py::class_<OpDefinition::Attribute>(definition, "Attribute")
      .def_readonly("supportedValuesRegex",
                    &OpDefinition::Attribute::supportedValuesRegex);
  definition.def_readonly("inputs", &OpDefinition::inputs)
      .def_readonly("outputs", &OpDefinition::outputs)
      .def_readonly("attributes", &OpDefinition::attributes);
  module.def("getSupportedOperationsDefinition",
             &getSupportedOperationsDefinition,
             py::arg("includeInternal") = false,
             "What each supported operator may be given, by its identifier.");
}

void bindModels(py::module_ &module) {
  using Transformer = GraphTransformer;
  py::class_<Transformer>(module, "GraphTransformer",
                          "Changes a model, the path of an ONNX file or its "
                          "bytes, before a session is made of it.")
      .def(py::init<const std::string &>(), py::arg("modelProtoOrFilename"))
      .def("getModelProto",
           [](const Transformer &self) {
             return py::bytes(self.getModelProto());
           })
      .def("removeUnusedInputs", &Transformer::removeUnusedInputs)
      .def("prepareNodesForTraining", &Transformer::prepareNodesForTraining)
      .def("convertFloatsToHalfs", &Transformer::convertFloatsToHalfs)
      .def("convertUINT8ToINT32", &Transformer::convertUINT8ToINT32)
      .def("convertUINT16ToINT32", &Transformer::convertUINT16ToINT32)
      .def("convertINT8ToINT32", &Transformer::convertINT8ToINT32)
      .def("convertINT16ToINT32", &Transformer::convertINT16ToINT32)
      .def("convertINT64ToINT32", &Transformer::convertINT64ToINT32,
           py::arg("clip") = false)
      .def("convertDoublesToFloats", &Transformer::convertDoublesToFloats)
      .def("convertDoublesToHalfs", &Transformer::convertDoublesToHalfs)
      .def("convertBFloats16ToFloat32", &Transformer::convertBFloats16ToFloat32)
      .def("convertInitializersToConstants",
           &Transformer::convertInitializersToConstants, py::arg("ids"))
      .def("convertAllFixedPointInitializersToConstants",
           &Transformer::convertAllFixedPointInitializersToConstants)
      .def("saveInitializersExternally",
           &Transformer::saveInitializersExternally, py::arg("ids"),
           py::arg("filename"));
  module.def(
      "getSupportedOperations", &getSupportedOperations,
      py::arg("includeInternal") = false,
      "Operators with the opset versions in which their forms appeared.");
  bindDefinitions(module);
  module.def("versionString", &core::versionString);
  module.def("versionNumber", [] {
    const core::VersionNumber version = core::versionNumber();
    return py::make_tuple(version.major, version.minor, version.point);
  });
  module.def("packageHash", &core::packageHash);
}

} // namespace populus::python
