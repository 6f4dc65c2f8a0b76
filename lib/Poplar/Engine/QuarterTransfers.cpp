// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that both sides of a copy of quarters agree, and transfers their
// metadata to the host and back (Quarters.h).

#include "lib/Poplar/Graph/Quarters.h"

#include "lib/Poplar/Graph/Access.h"

#include <poplar/exceptions.hpp>

namespace poplar::core {

std::string metadataFact(const char *kind, const std::string &handle) {
  return std::string("quarter metadata of ") + kind + " '" + handle + "'";
}

void refuseQuarters(Type type, const std::string &what) {
  if (type == QUARTER)
    throw not_supported_error(
        what + ": elements of type quarter have no place for their metadata "
               "here; use Tensor::reinterpret(UNSIGNED_CHAR), or cast to HALF");
}

void requireSameMetadata(const std::string &where, const Tensor &source,
                         const Tensor &destination) {
  if (source.elementType() != QUARTER)
    return;
  const TensorView &from = Access::view(source),
                   &to = Access::view(destination);
  if (haveSameMetadata(from, to))
    return;
  const std::optional<QuarterMetadata> known = fixedMetadata(from);
  if (known && known == fixedMetadata(to))
    return;
  throw control_program_error(
      where + ": the metadata of the source " + source.getDebugStr() +
      " and of the destination " + destination.getDebugStr() +
      " differ, or may differ; popops::cast converts elements, and "
      "Tensor::reinterpret(UNSIGNED_CHAR) on both copies bits");
}

namespace {

std::shared_ptr<const StreamData> findStream(const GraphImpl &graph,
                                             const std::string &handle) {
  for (const auto &stream : graph.streams)
    if (stream->handle == handle)
      return stream;
  return nullptr;
}

[[noreturn]] void failMixed(const std::string &where,
                            const std::string &handle) {
  throw control_program_error(
      where + ": stream '" + handle +
      "' transfers tensors whose constant metadata differ, or of which only "
      "some are constant; use a stream for each");
}

} // namespace

std::optional<DataStream> metadataStream(const std::string &where,
                                         const DataStream &stream,
                                         const Tensor &tensor) {
  if (tensor.elementType() != QUARTER)
    return std::nullopt;
  tensor.getMetadata(); // throws if there are none
  const TensorView &view = Access::view(tensor);
  GraphImpl &graph = *view.graph;
  const StreamData &data = *Access::data(stream);
  const std::string handle = data.handle + populus::archive::MetadataSuffix;
  const std::string fact = metadataFact(StreamFact, data.handle);
  const auto own = findStream(graph, handle);
  if (const std::optional<QuarterMetadata> fixed = fixedMetadata(view)) {
    const auto known =
        graph.fixedMetadata.emplace(fact, fixed->getBinary()).first;
    if (own || known->second != fixed->getBinary())
      failMixed(where, data.handle);
    return std::nullopt;
  }
  if (graph.fixedMetadata.contains(fact))
    failMixed(where, data.handle);
  if (own)
    return Access::stream(own);
  auto metadata = std::make_shared<StreamData>();
  metadata->handle = handle;
  metadata->type = QUARTER_METADATA;
  metadata->numElements = 1;
  metadata->kind = data.kind;
  metadata->id = static_cast<std::uint32_t>(graph.streams.size());
  metadata->replicas = data.replicas;
  metadata->broadcast = data.kind == DataStreamType::HostToDeviceFIFO;
  graph.streams.push_back(metadata);
  return Access::stream(std::move(metadata));
}

void addMetadataHandle(GraphImpl &graph, const HostHandle &handle) {
  if (handle.tensor.type != QUARTER)
    return;
  if (!handle.tensor.metadata)
    throw poplar_error("host handle '" + handle.handle +
                       "': the tensor is of type quarter, but was made without "
                       "metadata");
  if (const auto fixed = fixedMetadata(handle.tensor)) {
    graph.fixedMetadata[metadataFact(TensorFact, handle.handle)] =
        fixed->getBinary();
    return;
  }
  graph.hostHandles.push_back({handle.handle + populus::archive::MetadataSuffix,
                               *handle.tensor.metadata, handle.readable,
                               handle.writable});
}

} // namespace poplar::core
