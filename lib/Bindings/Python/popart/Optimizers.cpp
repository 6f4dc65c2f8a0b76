// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizers. Their numbers come as a dict of (value, is constant).

#include "lib/Bindings/Python/popart/Bindings.h"

#include <popart/adam.hpp>
#include <popart/adaptive.hpp>
#include <popart/sgd.hpp>

#include <pybind11/stl.h>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

namespace {

using Clips = std::vector<ClipNormSettings>;
using Values = Optimizer::Values;

void bindEnums(py::module_ &module) {
  py::enum_<OptimizerType>(module, "OptimizerType")
      .value("SGD", OptimizerType::SGD)
      .value("Adam", OptimizerType::Adam)
      .value("Adaptive", OptimizerType::Adaptive)
      .value("NTYPES", OptimizerType::NTYPES);
  py::enum_<WeightDecayMode>(module, "WeightDecayMode")
      .value("Decay", WeightDecayMode::Decay)
      .value("L2Regularization", WeightDecayMode::L2Regularization);
  py::enum_<SGDAccumulatorAndMomentum>(module, "SGDAccumulatorAndMomentum")
      .value("Combined", SGDAccumulatorAndMomentum::Combined)
      .value("Separate", SGDAccumulatorAndMomentum::Separate);
  py::enum_<AdamMode>(module, "AdamMode")
      .value("Adam", AdamMode::Adam)
      .value("AdamNoBias", AdamMode::AdamNoBias)
      .value("AdaMax", AdamMode::AdaMax)
      .value("Lamb", AdamMode::Lamb)
      .value("LambNoBias", AdamMode::LambNoBias);
  py::enum_<AdaptiveMode>(module, "AdaptiveMode")
      .value("AdaGrad", AdaptiveMode::AdaGrad)
      .value("RMSProp", AdaptiveMode::RMSProp)
      .value("CenteredRMSProp", AdaptiveMode::CenteredRMSProp)
      .value("AdaDelta", AdaptiveMode::AdaDelta);
}

void bindValues(py::module_ &module) {
  py::class_<OptimizerValue>(module, "OptimizerValue",
                             "A number, and whether it is a constant.")
      .def(py::init<>())
      .def(py::init<float>(), py::arg("val"))
      .def(py::init<float, bool>(), py::arg("val"), py::arg("isConst"))
      .def(py::init<std::pair<float, bool>>())
      .def("val", &OptimizerValue::val)
      .def("isConst", &OptimizerValue::isConst);
  py::class_<OptimizerValueMap>(module, "OptimizerValueMap")
      .def("getDefault", &OptimizerValueMap::getDefault)
      .def("get", &OptimizerValueMap::get, py::arg("weightId"));
  py::class_<ClipNormSettings>(
      module, "ClipNormSettings",
      "Weights whose gradients together have a norm of maxNorm at most.")
      .def(py::init<const std::vector<TensorId> &, float>(),
           py::arg("weightIds"), py::arg("maxNorm"))
      .def_static("clipWeights", &ClipNormSettings::clipWeights,
                  py::arg("weightIds"), py::arg("maxNorm"))
      .def_static("clipAllWeights", &ClipNormSettings::clipAllWeights,
                  py::arg("maxNorm"))
      .def_readwrite("weightIds", &ClipNormSettings::weightIds)
      .def_readwrite("maxNorm", &ClipNormSettings::maxNorm);
}

void bindSgd(py::module_ &module) {
  py::class_<SGD, Optimizer>(module, "SGD",
                             "SGD({\"defaultLearningRate\": (0.1, False)}): "
                             "docs/training.md has the names and the formula.")
      .def(py::init<const Values &, const Clips &, SGDAccumulatorAndMomentum,
                    DataType, DataType, const DebugContext &>(),
           py::arg("values"), py::arg("clip_norm_settings") = Clips(),
           py::arg("accumulatorAndMomentum") =
               SGDAccumulatorAndMomentum::Combined,
           py::arg("accumType") = DataType::UNDEFINED,
           py::arg("accl1Type") = DataType::UNDEFINED,
           py::arg("debugContext") = DebugContext())
      // A learning rate that later steps may change.
      .def(py::init([](float learningRate) {
             return SGD({{"defaultLearningRate", {learningRate, false}}});
           }),
           py::arg("learning_rate"))
      .def("learningRates", &SGD::learningRates)
      .def("weightDecays", &SGD::weightDecays)
      .def("momentums", &SGD::momentums)
      .def("dampenings", &SGD::dampenings)
      .def("velocityScalings", &SGD::velocityScalings)
      .def("nesterov", &SGD::nesterov);
  py::class_<ConstSGD, SGD>(module, "ConstSGD",
                            "SGD whose numbers never change.")
      .def(py::init<float, float, float, const Clips &>(),
           py::arg("learning_rate"), py::arg("weight_decay") = 0.0f,
           py::arg("loss_scaling") = 1.0f,
           py::arg("clip_norm_settings") = Clips());
}

void bindAdam(py::module_ &module) {
  py::class_<Adam, Optimizer>(module, "Adam")
      .def(py::init<const Values &, AdamMode, WeightDecayMode, DataType,
                    DataType, DataType, const Clips &, bool,
                    const DebugContext &>(),
           py::arg("values"), py::arg("mode") = AdamMode::Adam,
           py::arg("weight_decay_mode") = WeightDecayMode::Decay,
           py::arg("accum_type") = DataType::UNDEFINED,
           py::arg("accl1_type") = DataType::FLOAT,
           py::arg("accl2_type") = DataType::FLOAT,
           py::arg("clip_norm_settings") = Clips(),
           py::arg("scaled_optimizer_state") = false,
           py::arg("debugContext") = DebugContext())
      .def("learningRates", &Adam::learningRates)
      .def("weightDecays", &Adam::weightDecays)
      .def("beta1s", &Adam::beta1s)
      .def("beta2s", &Adam::beta2s)
      .def("epss", &Adam::epss)
      .def("maxWeightNorms", &Adam::maxWeightNorms);
}

void bindAdaptive(py::module_ &module) {
  py::class_<Adaptive, Optimizer>(module, "Adaptive")
      .def(py::init<const Values &, AdaptiveMode, WeightDecayMode, DataType,
                    DataType, DataType, DataType, bool, const DebugContext &>(),
           py::arg("values"), py::arg("mode") = AdaptiveMode::RMSProp,
           py::arg("weight_decay_mode") = WeightDecayMode::Decay,
           py::arg("accum_type") = DataType::UNDEFINED,
           py::arg("accl1_type") = DataType::FLOAT,
           py::arg("accl2_type") = DataType::FLOAT,
           py::arg("accl3_type") = DataType::UNDEFINED,
           py::arg("rmsprop_tf_variant") = false,
           py::arg("debugContext") = DebugContext())
      .def("learningRates", &Adaptive::learningRates)
      .def("weightDecays", &Adaptive::weightDecays)
      .def("alphas", &Adaptive::alphas)
      .def("momentums", &Adaptive::momentums)
      .def("epss", &Adaptive::epss);
}

} // namespace

void bindOptimizers(py::module_ &module) {
  bindEnums(module);
  bindValues(module);
  py::class_<Optimizer>(module, "Optimizer")
      .def("getLossScalingVal", &Optimizer::getLossScalingVal)
      .def("type", &Optimizer::type)
      .def("insertSpecific", &Optimizer::insertSpecific, py::arg("weight"),
           py::arg("values"),
           "Gives a weight numbers of its own, as a dict of (value, is "
           "constant).");
  bindSgd(module);
  bindAdam(module);
  bindAdaptive(module);
}

} // namespace populus::python
