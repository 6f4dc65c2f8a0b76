// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of outputs. In JSON a number is written as it is printed by "%.17g" or
// shorter, so that it reads back as the same number; what JSON has no number
// for is one of the strings "nan", "inf" and "-inf".

#include "Outputs.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

namespace populus::run {

namespace {

nlohmann::ordered_json elementJson(const HostTensor &tensor,
                                   std::uint64_t index) {
  const runtime::ElementTypeInfo &type = runtime::info(tensor.type);
  if (tensor.type == ElementType::Bool)
    return elementAsDouble(tensor, index) != 0;
  if (!type.isFloatingPoint) {
    // A double would lose the last bits of 64-bit integers.
    std::int64_t value = 0;
    const std::size_t bytes = tensor.elementBytes();
    std::memcpy(&value, tensor.data.data() + index * bytes, bytes);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(bytes);
    const std::uint64_t shifted = static_cast<std::uint64_t>(value) << unused;
    if (type.isSigned)
      return static_cast<std::int64_t>(shifted) >> unused;
    return shifted >> unused;
  }
  const double value = elementAsDouble(tensor, index);
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return value;
}

std::string asJson(const std::vector<Streams::Output> &outputs) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto &[name, value] : outputs) {
    nlohmann::ordered_json data = nlohmann::ordered_json::array();
    for (std::uint64_t i = 0; i != value.numElements(); ++i)
      data.push_back(elementJson(value, i));
    json[name] = {{"type", runtime::name(value.type)},
                  {"shape", value.shape},
                  {"data", std::move(data)}};
  }
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

} // namespace

std::vector<std::string> npyNames(const std::vector<Streams::Output> &outputs) {
  const auto with = [](const std::string &name, const char *slash) {
    std::string file;
    for (char c : name)
      file += c == '/' ? slash : std::string(1, c);
    return file;
  };
  std::set<std::string> taken;
  for (const auto &[name, value] : outputs)
    if (with(name, "_") == name)
      taken.insert(name);
  std::vector<std::string> files;
  for (const auto &[name, value] : outputs) {
    std::string file = with(name, "_");
    if (file != name) {
      if (taken.contains(file))
        file = with(name, "%2F");
      while (!taken.insert(file).second)
        file += "_";
    }
    files.push_back(file + ".npy");
  }
  return files;
}

void writeOutputs(const std::vector<Streams::Output> &outputs,
                  const std::filesystem::path &folder,
                  const std::string &format) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw InputError("cannot create the directory " + folder.string() + ": " +
                     error.message());
  if (format == "json") {
    const std::string text = asJson(outputs);
    writeFile(
        folder / "outputs.json",
        {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()});
  } else if (format == "npz") {
    std::vector<HostTensor> arrays;
    for (const auto &[name, value] : outputs) {
      arrays.push_back(value);
      arrays.back().name = name;
    }
    writeNpz(arrays, folder / "outputs.npz");
  } else {
    const std::vector<std::string> files = npyNames(outputs);
    for (std::size_t i = 0; i != outputs.size(); ++i)
      writeNpy(outputs[i].value, folder / files[i]);
  }
}

} // namespace populus::run
