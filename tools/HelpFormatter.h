// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The form of --help, the same for every tool that uses CLI11: descriptions are
// wrapped at 100 columns, and an option shows its values only. CLI11 would also
// print the options that it excludes, and the value that a flag without
// argument stands for ("--time{text}"), which users cannot interpret.

#ifndef POPULUS_TOOLS_HELPFORMATTER_H
#define POPULUS_TOOLS_HELPFORMATTER_H

#include <CLI/CLI.hpp>

#include <algorithm>
#include <sstream>

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

  std::string make_option_opts(const CLI::Option *option) const override {
    std::string text = CLI::Formatter::make_option_opts(option);
    for (const char *relation : {" Needs:", " Excludes:"})
      text.erase(std::min(text.find(relation), text.size()));
    return text;
  }

  std::string make_description(const CLI::App *app) const override {
    return wrapped(CLI::Formatter::make_description(app), LineLength) + '\n';
  }

  std::string make_footer(const CLI::App *app) const override {
    return app->get_footer().empty()
               ? ""
               : wrapped(app->get_footer(), LineLength) + '\n';
  }

  std::string make_option_desc(const CLI::Option *option) const override {
    return wrapped(option->get_description(), LineLength - get_column_width());
  }

private:
  static constexpr std::size_t LineLength = 100;

  /// The words of `text` in lines of at most `width` characters; line breaks of
  /// the text stay, and so do columns of lines that fit.
  static std::string wrapped(const std::string &text, std::size_t width) {
    std::string result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::size_t column = 0;
      std::istringstream words(line);
      if (!result.empty())
        result += '\n';
      if (line.size() <= width) {
        result += line;
        continue;
      }
      for (std::string word; words >> word;) {
        if (column != 0 && column + 1 + word.size() > width) {
          result += '\n';
          column = 0;
        } else if (column != 0) {
          result += ' ';
          ++column;
        }
        result += word;
        column += word.size();
      }
    }
    return result;
  }
};

} // namespace populus

#endif
