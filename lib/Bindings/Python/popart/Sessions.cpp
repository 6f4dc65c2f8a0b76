// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sessions. Whatever takes time runs without the lock of the interpreter. The
// classes of session.py know the keywords.

#include "lib/Bindings/Python/Interrupt.h"
#include "lib/Bindings/Python/popart/Arrays.h"
#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/session.hpp>
#include <pva/pva.hpp>

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

namespace {

using Unlocked = py::call_guard<py::gil_scoped_release>;
using Device = std::shared_ptr<DeviceInfo>;

/// Options with which Ctrl-C ends compiling.
SessionOptions interruptible(SessionOptions options) {
  options.compilationCheck = InterruptCheck();
  options.compilationProgressLogger =
      [check = InterruptCheck(),
       told = options.compilationProgressLogger](int step, int steps) mutable {
        check();
        try {
          if (told)
            told(step, steps);
        } catch (py::error_already_set &error) {
          const py::gil_scoped_acquire lock;
          error.restore();
          throw Interrupted();
        }
      };
  return options;
}

/// The function runs in a step, which has given the interpreter away.
void connectCallback(Session &session, const std::string &stream,
                     const py::function &function, unsigned index) {
  auto held = std::shared_ptr<py::function>(new py::function(function),
                                            [](py::function *that) {
                                              const py::gil_scoped_acquire lock;
                                              delete that;
                                            });
  session.connectStreamToCallback(
      stream,
      [held](void *buffer) {
        const py::gil_scoped_acquire lock;
        (*held)(py::reinterpret_steal<py::object>(
            PyCapsule_New(buffer, nullptr, nullptr)));
      },
      index);
}

void bindSession(py::module_ &module) {
  py::class_<Session>(module, "_Session")
      .def("prepareDevice", &Session::prepareDevice,
           py::arg("loadEngine") = true, Unlocked(),
           "Compiles the model and loads it onto the device.")
      .def("loadEngineAndConnectStreams", &Session::loadEngineAndConnectStreams,
           Unlocked())
      .def("run", &Session::run, py::arg("stepio"), py::arg("debugName") = "",
           Unlocked(), "Runs a step.")
      .def("weightsFromHost", &Session::weightsFromHost, Unlocked(),
           "Gives the device the weights; needed before the first step of "
           "training.")
      .def("buffersFromHost", &Session::buffersFromHost, Unlocked())
      .def("weightsToHost", &Session::weightsToHost, Unlocked())
      .def("readWeights", &Session::readWeights, py::arg("weightsIo"),
           Unlocked())
      .def("writeWeights", &Session::writeWeights, py::arg("weightsIo"),
           Unlocked())
      .def("modelToHost", &Session::modelToHost, py::arg("filename"),
           Unlocked(), "Writes the model with the weights that it has now.")
      .def("_broadcastWeights", &Session::broadcastWeights,
           py::call_guard<py::gil_scoped_release>())
      .def("resetHostWeights", &Session::resetHostWeights,
           py::arg("modelProtoOrFilename"),
           py::arg("ignoreWeightsInModelWithoutCorrespondingHostWeight") =
               false,
           Unlocked())
      .def("setRandomSeed", &Session::setRandomSeed, py::arg("seedValue"))
      .def("getRandomSeed", &Session::getRandomSeed)
      .def("getRNGState", &Session::getRNGState)
      .def("setRNGState", &Session::setRNGState, py::arg("stateValue"))
      .def("hasInfo", &Session::hasInfo, py::arg("id"))
      .def("getInfo", &Session::getInfo, py::arg("id"))
      .def("getAllTensorIds", &Session::getAllTensorIds)
      .def("getTensorIds", &Session::getAllTensorIds)
      .def("getCycleCount", &Session::getCycleCount, py::arg("id") = "")
      .def("getSummaryReport", &Session::getSummaryReport,
           py::arg("resetProfile") = true, Unlocked())
      .def(
          "getGraphReport",
          [](const Session &session, bool useCbor) {
            return py::bytes(session.getGraphReport(useCbor));
          },
          py::arg("useCbor") = false)
      .def(
          "getExecutionReport",
          [](const Session &session, bool useCbor, bool resetProfile) {
            return py::bytes(session.getExecutionReport(useCbor, resetProfile));
          },
          py::arg("useCbor") = false, py::arg("resetProfile") = true)
      .def(
          "getReport",
          [](const Session &session, bool resetProfile) {
            py::module_::import("pva"); // which knows the type
            return session.getReport(resetProfile);
          },
          py::arg("resetProfile") = true, "The report that pva reads.")
      .def("_serializeIrAsJson", &Session::serializeIr, Unlocked())
      .def("compileAndExport", &Session::compileAndExport, py::arg("filename"),
           Unlocked())
      .def("saveExecutable", &Session::saveExecutable, py::arg("path"),
           py::arg("savePopartMetadata") = true,
           py::arg("saveVariables") = true, Unlocked(),
           "Writes the compiled program and the weights for loadExecutable.")
      .def("loadExecutable", &Session::loadExecutable, py::arg("path"),
           Unlocked(), "Takes a program that was saved; nothing is compiled.")
      .def("saveVariables", &Session::saveVariables, py::arg("path"),
           Unlocked(), "Writes the model with the weights that the host has.")
      .def("updateEngineCache", &Session::updateEngineCache, Unlocked())
      .def("getTensorTileMap", &Session::getTensorTileMap, Unlocked(),
           "Where tensors lie: for each tile, intervals of elements.")
      .def("getSerializedGraph",
           [](const Session &session) {
             return py::bytes(session.getSerializedGraph());
           })
      .def("connectStreamToCallback", &connectCallback, py::arg("streamHandle"),
           py::arg("callback"), py::arg("index") = 0,
           "Lets a function serve a stream; it is given the buffer's address "
           "in a capsule.")
      .def("updateExternallySavedTensorLocations",
           &Session::updateExternallySavedTensorLocations,
           py::arg("fromLocation"), py::arg("toLocation"))
      .def("copyDeviceWeightsToHost", &Session::weightsToHost, Unlocked())
      .def("markHostWeightsInSync", &Session::markHostWeightsInSync)
      .def("markHostWeightsOutOfSync", &Session::markHostWeightsOutOfSync)
      .def("areHostWeightsInSync", &Session::areHostWeightsInSync)
      .def("_getAnchorInfo", &Session::getAnchorInfo)
      .def("_anchorArray",
           [](const Session &session, const TensorId &id) {
             const TensorInfo info = session.getAnchorInfo(id);
             return py::module_::import("numpy").attr("zeros")(
                 info.shape(), dtypeOf(info.dataType()));
           })
      .def_property_readonly("dataFlow", &Session::getDataFlow)
      .def_property_readonly("dataFeed", &Session::getDataFlow)
      .def_property_readonly("_sessionOptions", &Session::getSessionOptions)
      .def_property_readonly("replicationFactor",
                             &Session::getReplicationFactor)
      .def_property_readonly("accumulationFactor", [](const Session &session) {
        return session.getSessionOptions().accumulationFactor;
      });
}

} // namespace

