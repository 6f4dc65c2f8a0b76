// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor names its file and perhaps offset and length, as texts. Nothing of
// that is trusted: the file must lie in the folder once all links are followed,
// and must have the bytes that the tensor's shape asks for.

#include "lib/PopART/Import/ExternalData.h"

#include "lib/PopART/IR/DataType.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/onnx_pb.h>

#include <charconv>
#include <fstream>
#include <map>

namespace populus::popir {

namespace fs = std::filesystem;

namespace {

class Loader {
public:
  Loader(const fs::path &folder, FileTrust trust) : trust(trust) {
    std::error_code error;
    root = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, error);
  }

  void loadAll(onnx::GraphProto &graph) {
    for (onnx::TensorProto &tensor : *graph.mutable_initializer())
      load(tensor);
    for (onnx::NodeProto &node : *graph.mutable_node())
      for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
        if (attribute.has_t())
          load(*attribute.mutable_t());
        if (attribute.has_g())
          loadAll(*attribute.mutable_g());
      }
  }

  void throwIfAny() const {
    if (!problems.empty())
      failInput("{}", fmt::join(problems, "; "));
  }

  bool hasLoaded() const { return loadedAny; }

private:
  using Entries = std::map<std::string, std::string>;

  void load(onnx::TensorProto &tensor) {
    if (tensor.data_location() != onnx::TensorProto::EXTERNAL)
      return;
    Entries entries;
    for (const onnx::StringStringEntryProto &entry : tensor.external_data())
      entries[entry.key()] = entry.value();
    try {
      tensor.set_raw_data(read(tensor, entries));
      tensor.clear_external_data();
      tensor.set_data_location(onnx::TensorProto::DEFAULT);
      loadedAny = true;
    } catch (const Error &error) {
      problems.push_back(error.what());
    }
  }

  std::string read(const onnx::TensorProto &tensor,
                   const Entries &entries) const {
    fs::path path = locate(tensor, entries);
    std::error_code error;
    std::uintmax_t size = fs::file_size(path, error);
    std::uint64_t offset = number(tensor, entries, "offset", 0);
    std::uint64_t wanted = bytesOf(tensor);
    std::uint64_t length = number(tensor, entries, "length", wanted);
    if (error || offset > size || length > size - offset || length != wanted)
      failInput("the data of tensor '{}' is {} bytes at {} of '{}', which has "
                "{}; the shape needs {}",
                tensor.name(), length, offset, path.filename().string(),
                error ? 0 : size, wanted);
    std::string bytes(length, '\0');
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(bytes.data(), static_cast<std::streamsize>(length));
    if (!file)
      failInput("the data of tensor '{}' in '{}' cannot be read", tensor.name(),
                path.string());
    return bytes;
  }

  fs::path locate(const onnx::TensorProto &tensor,
                  const Entries &entries) const {
    auto location = entries.find("location");
    if (location == entries.end())
      failInput("tensor '{}' is in another file, and does not say which",
                tensor.name());
    std::error_code error;
    fs::path path = fs::weakly_canonical(root / location->second, error);
    fs::path inside = path.lexically_relative(root);
    const bool isOutside = inside.empty() || *inside.begin() == "..";
    if (error || (isOutside && trust == FileTrust::Folder))
      failInput("tensor '{}' is in '{}', outside of the model's folder, where "
                "nothing is read",
                tensor.name(), location->second);
    if (!fs::is_regular_file(path, error))
      failInput("tensor '{}' is in '{}', which is not there; put it beside the "
                "model",
                tensor.name(), location->second);
    return path;
  }

  static std::uint64_t number(const onnx::TensorProto &tensor,
                              const Entries &entries, const std::string &key,
                              std::uint64_t fallback) {
    auto found = entries.find(key);
    if (found == entries.end())
      return fallback;
    const std::string &text = found->second;
    std::uint64_t value = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      failInput("tensor '{}' has the {} '{}', which is not a number",
                tensor.name(), key, text);
    return value;
  }

  static std::uint64_t bytesOf(const onnx::TensorProto &tensor) {
    std::optional<DataType> type = fromOnnx(tensor.data_type());
    if (!type)
      failUnsupported("tensor '{}' has an element type that is not supported",
                      tensor.name());
    Shape shape(tensor.dims().begin(), tensor.dims().end());
    std::optional<std::int64_t> count =
        checkedNumElements(shape, sizeOf(*type));
    if (!count)
      failInput("tensor '{}' has the impossible shape {}", tensor.name(),
                toString(shape));
    return *count * sizeOf(*type);
  }

  fs::path root;
  FileTrust trust;
  std::vector<std::string> problems;
  bool loadedAny = false;
};

} // namespace

bool loadExternalData(onnx::ModelProto &model, const fs::path &folder,
                      FileTrust trust) {
  Loader loader(folder, trust);
  loader.loadAll(*model.mutable_graph());
  loader.throwIfAny();
  return loader.hasLoaded();
}

} // namespace populus::popir
