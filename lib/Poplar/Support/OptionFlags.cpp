// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options from JSON text and from the environment.

#include <poplar/OptionFlags.hpp>

#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include "runtime/Support/InputStream.h"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace poplar {

namespace {

void read(const nlohmann::json &json, const std::string &where,
          OptionFlags &flags) {
  if (!json.is_object())
    throw parse_error(where + ": not a JSON object of options");
  for (const auto &[key, value] : json.items()) {
    if (value.is_structured() || value.is_null())
      throw parse_error(where + ": the value of '" + key +
                        "' is not a string, number or boolean");
    flags.set(key, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

void read(const std::string &text, const std::string &where,
          OptionFlags &flags) {
  const nlohmann::json json =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    throw parse_error(where + ": not valid JSON: " + text);
  read(json, where, flags);
}

} // namespace

std::ostream &operator<<(std::ostream &out, const OptionFlags &flags) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto &[key, value] : flags)
    json[key] = value;
  return out << json.dump();
}

ProfileValue getAsProfileValue(const OptionFlags &flags) {
  return ProfileValue::Map(flags.begin(), flags.end());
}

void readJSON(const std::string &text, OptionFlags &flags) {
  read(text, "the options", flags);
}

void readJSON(std::istream &input, OptionFlags &flags) {
  readJSON(populus::runtime::readAll<std::string>(input), flags);
}

void readJSONFromEnv(StringRef variable, OptionFlags &flags) {
  const std::string name = variable;
  if (const char *text = std::getenv(name.c_str()))
    if (*text)
      read(std::string(text), "environment variable " + name, flags);
}

} // namespace poplar
