// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strict parsing of string options with a table of keys and handlers. An
// unknown key or an invalid value throws poplar::invalid_option, which names
// the key and the valid values.

#ifndef POPULUS_POPUTIL_OPTIONPARSING_HPP
#define POPULUS_POPUTIL_OPTIONPARSING_HPP

#include <poplar/OptionFlags.hpp>

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

namespace poplibs {

/// Parsers of option values. Each throws std::invalid_argument with the valid
/// values.
namespace parse {

/// "true" or "false".
bool asBool(const std::string &value);
/// Parses an integer in [0, 2^32), hexadecimal if it begins with "0x".
unsigned asInteger(const std::string &value);
double asFloatingPoint(const std::string &value);
[[noreturn]] void throwBadEnum(const std::string &value,
                               const std::vector<std::string> &names);
template <class T>
T asEnum(const std::string &value,
         const std::vector<std::pair<std::string, T>> &map) {
  std::vector<std::string> names;
  for (const auto &entry : map) {
    if (entry.first == value)
      return entry.second;
    names.push_back(entry.first);
  }
  throwBadEnum(value, names);
}
template <class T>
T asEnum(const std::string &value, const std::map<std::string, T> &map) {
  return asEnum(value,
                std::vector<std::pair<std::string, T>>(map.begin(), map.end()));
}

} // namespace parse

/// Action for the value of one option.
class OptionHandler {
public:
  OptionHandler() = default;
  explicit OptionHandler(std::function<void(const std::string &)> handler)
      : handler(std::move(handler)) {}

  static OptionHandler createWithBool(bool &output);
  static OptionHandler createWithString(std::string &output);
  template <class T> static OptionHandler createWithInteger(T &output) {
    return OptionHandler([&output](const std::string &value) {
      output = static_cast<T>(parse::asInteger(value));
    });
  }
  static OptionHandler createWithDouble(double &output);
  /// \p min <= value <= \p max.
  static OptionHandler createWithDouble(double &output, double min, double max);
  /// \p map is a std::map, or a vector of pairs, from names to values; braces
  /// make a std::map.
  template <class T>
  static OptionHandler createWithEnum(T &output,
                                      const std::map<std::string, T> &map) {
    return createFromNames(output, map);
  }
  template <class T, class Names>
  static OptionHandler createWithEnum(T &output, const Names &map) {
    return createFromNames(output, map);
  }
  /// Parses values separated by commas, for vectors of integers, floating-point
  /// numbers or strings.
  static OptionHandler createWithList(std::vector<std::string> &output);
  template <class T>
  static OptionHandler createWithList(std::vector<T> &output) {
    return OptionHandler([&output](const std::string &value) {
      std::vector<std::string> texts;
      createWithList(texts)(value);
      std::vector<T> values;
      for (const std::string &text : texts)
        values.push_back(std::is_floating_point<T>::value
                             ? static_cast<T>(parse::asFloatingPoint(text))
                             : static_cast<T>(parse::asInteger(text)));
      output = values;
    });
  }

  void operator()(const std::string &value) const { handler(value); }

private:
  template <class T, class Names>
  static OptionHandler createFromNames(T &output, const Names &map) {
    return OptionHandler([&output, map](const std::string &value) {
      output = parse::asEnum(value, map);
    });
  }

  std::function<void(const std::string &)> handler;
};

#if __cplusplus >= 201703L
/// Accepts "none" as well.
inline OptionHandler
createOptionalDoubleHandler(std::optional<double> &output) {
  return OptionHandler([&output](const std::string &value) {
    if (value == "none")
      output = std::nullopt;
    else
      output = parse::asFloatingPoint(value);
  });
}
template <class T>
OptionHandler createOptionalEnumHandler(std::optional<T> &output,
                                        const std::map<std::string, T> &map) {
  return OptionHandler([&output, map](const std::string &value) {
    if (value == "none")
      output = std::nullopt;
    else
      output = parse::asEnum(value, map);
  });
}
#endif

class OptionSpec {
public:
  OptionSpec(std::initializer_list<std::pair<const std::string, OptionHandler>>
                 handlers)
      : handlers(handlers) {}

  void parse(const std::string &option, const std::string &value,
             bool ignoreUnknown = false) const;
  /// Parses all of \p options.
  void parse(const poplar::OptionFlags &options) const;

private:
  std::map<std::string, OptionHandler> handlers;
};

} // namespace poplibs

#endif
