// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metadata of quarters as tensors, and the tie between a tensor and its
// metadata: a view refers to the view of one element (TensorView::metadata),
// and views made from it keep the reference.

#include <poplar/MetadataCreation.hpp>

#include "lib/Poplar/Device/DeviceAccess.h"
#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/Quarters.h"
#include "lib/Poplar/Support/Types.h"

#include <sstream>

namespace poplar {

using core::Access;
using core::GraphImpl;
using core::Run;
using core::TensorView;
using core::Variable;

namespace core {

namespace {

constexpr unsigned FirstVersionWithQuarters = 21;

/// The variable of the only element, and its place there.
Run elementOf(const TensorView &metadata) {
  Run element;
  metadata.forEachRun([&](const Run &run) { element = run; });
  return element;
}

/// Returns the initial value of a metadata element, if it has one.
std::optional<QuarterMetadata> initialValue(const TensorView &metadata,
                                            bool onlyConstants) {
  const Run element = elementOf(metadata);
  const Variable &variable = metadata.graph->variables[element.variable];
  if (variable.data.size() != variable.numElements ||
      (onlyConstants && !variable.isConstant))
    return std::nullopt;
  return QuarterMetadata(
      static_cast<unsigned char>(variable.data[element.offset]));
}

} // namespace

std::optional<QuarterMetadata> fixedMetadata(const TensorView &tensor) {
  if (!tensor.metadata)
    return std::nullopt;
  return initialValue(*tensor.metadata, true);
}

bool haveSameMetadata(const TensorView &a, const TensorView &b) {
  return a.metadata && b.metadata ? areSame(*a.metadata, *b.metadata)
                                  : !a.metadata && !b.metadata;
}

QuarterMetadata initialMetadata(const Tensor &tensor) {
  const std::optional<QuarterMetadata> metadata =
      initialValue(Access::view(tensor.getMetadata()), false);
  if (!metadata)
    throw tensor_creation_error(
        "values for " + tensor.getDebugStr() +
        " cannot be converted, because its metadata are not known before the "
        "program runs");
  return *metadata;
}

std::shared_ptr<const TensorView>
checkedMetadata(const GraphImpl &graph, Type type, const Tensor &metadata) {
  const bool isGiven = metadata.valid() && metadata.numElements() != 0;
  if (type != QUARTER && isGiven)
    throw tensor_creation_error("a variable of type " + type.toString() +
                                " was given metadata, which it does not have");
  if (!isGiven)
    return nullptr;
  if (metadata.elementType() != QUARTER_METADATA || metadata.numElements() != 1)
    throw tensor_creation_error(
        "a tensor of type quarter was given " + metadata.getDebugStr() +
        " as metadata, but these are one element of type quarter_metadata");
  return std::make_shared<const TensorView>(Access::view(graph, metadata));
}

void requireQuarters(const GraphImpl &graph, Type type,
                     const std::string &name) {
  const populus::runtime::TargetInfo &info =
      *DeviceAccess::data(graph.target).info;
  if ((type == QUARTER || type == QUARTER_METADATA) && info.isIpu() &&
      info.archVersion < FirstVersionWithQuarters)
    throw not_supported_error("'" + name + "': elements of type " +
                              type.toString() +
                              " (8-bit floats) need the target ipu21 or cpu; "
                              "the graph is for " +
                              std::string(info.name));
}

} // namespace core

namespace {

/// A new element of metadata, on tile 0.
Tensor makeElement(Graph &graph, const DebugContext &debugContext) {
  const Tensor metadata = graph.addVariable(QUARTER_METADATA, {}, debugContext);
  graph.setTileMapping(metadata, 0);
  return metadata;
}

void setData(Graph &graph, QuarterMetadata value, bool isConstant) {
  Variable &variable = Access::impl(graph).variables.back();
  variable.data = {value.getBinary()};
  variable.isConstant = isConstant;
}

constexpr const char *PackVertex = "poplar::PackMetadata";
constexpr const char *PackSource = R"(
#include <poplar/Vertex.hpp>
namespace poplar {
class PackMetadata : public Vertex {
public:
  Input<int> scale;
  Output<unsigned char> metadata;
  bool is143;
  void compute() { *metadata = float8::pack({is143, *scale}); }
};
} // namespace poplar
)";

} // namespace

Tensor createConstantMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext) {
  const QuarterMetadata value(format, scale);
  const Tensor metadata = makeElement(graph, debugContext);
  setData(graph, value, true);
  return metadata;
}

Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format, int scale,
                                    const DebugContext &debugContext) {
  const QuarterMetadata value(format, scale);
  const Tensor metadata = makeElement(graph, debugContext);
  setData(graph, value, false);
  return metadata;
}

Tensor createVariableMetadataTensor(Graph &graph,
                                    QuarterMetadata::Format format,
                                    const Tensor &scale,
                                    program::Sequence &prog,
                                    const DebugContext &debugContext) {
  const Tensor metadata = makeElement(graph, debugContext);
  setMetadataTensor(graph, format, scale, metadata, prog, debugContext);
  return metadata;
}

void setMetadataTensor(Graph &graph, QuarterMetadata::Format format,
                       const Tensor &scale, const Tensor &metadata,
                       program::Sequence &prog,
                       const DebugContext &debugContext) {
  if (scale.elementType() != INT || scale.numElements() != 1)
    throw poplar_error("setMetadataTensor: the scale is " +
                       scale.getDebugStr() + ", but must be one INT");
  if (!core::checkedMetadata(Access::impl(graph), QUARTER, metadata))
    throw poplar_error("setMetadataTensor: there is no tensor to write to");
  if (!graph.hasCodelet(PackVertex)) {
    std::stringstream source(PackSource);
    graph.addCodelets(source);
  }
  const ComputeSet set = graph.addComputeSet({debugContext, "setMetadata"});
  const VertexRef vertex = graph.addVertex(
      set, PackVertex,
      {{"scale", scale.flatten()[0]}, {"metadata", metadata.flatten()[0]}});
  graph.setInitialValue(vertex["is143"],
                        format == QuarterMetadata::Format::F143);
  graph.setTileMapping(vertex, 0);
  prog.add(program::Execute(set, debugContext));
}

} // namespace poplar
