// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strict parsing of string options: a table of keys and handlers; an unknown
// key or a bad value throws poplar::invalid_option with the key and what is
// allowed.

#ifndef POPULUS_POPUTIL_OPTIONPARSING_HPP
#define POPULUS_POPUTIL_OPTIONPARSING_HPP

#include <poplar/OptionFlags.hpp>

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace poplibs {

/// What to do with the value of one option.
class OptionHandler {
public:
  OptionHandler() = default;
  explicit OptionHandler(std::function<void(const std::string &)> parse)
      : parse(std::move(parse)) {}

  static OptionHandler createWithBool(bool &output);
  static OptionHandler createWithString(std::string &output);
  static OptionHandler createWithInteger(unsigned &output);
  /// \p min <= value <= \p max.
  static OptionHandler createWithDouble(double &output, double min, double max);
  template <class T>
  static OptionHandler
  createWithEnum(T &output, const std::vector<std::pair<std::string, T>> &map) {
    return OptionHandler([&output, map](const std::string &value) {
      std::vector<std::string> names;
      for (const auto &entry : map) {
        if (entry.first == value) {
          output = entry.second;
          return;
        }
        names.push_back(entry.first);
      }
      throwBadEnum(value, names);
    });
  }

  void operator()(const std::string &value) const { parse(value); }

private:
  [[noreturn]] static void throwBadEnum(const std::string &value,
                                        const std::vector<std::string> &names);
  std::function<void(const std::string &)> parse;
};

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