void bindSessions(py::module_ &module) {
  bindSession(module);
  py::class_<InferenceSession, Session>(module, "_InferenceSession")
      .def(py::init([](const std::string &model, const DataFlow &dataFlow,
                       const Device &device, const InputShapeInfo &inputShapes,
                       const Patterns &patterns, const SessionOptions &options,
                       const std::string &name) {
        const py::gil_scoped_release unlocked;
        return InferenceSession::createFromOnnxModel(
            model, dataFlow, device, inputShapes, interruptible(options),
            patterns, name);
      }));
  py::class_<TrainingSession, Session>(module, "_TrainingSession")
      .def(py::init([](const std::string &model, const DataFlow &dataFlow,
                       const TensorId &loss, const Optimizer &optimizer,
                       const Device &device, const InputShapeInfo &inputShapes,
                       const Patterns &patterns, const SessionOptions &options,
                       const std::string &name) {
        const py::gil_scoped_release unlocked;
        return TrainingSession::createFromOnnxModel(
            model, dataFlow, loss, optimizer, device, inputShapes,
            interruptible(options), patterns, name);
      }))
      .def("updateOptimizerFromHost", &TrainingSession::updateOptimizerFromHost,
           py::arg("optimizer"), Unlocked(),
           "Lets the next steps use the numbers of another optimizer.");
}

} // namespace populus::python
