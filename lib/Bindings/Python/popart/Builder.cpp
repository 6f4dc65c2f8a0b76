// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Builder. What is an idiom of Python (contexts, arguments of several
// kinds) is in builder.py; here methods have the types of C++.

#include "lib/Bindings/Python/popart/Bindings.h"
#include "lib/Bindings/Python/popart/Casters.h"

#include <popart/builder.hpp>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

namespace {

using Ids = std::set<TensorId>;

template <class T>
bool isListOf(const py::sequence &list, bool (*is)(py::handle)) {
  for (const py::handle item : list)
    if (!is(item))
      return false;
  return py::len(list) != 0;
}

bool isInt(py::handle value) {
  return py::isinstance<py::int_>(value) || PyIndex_Check(value.ptr());
}
bool isFloat(py::handle value) { return py::isinstance<py::float_>(value); }
bool isText(py::handle value) { return py::isinstance<py::str>(value); }

/// The value of an attribute by its type in Python; a list is of one type, and
/// a builder of a subgraph is that graph.
any toAny(const py::object &value) {
  if (py::isinstance<Builder>(value))
    return popart_detail::Subgraph{value.cast<const Builder *>()};
  if (isText(value))
    return value.cast<std::string>();
  if (isFloat(value))
    return value.cast<float>();
  if (isArray(value) && value.attr("ndim").cast<int>() == 0 && !isInt(value))
    return value.cast<float>();
  if (isInt(value))
    return static_cast<std::int64_t>(py::int_(value));
  if (py::isinstance<py::sequence>(value)) {
    const auto list = value.cast<py::sequence>();
    if (isListOf<std::int64_t>(list, isInt))
      return value.cast<std::vector<std::int64_t>>();
    if (isListOf<float>(list, isFloat))
      return value.cast<std::vector<float>>();
    if (isListOf<std::string>(list, isText))
      return value.cast<std::vector<std::string>>();
    throw error("Invalid or mismatched python list type. A list of an "
                "attribute has integers, floats or strings, and only those");
  }
  throw error("attributes cannot be of the type {}",
              std::string(py::str(py::type::of(value))));
}

py::object fromAny(const any &value) {
  if (const auto *number = any_cast<std::int64_t>(&value))
    return py::int_(*number);
  if (const auto *number = any_cast<float>(&value))
    return py::float_(*number);
  if (const auto *text = any_cast<std::string>(&value))
    return py::str(*text);
  if (const auto *list = any_cast<std::vector<std::int64_t>>(&value))
    return py::cast(*list);
  if (const auto *list = any_cast<std::vector<float>>(&value))
    return py::cast(*list);
  if (const auto *list = any_cast<std::vector<std::string>>(&value))
    return py::cast(*list);
  return py::none();
}

using Class = py::class_<Builder>;

/// Stride 0: as the type of the group says.
TensorId addGroupedWeight(Builder &builder, const ConstVoidData &value,
                          const CommGroup &group, unsigned stride,
                          unsigned groupSize, int mode,
                          const DebugContext &debug) {
  const auto retrieval = static_cast<VariableRetrievalMode>(mode);
  return builder.addInitializedInputTensor(
      value,
      stride == 0 ? VariableSettings(group, retrieval)
                  : VariableSettings(stride, groupSize, retrieval),
      debug);
}

void bindTensors(Class &builder) {
  builder
      .def("addInputTensor",
           py::overload_cast<const TensorInfo &, const DebugContext &>(
               &Builder::addInputTensor),
           py::arg("tensorInfo"), py::arg("debugContext") = DebugContext())
      .def("addUntypedInputTensor", &Builder::addUntypedInputTensor,
           py::arg("debugContext") = DebugContext())
      .def("addInputTensorFromParentGraph",
           &Builder::addInputTensorFromParentGraph, py::arg("tensorId"))
      .def("addInitializedInputTensor",
           py::overload_cast<const ConstVoidData &, const DebugContext &>(
               &Builder::addInitializedInputTensor),
           py::arg("initVal"), py::arg("debugContext") = DebugContext(),
           "A weight with the values of an array; returns its name.")
      .def("_addGroupedWeight", &addGroupedWeight)
      .def("_setReplicatedStreamMode", &Builder::setReplicatedStreamMode)
      .def("_setExchange", &Builder::setExchange)
      .def("addOutputTensor", &Builder::addOutputTensor, py::arg("outputName"))
      .def("getInputTensorIds", &Builder::getInputTensorIds)
      .def("getOutputTensorIds", &Builder::getOutputTensorIds)
      .def("getValueTensorIds", &Builder::getValueTensorIds)
      .def("getTrainableTensorIds", &Builder::getTrainableTensorIds)
      .def("isInitializer", &Builder::isInitializer, py::arg("id"))
      .def("getTensorShape", &Builder::getTensorShape, py::arg("id"))
      .def("getTensorDtypeString", &Builder::getTensorDtypeString,
           py::arg("id"), "NumPy's name of a tensor's type.")
      .def("embedReplicationFactor", &Builder::embedReplicationFactor,
           py::arg("replicationFactor"))
      .def("hasParent", &Builder::hasParent);
}

void bindAttributes(Class &builder) {
  builder
      .def("_addNodeAttribute",
           [](Builder &self, const std::string &name, const py::object &value,
              const Ids &ids) {
             self.addNodeAttribute(name, toAny(value), ids);
           })
      .def("_nodeHasAttribute", &Builder::nodeHasAttribute)
      .def("_getInt64NodeAttribute", &Builder::getInt64NodeAttribute)
      .def("_getInt64VectorNodeAttribute",
           &Builder::getInt64VectorNodeAttribute)
      .def("_getFloatNodeAttribute", &Builder::getFloatNodeAttribute)
      .def("_getFloatVectorNodeAttribute",
           &Builder::getFloatVectorNodeAttribute)
      .def("_getStringNodeAttribute", &Builder::getStringNodeAttribute)
      .def("_getStringVectorNodeAttribute",
           &Builder::getStringVectorNodeAttribute)
      .def("_getAllNodeAttributeNames", &Builder::getAllNodeAttributeNames)
      .def("_removeNodeAttribute", &Builder::removeNodeAttribute)
      .def("_setAttribute",
           [](Builder &self, const std::string &name, const py::object &value) {
             self.setAttribute(name, toAny(value));
           })
      .def("_hasAttribute", &Builder::hasAttribute)
      .def("_getAttribute",
           [](const Builder &self, const std::string &name) {
             return fromAny(self.getAttribute(name));
           })
      .def("_clearAttribute", &Builder::clearAttribute)
      .def("_recomputeOutput", &Builder::recomputeOutputInBackwardPass)
      .def("_getRecomputeOutput", &Builder::getRecomputeOutputInBackwardPass)
      .def("_excludePatterns", &Builder::excludePatterns)
      .def("_setSerializeMatMul", &Builder::setSerializeMatMul)
      .def("_setAvailableMemoryProportion",
           py::overload_cast<const Ids &, float>(
               &Builder::setAvailableMemoryProportion))
      .def("checkpointOutput", &Builder::checkpointOutput,
           py::arg("nodeOutputNames"))
      .def("setInplacePreferences", &Builder::setInplacePreferences,
           py::arg("nodeOutputName"), py::arg("prefs"))
      .def("setPartialsType", &Builder::setPartialsType,
           py::arg("nodeOutputName"), py::arg("partialsType"))
      .def("getPartialsType", &Builder::getPartialsType,
           py::arg("nodeOutputName"))
      .def("setEnableConvDithering", &Builder::setEnableConvDithering,
           py::arg("nodeOutputName"), py::arg("enableConvDithering"));
}

void bindModel(Class &builder) {
  builder
      .def("getModelProto",
           [](const Builder &self) { return py::bytes(self.getModelProto()); })
      .def("saveModelProto", &Builder::saveModelProto, py::arg("filename"))
      .def("saveInitializersExternally", &Builder::saveInitializersExternally,
           py::arg("ids"), py::arg("filename"))
      .def("setGraphName", &Builder::setGraphName, py::arg("name"))
      .def("_pushNameScope", &Builder::pushNameScope)
      .def("_popNameScope", &Builder::popNameScope)
      .def("getNameScope", &Builder::getNameScope, py::arg("name") = "")
      .def("createSubgraphBuilder", &Builder::createSubgraphBuilder,
           py::return_value_policy::reference_internal)
      .def("aiOnnxOpset6", &Builder::aiOnnxOpset6, py::keep_alive<0, 1>())
      .def("aiOnnxOpset7", &Builder::aiOnnxOpset7, py::keep_alive<0, 1>())
      .def("aiOnnxOpset8", &Builder::aiOnnxOpset8, py::keep_alive<0, 1>())
      .def("aiOnnxOpset9", &Builder::aiOnnxOpset9, py::keep_alive<0, 1>())
      .def("aiOnnxOpset10", &Builder::aiOnnxOpset10, py::keep_alive<0, 1>())
      .def("aiOnnxOpset11", &Builder::aiOnnxOpset11, py::keep_alive<0, 1>())
      .def("aiGraphcoreOpset1", &Builder::aiGraphcoreOpset1,
           py::keep_alive<0, 1>())
      .def("_customOp",
           [](Builder &self, const OperatorIdentifier &id, int opsetVersion,
              const TensorIds &inputs, unsigned numOutputs,
              const py::dict &attributes, const DebugContext &debug) {
             std::map<std::string, any> values;
             for (const auto &[name, value] : attributes)
               values[name.cast<std::string>()] =
                   toAny(py::reinterpret_borrow<py::object>(value));
             return self.customOp(id, opsetVersion, inputs, numOutputs, values,
                                  debug);
           });
}

} // namespace

