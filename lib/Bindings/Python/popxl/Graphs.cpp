// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules, graphs, values and operators, as Python makes them.

#include "lib/Bindings/Python/popxl/Bindings.h"

#include "lib/PopART/Custom/CustomOp.h"
#include "lib/PopART/IR/Export.h"
#include "lib/PopART/IR/OpBuilder.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/IR/Text.h"
#include "lib/PopART/IR/VarUpdate.h"
#include "lib/PopART/Support/Error.h"
#include "lib/PopART/Training/Autodiff.h"
#include "lib/PopART/Training/GradientGraph.h"

#include <algorithm>

namespace py = pybind11;

namespace populus::python {

using namespace popir;

namespace {

/// A builder all of whose operators have one name.
class OpMaker : public GraphBuilder {
public:
  using GraphBuilder::GraphBuilder;
  using GraphBuilder::make;
};

AttributeValue attributeOf(const std::string &name, const py::handle &value) {
  if (py::isinstance<py::bool_>(value) || py::isinstance<py::int_>(value))
    return value.cast<std::int64_t>();
  if (py::isinstance<py::float_>(value))
    return value.cast<float>();
  if (py::isinstance<py::str>(value))
    return value.cast<std::string>();
  const auto list = value.cast<py::sequence>();
  if (list.size() != 0 && py::isinstance<py::float_>(list[0]))
    return value.cast<std::vector<float>>();
  if (list.size() != 0 && py::isinstance<py::str>(list[0]))
    return value.cast<std::vector<std::string>>();
  try {
    return value.cast<std::vector<std::int64_t>>();
  } catch (const py::cast_error &) {
    failInput("the attribute '{}' is no list of numbers or texts", name);
  }
}

Attributes attributesOf(const py::dict &given) {
  Attributes attributes;
  for (const auto &[name, value] : given)
    attributes.set(name.cast<std::string>(),
                   attributeOf(name.cast<std::string>(), value));
  return attributes;
}

std::vector<Value *> addOp(Graph &graph, const std::string &type,
                           std::vector<Value *> inputs,
                           const py::dict &attributes, std::size_t outputs,
                           const std::string &domain, const std::string &name,
                           std::optional<std::int64_t> ipu, bool ioTiles,
                           std::optional<std::int64_t> stage) {
  Placement place;
  place.ipu = ipu;
  place.ioTiles = ioTiles;
  place.stage = stage;
  return OpMaker(graph, name, place)
      .make({domain, type}, std::move(inputs), attributesOf(attributes),
            outputs);
}

/// An operator that a program made in a graph of its own (<popart/op.hpp>).
/// Operands that it has not are None.
std::vector<Value *> addProgramOp(Graph &graph, const popart::Op &made,
                                  std::vector<Value *> inputs,
                                  std::optional<std::int64_t> ipu,
                                  bool ioTiles) {
  Placement place;
  place.ipu = ipu;
  place.ioTiles = ioTiles;
  try {
    return GraphBuilder(graph, "", place)
        .addOp(makeReal(made, edgesOf(made)), std::move(inputs));
  } catch (const popart::error &error) {
    failInput("{}: {}", made.str(), error.what());
  }
}

/// One that runs other graphs: its results are what `infer` says.
py::tuple addCaller(Graph &graph, const std::string &type,
                    std::vector<Graph *> callees, std::vector<Value *> inputs,
                    const py::dict &attributes, const std::string &name,
                    std::optional<std::int64_t> ipu,
                    std::optional<std::int64_t> stage) {
  OpSpec spec;
  spec.id = newestOf("ai.graphcore", type);
  spec.name = name;
  spec.attributes = attributesOf(attributes);
  spec.numInputs = inputs.size();
  // The first result of a conditional loop's body says whether to go on.
  const bool isConditional = spec.attributes.getInt("conditional", 0) != 0;
  const std::span<const GraphResult> results =
      std::span(callees.front()->results()).subspan(isConditional ? 1 : 0);
  spec.numOutputs = results.size();
  spec.placement.ipu = ipu;
  spec.placement.stage = stage;
  std::vector<Value *> outputs;
  for (const GraphResult &result : results)
    outputs.push_back(
        &graph.addValue(graph.uniqueName(result.name), result.value->info));
  std::unique_ptr<Op> op = createOp(std::move(spec));
  op->setCallees(std::move(callees));
  Op &added = graph.addOp(std::move(op), std::move(inputs), outputs);
  const std::vector<TensorInfo> infos = added.infer();
  for (std::size_t i = 0; i != outputs.size(); ++i)
    outputs[i]->info = infos.at(i);
  const auto inside = py::return_value_policy::reference;
  return py::make_tuple(py::cast(&added, inside), py::cast(outputs, inside));
}

/// A result that an operator which calls a graph did not have: one of the
/// graph's results, by number.
Value &addOutput(Graph &graph, Op &op, std::size_t index,
                 const std::string &name) {
  Value &value = graph.addValue(graph.uniqueName(name));
  graph.setOutput(op, index, &value);
  value.info = op.infer().at(index);
  return value;
}

/// The gradient graph, and what it takes of the forward graph.
py::tuple makeGradients(Graph &forward, const std::string &name,
                        const std::vector<Value *> &provided,
                        const std::vector<Value *> &required) {
  GradientGraphMaker ofCallees;
  expandForTraining(forward);
  const GradientGraph made =
      makeGradientGraph(forward, name, provided, required, ofCallees);
  for (const Value *value : required)
    if (std::ranges::count(made.required, value) == 0)
      failInput("[Autodiff] Unable to provide required gradient output for "
                "'{}'",
                value->name);
  const auto inside = py::return_value_policy::reference;
  return py::make_tuple(py::cast(made.graph, inside),
                        py::cast(made.forwardValues, inside));
}

py::dict numbered(const std::vector<Value *> &values) {
  py::dict result;
  for (std::size_t i = 0; i != values.size(); ++i)
    if (values[i])
      result[py::int_(i)] =
          py::cast(values[i], py::return_value_policy::reference);
  return result;
}

/// Lists the type, operands and results of each operator. Tensors are numbers.
py::list opsOf(const Graph &graph) {
  py::list ops;
  for (const Op *op : graph.ops())
    ops.append(py::make_tuple(op->id().type, numbered(op->inputs()),
                              numbered(op->outputs())));
  return ops;
}

} // namespace

void bindGraphs(py::module_ &module) {
  py::class_<Value>(module, "Value")
      .def_readonly("name", &Value::name)
      .def_property_readonly(
          "type", [](const Value &v) { return std::string(name(v.info.type)); })
      .def_property_readonly(
          "shape",
          [](const Value &v) { return py::tuple(py::cast(v.info.shape)); })
      .def_property_readonly("is_constant", &Value::isConstant);

  py::class_<Op>(module, "Op");

  py::class_<Variable>(module, "Variable")
      .def_readonly("name", &Variable::name);

  const auto inside = py::return_value_policy::reference_internal;
  py::class_<Graph>(module, "Graph")
      .def_readonly("name", &Graph::name)
      .def(
          "add_argument",
          [](Graph &g, const std::string &name, const std::string &type,
             Shape shape) -> Value & {
            return g.addArgument(g.uniqueName(name),
                                 {typeOf(type), std::move(shape)});
          },
          inside)
      .def(
          "add_constant",
          [](Graph &g, const std::string &name, const std::string &type,
             const py::array &elements) -> Value & {
            return g.addConstant(g.uniqueName(name), tensorOf(type, elements));
          },
          inside)
      .def("use_variable", &Graph::useVariable, inside)
      .def("op", &addOp, inside, py::arg("type"), py::arg("inputs"),
           py::arg("attributes") = py::dict(), py::arg("outputs") = 1,
           py::arg("domain") = "", py::arg("name") = "",
           py::arg("ipu") = py::none(), py::arg("io_tiles") = false,
           py::arg("stage") = py::none())
      .def("program_op", &addProgramOp, inside, py::arg("made"),
           py::arg("inputs"), py::arg("ipu") = py::none(),
           py::arg("io_tiles") = false)
      .def("caller", &addCaller, py::arg("type"), py::arg("callees"),
           py::arg("inputs"), py::arg("attributes") = py::dict(),
           py::arg("name") = "", py::arg("ipu") = py::none(),
           py::arg("stage") = py::none())
      .def("add_output", &addOutput, inside)
      .def("add_result", [](Graph &g, const std::string &name,
                            Value &value) { g.addResult(name, value); })
      .def("set_result", &Graph::setResult)
      .def("remove_result", &Graph::removeResult)
      .def_property_readonly("num_results",
                             [](const Graph &g) { return g.results().size(); })
      .def(
          "write_variables",
          [](Graph &g, const std::vector<std::pair<Value *, Value *>> &values) {
            std::vector<VarUpdate> updates;
            for (const auto &[variable, value] : values)
              updates.push_back({variable, value});
            addVarUpdates(g, updates);
          })
      .def("__str__", [](const Graph &g) { return toString(g); });

  py::class_<Module, std::shared_ptr<Module>>(module, "Module")
      .def(py::init<>())
      .def("add_graph", &Module::addGraph, inside)
      .def(
          "add_variable",
          [](Module &m, const std::string &name, const std::string &type,
             const py::array &elements) -> Variable & {
            HostTensor value = tensorOf(type, elements);
            const TensorInfo info = value.info();
            return m.addVariable(
                name, info,
                std::make_shared<const HostTensor>(std::move(value)));
          },
          inside)
      .def(
          "add_zeros",
          [](Module &m, const std::string &name, const std::string &type,
             Shape shape) -> Variable & {
            return m.addVariable(name, {typeOf(type), std::move(shape)});
          },
          inside)
      .def(
          "add_remote_buffer",
          [](Module &m, const std::string &name, const std::string &type,
             Shape row, std::int64_t rows) -> Variable & {
            row.insert(row.begin(), rows);
            Variable &buffer = m.addVariable(name, {typeOf(type), row});
            buffer.remoteRows = rows;
            return buffer;
          },
          inside)
      .def("set_main",
           [](Module &m, Graph &graph) { m.programs = {{"step", &graph}}; })
      .def("add_update",
           [](Module &m, Graph &graph) {
             m.programs.push_back({"update", &graph});
           })
      .def("__str__", [](const Module &m) { return toString(m); });

  module.def("make_gradient_graph", &makeGradients);
  module.def("graph_arguments", [](Graph &g) {
    return py::cast(g.arguments(), py::return_value_policy::reference);
  });
  module.def("graph_results", [](Graph &g) {
    py::list values;
    for (const GraphResult &result : g.results())
      values.append(py::cast(result.value, py::return_value_policy::reference));
    return values;
  });
  module.def("graph_ops", &opsOf);
}

} // namespace populus::python
