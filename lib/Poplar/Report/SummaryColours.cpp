// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps have the colours that they have in viewers of profiles.

#include "lib/Poplar/Report/SummaryColours.h"

#include <cstdlib>
#include <iostream>
#include <string_view>
#include <unistd.h>

namespace poplar::core {

namespace {

bool isTerminal(const std::ostream &out) {
  if (out.rdbuf() == std::cout.rdbuf())
    return ::isatty(STDOUT_FILENO) != 0;
  return out.rdbuf() == std::cerr.rdbuf() && ::isatty(STDERR_FILENO) != 0;
}

std::string_view valueOf(const char *variable) {
  const char *value = std::getenv(variable);
  return value ? value : "";
}

/// The variables override the option, as the user guide says. Terminals that
/// know no colours call themselves dumb, and NO_COLOR stands for no colours
/// unless the option asks for them (https://no-color.org).
bool areWanted(const std::ostream &out, const OptionFlags &options) {
  const std::string_view force = valueOf("CLICOLOR_FORCE");
  if (!force.empty() && force != "0")
    return true;
  if (valueOf("CLICOLOR") == "0")
    return false;
  const auto option = options.find("colours");
  if (option != options.end())
    return option->second == "true";
  return isTerminal(out) && valueOf("TERM") != "dumb" &&
         valueOf("NO_COLOR").empty();
}

const char *codeOf(Colour colour) {
  switch (colour) {
  case Colour::Heading:
    return "1"; // bold
  case Colour::Compute:
    return "31"; // red
  case Colour::Exchange:
    return "36"; // light blue
  case Colour::Host:
    return "35"; // orange has no code
  case Colour::Sync:
    return "33"; // yellow
  case Colour::Wrong:
    return "1;31";
  }
  return "0";
}

} // namespace

SummaryColours::SummaryColours(const std::ostream &out,
                               const OptionFlags &options)
    : areOn(areWanted(out, options)) {}

std::string SummaryColours::operator()(Colour colour,
                                       const std::string &text) const {
  return areOn ? "\033[" + std::string(codeOf(colour)) + "m" + text + "\033[0m"
               : text;
}

} // namespace poplar::core