void bindBuilder(py::module_ &module) {
  py::enum_<RecomputeType>(module, "RecomputeType")
      .value("Undefined", RecomputeType::Undefined)
      .value("Checkpoint", RecomputeType::Checkpoint)
      .value("Recompute", RecomputeType::Recompute)
      .value("Recomputed", RecomputeType::Recomputed);
  py::class_<OperatorIdentifier>(module, "OperatorIdentifier")
      .def(py::init<const OpDomain &, const OpType &, OpVersion>(),
           py::arg("domain"), py::arg("type"), py::arg("version"))
      .def_readonly("domain", &OperatorIdentifier::domain)
      .def_readonly("type", &OperatorIdentifier::type)
      .def_readonly("version", &OperatorIdentifier::version)
      .def("__eq__", [](const OperatorIdentifier &a,
                        const OperatorIdentifier &b) { return a == b; })
      .def("__hash__",
           [](const OperatorIdentifier &id) {
             return py::hash(py::make_tuple(id.domain, id.type, id.version));
           })
      .def("__repr__", [](const OperatorIdentifier &id) {
        return popart_detail::format("{}", id);
      });
  Class builder(module, "_BuilderCore", py::dynamic_attr(),
                "Makes an ONNX model, node by node. Methods that add something "
                "return names of tensors.");
  builder.def(py::init(&Builder::create))
      .def(py::init(&Builder::createFromOnnxModel),
           py::arg("modelProtoOrFilename"));
  bindTensors(builder);
  bindAttributes(builder);
  bindModel(builder);
}

} // namespace populus::python
