// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// External files hold the elements of one initializer after the other, in
// little-endian order. The tensor names file, offset and length as text.

#include "lib/PopART/Interface/ExternalWeights.h"

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Interface/Translated.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <charconv>
#include <fstream>

namespace popart::session {

using namespace populus::popir;

namespace {

std::string entryOf(const onnx::TensorProto &tensor, const char *key) {
  for (const onnx::StringStringEntryProto &entry : tensor.external_data())
    if (entry.key() == key)
      return entry.value();
  return {};
}

std::uint64_t numberOf(const onnx::TensorProto &tensor, const char *key) {
  const std::string text = entryOf(tensor, key);
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void addEntry(onnx::TensorProto &tensor, const char *key, std::string value) {
  onnx::StringStringEntryProto &entry = *tensor.add_external_data();
  entry.set_key(key);
  entry.set_value(std::move(value));
}

/// Writes to a new or an existing file.
class Writer {
public:
  explicit Writer(const std::string &path, bool isNew = false) : path(path) {
    using std::ios;
    const ios::openmode both = ios::in | ios::out | ios::binary;
    if (!isNew)
      file.open(path, both);
    if (!file.is_open())
      file.open(path, both | ios::trunc);
    check();
  }

  void write(std::uint64_t offset, const HostTensor &value) {
    file.seekp(static_cast<std::streamoff>(offset));
    file.write(reinterpret_cast<const char *>(value.bytes().data()),
               static_cast<std::streamsize>(value.bytes().size()));
    file.flush();
    check();
  }

private:
  void check() {
    if (!file)
      failInput("Failed to open file {} for the elements of initializers",
                path);
  }

  std::string path;
  std::fstream file;
};

const onnx::TensorProto &initializerOf(const onnx::GraphProto &graph,
                                       const std::string &id) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (tensor.name() == id)
      return tensor;
  failInput("the model has no initializer '{}' whose elements could be kept in "
            "a file",
            id);
}

std::uint64_t sizeInBytes(const onnx::TensorProto &tensor) {
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  return static_cast<std::uint64_t>(numElements(shape)) *
         sizeOf(fromOnnx(tensor.data_type()).value_or(DataType::Float));
}

/// End offset of the elements in a file; 0 if there are none.
std::uint64_t endIn(const onnx::GraphProto &graph, const std::string &path,
                    const ExternalPlaces &places) {
  std::uint64_t end = 0;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    const auto place = places.find(tensor.name());
    if (place != places.end() && place->second.path == path)
      end = std::max(end, place->second.offset + sizeInBytes(tensor));
  }
  return end;
}

} // namespace

ExternalPlaces placesOf(const onnx::ModelProto &model) {
  ExternalPlaces places;
  for (const onnx::TensorProto &tensor : model.graph().initializer())
    if (tensor.data_location() == onnx::TensorProto::EXTERNAL)
      places[tensor.name()] = {entryOf(tensor, "location"),
                               numberOf(tensor, "offset")};
  return places;
}

void saveExternally(const onnx::GraphProto &graph,
                    const std::vector<std::string> &ids,
                    const std::string &path, ExternalPlaces &places) {
  for (const std::string &id : ids)
    if (initializerOf(graph, id); places.contains(id))
      failInput("the elements of '{}' are in the file {} already", id,
                places.at(id).path);
  std::uint64_t end = endIn(graph, path, places);
  Writer writer(path, end == 0);
  for (const std::string &id : ids) {
    const HostTensor value = importTensor(initializerOf(graph, id));
    writer.write(end, value);
    places[id] = {path, end};
    end += value.bytes().size();
  }
}

void writeElements(const onnx::GraphProto &graph,
                   const ExternalPlaces &places) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (const auto place = places.find(tensor.name()); place != places.end())
      Writer(place->second.path)
          .write(place->second.offset, importTensor(tensor));
}

void referTo(const ExternalPlaces &places, onnx::GraphProto &graph) {
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    const auto place = places.find(tensor.name());
    if (place == places.end())
      continue;
    onnx::TensorProto reference;
    reference.set_name(tensor.name());
    reference.set_data_type(tensor.data_type());
    *reference.mutable_dims() = tensor.dims();
    reference.set_data_location(onnx::TensorProto::EXTERNAL);
    addEntry(reference, "location", place->second.path);
    addEntry(reference, "offset", std::to_string(place->second.offset));
    addEntry(reference, "length", std::to_string(sizeInBytes(tensor)));
    tensor = std::move(reference);
  }
}

void writeElements(const std::string &model, const ExternalPlaces &places) {
  translated(
      [&] { writeElements(parseModel(model, "the model").graph(), places); });
}

std::string referring(const std::string &model, const ExternalPlaces &places) {
  return translated([&] {
    onnx::ModelProto proto = parseModel(model, "the model");
    referTo(places, *proto.mutable_graph());
    return proto.SerializeAsString();
  });
}

} // namespace popart::session
