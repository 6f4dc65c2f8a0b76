// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Config.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace populus::poprun {

Values readConfig(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw UsageError("--import-config: cannot read '" + path +
                     "': " + std::strerror(errno));
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object())
    throw UsageError("--import-config: '" + path +
                     "' is no JSON object with options");
  Values values;
  for (const auto &[name, value] : json.items()) {
    if (!isOption(name))
      throw UsageError("--import-config: '" + path + "': there is no option '" +
                       name + "'");
    values[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return values;
}

void writeConfig(const std::string &path, const Values &values,
                 bool mayOverwrite) {
  if (!mayOverwrite && std::filesystem::exists(path))
    throw UsageError("--export-config: '" + path +
                     "' exists; --overwrite-config=1 replaces it");
  nlohmann::json json = nlohmann::json::object();
  for (const auto &[name, value] : values)
    if (!name.ends_with("-config"))
      json[name] = value;
  std::ofstream file(path);
  file << json.dump(2) << '\n';
  if (!file.flush())
    throw UsageError("--export-config: cannot write '" + path + "'");
}

} // namespace populus::poprun
