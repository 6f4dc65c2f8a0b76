// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formatter of --help. It removes the value that a flag without argument stands
// for ("--time{text}"), which CLI11 shows and users cannot interpret.

#ifndef POPULUS_TOOLS_HELPFORMATTER_H
#define POPULUS_TOOLS_HELPFORMATTER_H

#include <CLI/CLI.hpp>

namespace populus {

class HelpFormatter : public CLI::Formatter {
public:
  std::string make_option_name(const CLI::Option *option,
                               bool isPositional) const override {
    std::string name = CLI::Formatter::make_option_name(option, isPositional);
    for (std::size_t start; (start = name.find('{')) != std::string::npos;)
      name.erase(start, name.find('}', start) + 1 - start);
    return name;
  }
};

} // namespace populus

#endif
