// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports in files: written where the options autoReport.* ask for them, read
// back to be printed.

#include "lib/Poplar/Report.h"

#include "lib/Poplar/EngineImpl.h"
#include "lib/Profile/ReportFile.h"

#include <poplar/Engine.hpp>
#include <pva/pva.hpp>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

namespace poplar {

namespace profile = populus::profile;

namespace core {

std::vector<std::uint8_t> makeReport(const ProfileValue &graph,
                                     const ProfileValue *execution) {
  ProfileValue::Map report{{"version", versionString().cloneAsString()},
                           {"packageHash", packageHash().cloneAsString()},
                           {"graph", graph}};
  if (execution)
    report["execution"] = *execution;
  std::ostringstream out;
  out << profile::ReportMagic;
  serializeToCBOR(out, report);
  const std::string text = out.str();
  return {text.begin(), text.end()};
}

namespace {

/// Writes a file with write(out), after the folder that it is in.
template <typename Write>
void writeFile(const std::filesystem::path &path, const char *option,
               Write write) {
  std::error_code failed;
  if (path.has_parent_path())
    std::filesystem::create_directories(path.parent_path(), failed);
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (out)
    write(out);
  if (!out.flush())
    throw poplar_error("the report '" + path.string() +
                       "' cannot be written (engine option " + option + ")");
}

constexpr const char *FolderOption = "autoReport.directory";

} // namespace

std::string writeReport(const std::string &folder, const ProfileValue &graph,
                        const ProfileValue *execution) {
  const std::filesystem::path path =
      std::filesystem::path(folder) / profile::ReportFileName;
  const std::vector<std::uint8_t> bytes = makeReport(graph, execution);
  writeFile(path, FolderOption, [&](std::ostream &out) {
    out.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  });
  return path.string();
}

void writeGraph(const std::string &folder, const Graph &graph,
                ArrayRef<program::Program> programs) {
  writeFile(std::filesystem::path(folder) / "serialized_graph.cbor",
            FolderOption, [&](std::ostream &out) {
              graph.serialize(out, programs, SerializationFormat::Binary);
            });
}

void writeVariables(const EngineOptions &options,
                    const std::vector<VariablePlace> &places) {
  const auto write = [&](std::ostream &out) {
    out << '[';
    for (const VariablePlace &place : places) {
      out << (&place == places.data() ? "\n" : ",\n");
      serializeToJSON(out, ProfileValue::Map{{"name", place.name},
                                             {"category", place.category},
                                             {"tile", place.tile},
                                             {"address", place.address},
                                             {"bytes", place.bytes},
                                             {"alwaysLive", place.alwaysLive}});
    }
    out << "\n]\n";
  };
  if (options.reportVariables)
    writeFile(std::filesystem::path(options.reportFolder) / "vars.json",
              FolderOption, write);
  if (!options.variablesFile.empty())
    writeFile(options.variablesFile, "debug.loweredVarDumpFile", write);
}

void writeSummary(const std::string &destination, const ProfileValue &graph) {
  if (destination == "stdout")
    printGraphSummary(std::cout, graph);
  else if (destination == "stderr")
    printGraphSummary(std::cerr, graph);
  else
    writeFile(destination, "debug.graphReportDestination",
              [&](std::ostream &out) { printGraphSummary(out, graph); });
}

} // namespace core

namespace {

/// A report as a value.
ProfileValue readReport(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::string magic(profile::ReportMagic.size(), '\0');
  if (!in.read(magic.data(), static_cast<std::streamsize>(magic.size())))
    throw file_load_error("there is no report '" + path + "'");
  if (magic != profile::ReportMagic)
    throw file_load_error("'" + path + "' is not a report of this version");
  const std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(in)),
                                        std::istreambuf_iterator<char>());
  return core::profileFromCbor(bytes, path);
}

} // namespace

pva::Report Engine::getReport(bool reportExecution) {
  const ProfileValue graph = getGraphProfile();
  if (!reportExecution || !held().loaded)
    return pva::Report::parse(core::makeReport(graph, nullptr), "the report");
  const ProfileValue execution = getExecutionProfile();
  return pva::Report::parse(core::makeReport(graph, &execution), "the report");
}

void printGraphSummary(std::ostream &out, const std::string &profilePath,
                       const OptionFlags &options) {
  printGraphSummary(out, readReport(profilePath)["graph"], options);
}

void printProfileSummary(std::ostream &out, const std::string &profilePath,
                         const OptionFlags &options) {
  const ProfileValue report = readReport(profilePath);
  const ProfileValue *execution = report.getOrNull("execution");
  printProfileSummary(out, report["graph"],
                      execution ? *execution : ProfileValue(), options);
}

} // namespace poplar
