// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// lcov counts executions of lines, so a line has the count of its bundle that
// ran most; a line whose code never ran has 0. Stacks have three frames: the
// vertex type, the function, and the line.

#include "lib/Profile/SourceExport.h"
#include "lib/Profile/Pprof.pb.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::profile {

namespace {

struct FunctionFigures {
  std::uint32_t line;
  std::uint64_t times;
};
using Functions =
    std::map<std::string, std::map<std::string, FunctionFigures>>; // by file

/// The first line of each function and the executions of its first code.
Functions functionsOf(const std::vector<SourceLine> &lines) {
  Functions functions;
  for (const SourceLine &line : lines)
    if (line.line != 0) {
      FunctionFigures &function =
          functions[line.file]
              .try_emplace(line.function,
                           FunctionFigures{line.line, line.figures.times})
              .first->second;
      function.line = std::min(function.line, line.line);
    }
  return functions;
}

/// Builds the tables of a profile.
class Tables {
public:
  pprof::Profile profile;

  Tables() { text(""); }

  std::int64_t text(const std::string &name) {
    const auto [place, isNew] =
        texts.emplace(name, static_cast<std::int64_t>(texts.size()));
    if (isNew)
      profile.add_string_table(name);
    return place->second;
  }

  std::uint64_t location(const std::string &name, const std::string &file,
                         std::uint32_t line) {
    const auto [place, isNew] =
        locations.emplace(std::tuple(name, file, line), locations.size() + 1);
    if (isNew) {
      pprof::Location &location = *profile.add_location();
      location.set_id(place->second);
      pprof::Line &entry = *location.add_line();
      entry.set_function_id(function(name, file));
      entry.set_line(line);
    }
    return place->second;
  }

private:
  std::uint64_t function(const std::string &name, const std::string &file) {
    const auto [place, isNew] =
        functions.emplace(std::pair(name, file), functions.size() + 1);
    if (isNew) {
      pprof::Function &function = *profile.add_function();
      function.set_id(place->second);
      function.set_name(text(name));
      function.set_system_name(text(name));
      function.set_filename(text(file));
    }
    return place->second;
  }

  std::map<std::string, std::int64_t> texts;
  std::map<std::tuple<std::string, std::string, std::uint32_t>, std::uint64_t>
      locations;
  std::map<std::pair<std::string, std::string>, std::uint64_t> functions;
};

/// A frame's name without what separates frames.
std::string frame(std::string name) {
  std::replace(name.begin(), name.end(), ';', ':');
  return name;
}

} // namespace

std::string makeLcov(const std::vector<SourceLine> &lines) {
  std::string text;
  const Functions functions = functionsOf(lines);
  for (const auto &[file, counted] : byFile(lines)) {
    text += fmt::format("TN:\nSF:{}\n", file);
    std::size_t called = 0, executed = 0;
    for (const auto &[name, function] : functions.at(file))
      text += fmt::format("FN:{},{}\n", function.line, name);
    for (const auto &[name, function] : functions.at(file)) {
      text += fmt::format("FNDA:{},{}\n", function.times, name);
      called += function.times != 0;
    }
    text += fmt::format("FNF:{}\nFNH:{}\n", functions.at(file).size(), called);
    for (const auto &[line, figures] : counted) {
      text += fmt::format("DA:{},{}\n", line, figures.times);
      executed += figures.times != 0;
    }
    text +=
        fmt::format("LF:{}\nLH:{}\nend_of_record\n", counted.size(), executed);
  }
  return text;
}

std::string makePprof(const std::vector<SourceLine> &lines) {
  Tables tables;
  for (const auto &[type, unit] :
       {std::pair("cycles", "cycles"), std::pair("stalls", "cycles"),
        std::pair("bundles", "count")}) {
    pprof::ValueType &value = *tables.profile.add_sample_type();
    value.set_type(tables.text(type));
    value.set_unit(tables.text(unit));
  }
  tables.profile.set_default_sample_type(tables.text("cycles"));
  for (const SourceLine &line : lines) {
    if (line.figures.bundles == 0)
      continue;
    pprof::Sample &sample = *tables.profile.add_sample();
    sample.add_location_id(
        tables.location(line.function, line.file, line.line));
    sample.add_location_id(tables.location(line.vertex, "", 0));
    for (std::uint64_t value :
         {line.figures.cycles, line.figures.stalls, line.figures.bundles})
      sample.add_value(static_cast<std::int64_t>(value));
  }
  return tables.profile.SerializeAsString();
}

std::string makeFolded(const std::vector<SourceLine> &lines) {
  std::string text;
  for (const SourceLine &line : lines)
    if (line.figures.cycles != 0)
      text += fmt::format(
          "{};{};{} {}\n", frame(line.vertex), frame(line.function),
          line.line == 0
              ? "without a line"
              : frame(fmt::format("{}:{}",
                                  line.file.substr(line.file.rfind('/') + 1),
                                  line.line)),
          line.figures.cycles);
  return text;
}

} // namespace populus::profile
