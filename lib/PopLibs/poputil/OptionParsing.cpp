// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handlers for the kinds of option values, and the table that they stand in.

#include <poputil/OptionParsing.hpp>

#include <poplar/exceptions.hpp>

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

} // namespace

OptionHandler OptionHandler::createWithBool(bool &output) {
  return createWithEnum(output, std::vector<std::pair<std::string, bool>>{
                                    {"true", true}, {"false", false}});
}

OptionHandler OptionHandler::createWithString(std::string &output) {
  return OptionHandler([&output](const std::string &value) { output = value; });
}

OptionHandler OptionHandler::createWithInteger(unsigned &output) {
  return OptionHandler([&output](const std::string &value) {
    if (!value.empty() && value.front() == '-')
      bad(value, "an integer of at least 0");
    const auto number = parseNumber<unsigned long>(
        value, "an integer of at least 0",
        [](const char *s, char **e) { return std::strtoul(s, e, 0); });
    if (number > 0xffffffffu)
      bad(value, "below 2^32");
    output = static_cast<unsigned>(number);
  });
}

OptionHandler OptionHandler::createWithDouble(double &output, double min,
                                              double max) {
  return OptionHandler([&output, min, max](const std::string &value) {
    const std::string wanted =
        "a number from " + std::to_string(min) + " to " + std::to_string(max);
    const double number =
        parseNumber<double>(value, wanted, [](const char *s, char **e) {
          return std::strtod(s, e);
        });
    if (!(number >= min && number <= max))
      bad(value, wanted);
    output = number;
  });
}

void OptionHandler::throwBadEnum(const std::string &value,
                                 const std::vector<std::string> &names) {
  std::string wanted = "one of";
  for (const std::string &name : names)
    wanted += (&name == &names.front() ? " '" : ", '") + name + "'";
  bad(value, wanted);
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
