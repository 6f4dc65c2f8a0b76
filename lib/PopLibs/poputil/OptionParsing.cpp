// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers for the kinds of option values, and the table that they stand in.

#include <poputil/OptionParsing.hpp>

#include <poplar/exceptions.hpp>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace poplibs {
namespace {

[[noreturn]] void bad(const std::string &value, const std::string &wanted) {
  throw std::invalid_argument("bad value '" + value + "', it must be " +
                              wanted);
}

/// Parses all of \p value with a function like strtoul.
template <class T, class F>
T parseNumber(const std::string &value, const std::string &wanted, F parse) {
  const char *text = value.c_str();
  char *end = nullptr;
  const T number = parse(text, &end);
  if (value.empty() || *end != '\0' || value.front() == ' ')
    bad(value, wanted);
  return number;
}

double parseDouble(const std::string &value, const std::string &wanted) {
  return parseNumber<double>(
      value, wanted, [](const char *s, char **e) { return std::strtod(s, e); });
}

} // namespace

namespace parse {

bool asBool(const std::string &value) {
  return asEnum(value, std::vector<std::pair<std::string, bool>>{
                           {"true", true}, {"false", false}});
}

unsigned asInteger(const std::string &value) {
  if (!value.empty() && value.front() == '-')
    bad(value, "an integer of at least 0");
  const auto number = parseNumber<unsigned long>(
      value, "an integer of at least 0",
      [](const char *s, char **e) { return std::strtoul(s, e, 0); });
  if (number > 0xffffffffu)
    bad(value, "below 2^32");
  return static_cast<unsigned>(number);
}

double asFloatingPoint(const std::string &value) {
  return parseDouble(value, "a number");
}

void throwBadEnum(const std::string &value,
                  const std::vector<std::string> &names) {
  std::string wanted = "one of";
  for (const std::string &name : names)
    wanted += (&name == &names.front() ? " '" : ", '") + name + "'";
  bad(value, wanted);
}

} // namespace parse

OptionHandler OptionHandler::createWithBool(bool &output) {
  return OptionHandler(
      [&output](const std::string &value) { output = parse::asBool(value); });
}

OptionHandler OptionHandler::createWithString(std::string &output) {
  return OptionHandler([&output](const std::string &value) { output = value; });
}

OptionHandler OptionHandler::createWithDouble(double &output) {
  return OptionHandler([&output](const std::string &value) {
    output = parse::asFloatingPoint(value);
  });
}

OptionHandler OptionHandler::createWithDouble(double &output, double min,
                                              double max) {
  return OptionHandler([&output, min, max](const std::string &value) {
    const std::string wanted =
        "a number from " + std::to_string(min) + " to " + std::to_string(max);
    const double number = parseDouble(value, wanted);
    if (!(number >= min && number <= max))
      bad(value, wanted);
    output = number;
  });
}

OptionHandler OptionHandler::createWithList(std::vector<std::string> &output) {
  return OptionHandler([&output](const std::string &value) {
    output.clear();
    for (std::size_t begin = 0; begin <= value.size() && !value.empty();) {
      const std::size_t end = std::min(value.find(',', begin), value.size());
      output.push_back(value.substr(begin, end - begin));
      begin = end + 1;
    }
  });
}

void OptionSpec::parse(const std::string &option, const std::string &value,
                       bool ignoreUnknown) const {
  const auto handler = handlers.find(option);
  if (handler == handlers.end()) {
    if (ignoreUnknown)
      return;
    std::string known;
    for (const auto &entry : handlers)
      known += (known.empty() ? "" : ", ") + entry.first;
    throw poplar::invalid_option("unknown option '" + option +
                                 "'; the options are " + known);
  }
  try {
    handler->second(value);
  } catch (const std::invalid_argument &e) {
    throw poplar::invalid_option("option '" + option + "': " + e.what());
  }
}

void OptionSpec::parse(const poplar::OptionFlags &options) const {
  for (const auto &entry : options)
    parse(entry.first, entry.second);
}

} // namespace poplibs
