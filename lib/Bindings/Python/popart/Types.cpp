// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of tensors and steps: element types, shapes, and anchors.

#include "lib/Bindings/Python/popart/Bindings.h"
#include "lib/Bindings/Python/popart/Casters.h"

#include <popart/commgroup.hpp>
#include <popart/dataflow.hpp>
#include <popart/error.hpp>
#include <popart/graphcoreopset.hpp>
#include <popart/inputshapeinfo.hpp>
#include <popart/reductiontype.hpp>

#include <sstream>

namespace py = pybind11;
using namespace popart;

namespace populus::python {

namespace {

template <class T> std::string text(const T &value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

void bindDataType(py::module_ &module) {
  py::enum_<DataType> type(module, "DataType");
  for (int i = 0; i <= static_cast<int>(DataType::UNDEFINED); ++i)
    type.value(getDataTypeName(static_cast<DataType>(i)).c_str(),
               static_cast<DataType>(i));
}

/// Element type for a name such as "FLOAT", or for anything that NumPy takes as
/// a type.
DataType toDataType(const py::object &type) {
  if (py::isinstance<DataType>(type))
    return type.cast<DataType>();
  if (py::isinstance<py::str>(type))
    return dataTypeFromString(type.cast<std::string>());
  return typeOf(py::dtype::from_args(type));
}

void bindTensorInfo(py::module_ &module) {
  py::class_<TensorInfo>(module, "TensorInfo",
                         "Type and shape of a tensor: TensorInfo(\"FLOAT\", "
                         "[2, 3]), TensorInfo(numpy.float32, [2, 3]), or those "
                         "of an array.")
      .def(py::init([](const std::string &type, const std::string &shape) {
             return TensorInfo(type, shape);
           }),
           py::arg("dataType"), py::arg("shape"))
      .def(py::init([](const py::object &type, const Shape &shape) {
             return TensorInfo(toDataType(type), shape);
           }),
           py::arg("dataType"), py::arg("shape"))
      .def(py::init([](const py::array &array) { return infoOf(array); }),
           py::arg("array"))
      .def("shape", &TensorInfo::shape)
      .def("rank", &TensorInfo::rank)
      .def("nelms", &TensorInfo::nelms)
      .def("nbytes", &TensorInfo::nbytes)
      .def("dataType", &TensorInfo::dataType)
      .def("data_type", &TensorInfo::data_type)
      .def("data_type_lcase", &TensorInfo::data_type_lcase,
           "NumPy's name of the type.")
      .def("__eq__",
           [](const TensorInfo &a, const TensorInfo &b) { return a == b; })
      .def("__ne__",
           [](const TensorInfo &a, const TensorInfo &b) { return a != b; })
      .def("__repr__", &text<TensorInfo>);
  module.def(
      "getTensorInfo", [](const py::array &array) { return infoOf(array); },
      py::arg("array"));
}

void bindShapes(py::module_ &module) {
  py::class_<InputShapeInfo>(module, "InputShapeInfo",
                             "Types and shapes of inputs that a model leaves "
                             "open.")
      .def(py::init<>())
      .def("add", &InputShapeInfo::add, py::arg("id"), py::arg("info"))
      .def(
          "get",
          [](const InputShapeInfo &infos, const TensorId &id) {
            if (!infos.has(id))
              throw error("InputShapeInfo: there is no '{}'", id);
            return infos.get(id);
          },
          py::arg("id"))
      .def("has", &InputShapeInfo::has, py::arg("id"))
      .def("getAllTensorIds", &InputShapeInfo::getAllTensorIds);
}

void bindDataFlow(py::module_ &module) {
  py::enum_<AnchorReturnTypeId>(module, "AnchorReturnTypeId")
      .value("FINAL", AnchorReturnTypeId::Final)
      .value("EVERYN", AnchorReturnTypeId::EveryN)
      .value("ALL", AnchorReturnTypeId::All)
      .value("SUM", AnchorReturnTypeId::Sum)
      .value("Final", AnchorReturnTypeId::Final)
      .value("EveryN", AnchorReturnTypeId::EveryN)
      .value("All", AnchorReturnTypeId::All)
      .value("Sum", AnchorReturnTypeId::Sum);
  py::enum_<TileSet>(module, "TileSet")
      .value("Compute", TileSet::Compute)
      .value("IO", TileSet::IO);
  py::enum_<ExchangeStrategy>(module, "ExchangeStrategy")
      .value("JustInTime", ExchangeStrategy::JustInTime)
      .value("OverlapInnerLoop", ExchangeStrategy::OverlapInnerLoop)
      .value("OverlapLoops", ExchangeStrategy::OverlapLoops)
      .value("OverlapStep", ExchangeStrategy::OverlapStep);
  py::enum_<ReplicatedStreamMode>(module, "ReplicatedStreamMode")
      .value("Replicate", ReplicatedStreamMode::Replicate)
      .value("Broadcast", ReplicatedStreamMode::Broadcast);
  py::class_<AnchorReturnType>(
      module, "AnchorReturnType",
      "What of a step's batches an anchor returns: \"All\", the \"Final\" one, "
      "\"EveryN\" with a period, or their \"Sum\".")
      .def(py::init([](const std::string &type, TileSet tiles,
                       ExchangeStrategy strategy) {
             return AnchorReturnType(type, tiles, strategy);
           }),
           py::arg("anchorReturnTypeString"),
           py::arg("tileSet") = TileSet::Compute,
           py::arg("exchangeStrategy") = ExchangeStrategy::JustInTime)
      .def(py::init([](const std::string &type, int period, TileSet tiles,
                       ExchangeStrategy strategy) {
             return AnchorReturnType(type, period, tiles, strategy);
           }),
           py::arg("anchorReturnTypeString"), py::arg("returnPeriod"),
           py::arg("tileSet") = TileSet::Compute,
           py::arg("exchangeStrategy") = ExchangeStrategy::JustInTime)
      .def("id", &AnchorReturnType::id)
      .def("rp", &AnchorReturnType::rp)
      .def("tileSet", &AnchorReturnType::tileSet)
      .def("exchangeStrategy", &AnchorReturnType::exchangeStrategy)
      .def("__repr__", [](const AnchorReturnType &type) {
        return "AnchorReturnType(\"" + type.str() + "\")";
      });
  py::class_<DataFlow>(module, "DataFlow",
                       "How many batches a step has, and what it returns.")
      .def(py::init<>())
      .def(py::init<int>(), py::arg("batchesPerStep"))
      .def(py::init<int, const AnchorReturnTypeMap &>(),
           py::arg("batchesPerStep"), py::arg("anchorTensors"))
      .def(py::init<int, const std::vector<TensorId> &,
                    const AnchorReturnType &>(),
           py::arg("batchesPerStep"), py::arg("anchorIds"),
           py::arg("anchorReturnType") = AnchorReturnType("All"))
      .def("isAnchored", &DataFlow::isAnchored, py::arg("id"))
      .def("nAnchors", &DataFlow::nAnchors)
      .def("batchesPerStep", &DataFlow::batchesPerStep)
      .def("setBatchesPerStep", &DataFlow::setBatchesPerStep,
           py::arg("batchesPerStep"))
      .def("anchors", &DataFlow::anchors)
      .def("art", &DataFlow::art, py::arg("id"));
}

void bindOperatorEnums(py::module_ &module) {
  py::enum_<ReductionType>(module, "ReductionType")
      .value("Sum", ReductionType::Sum)
      .value("Mean", ReductionType::Mean)
      .value("NoReduction", ReductionType::NoReduction)
      .value("SUM", ReductionType::Sum)
      .value("MEAN", ReductionType::Mean);
  py::enum_<ScatterReduction>(module, "ScatterReduction")
      .value("Sum", ScatterReduction::Sum)
      .value("Max", ScatterReduction::Max)
      .value("Min", ScatterReduction::Min)
      .value("Mul", ScatterReduction::Mul)
      .value("NoReduction", ScatterReduction::None);
  py::enum_<InitType>(module, "InitType")
      .value("NoInit", InitType::NoInit)
      .value("Zero", InitType::Zero);
  py::enum_<TensorRemapType>(module, "TensorRemapType")
      .value("FwdBwdReverse", TensorRemapType::FwdBwdReverse)
      .value("FwdBwd", TensorRemapType::FwdBwd)
      .value("Fwd", TensorRemapType::Fwd);
  py::enum_<CommGroupType>(module, "CommGroupType")
      .value("All", CommGroupType::All)
      .value("Consecutive", CommGroupType::Consecutive)
      .value("Orthogonal", CommGroupType::Orthogonal)
      .value("None", CommGroupType::None)
      .value("Ungrouped", CommGroupType::None);
  py::enum_<CollectiveOperator>(module, "CollectiveOperator")
      .value("Add", CollectiveOperator::Add)
      .value("Mean", CollectiveOperator::Mean)
      .value("Mul", CollectiveOperator::Mul)
      .value("Min", CollectiveOperator::Min)
      .value("Max", CollectiveOperator::Max)
      .value("LogicalAnd", CollectiveOperator::LogicalAnd)
      .value("LogicalOr", CollectiveOperator::LogicalOr)
      .value("SquareAdd", CollectiveOperator::SquareAdd)
      .value("Local", CollectiveOperator::Local);
  py::class_<CommGroup>(module, "CommGroup")
      .def(py::init<>())
      .def(py::init<CommGroupType, unsigned>(), py::arg("type"),
           py::arg("replicaGroupSize"))
      .def_readwrite("type", &CommGroup::type)
      .def_readwrite("replicaGroupSize", &CommGroup::replicaGroupSize)
      .def("__eq__",
           [](const CommGroup &a, const CommGroup &b) { return a == b; })
      .def("__repr__", &text<CommGroup>);
}

} // namespace

void bindTypes(py::module_ &module) {
  bindDataType(module);
  bindTensorInfo(module);
  bindShapes(module);
  bindDataFlow(module);
  bindOperatorEnums(module);
  py::class_<DebugContext>(module, "DebugContext",
                           "The name of a part of a model; a str does as well.")
      .def(py::init<>())
      .def(py::init<const std::string &>(), py::arg("name"))
      .def(py::init([](const std::string &name, const py::args &,
                       const py::kwargs &) { return DebugContext(name); }))
      // Inside of another one, or of what a DebugInfo is about.
      .def(py::init([](const py::object &parent, const std::string &name) {
             const auto path = parent.attr("getPathName")().cast<std::string>();
             return name.empty() ? DebugContext(path)
                                 : DebugContext(DebugContext(path), name);
           }),
           py::arg("parent"), py::arg("name") = "")
      .def("getPathName", &DebugContext::getPathName);
  py::implicitly_convertible<py::str, DebugContext>();
}

} // namespace populus::python
