// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports in files, written as the options autoReport.* request and read back
// for printing.

#include "lib/Poplar/Report/Report.h"

#include "lib/Profile/ReportBuilder.h"
#include "lib/Profile/ReportFile.h"
#include "runtime/Support/OutputFile.h"

#include <poplar/Engine.hpp>
#include <pva/pva.hpp>

#include <filesystem>
#include <functional>
#include <iostream>

namespace poplar {

namespace profile = populus::profile;

namespace core {

namespace {

/// Writes a file with write(out), after the folder that it is in.
void writeFile(const std::filesystem::path &path, const char *option,
               const std::function<void(std::ostream &)> &write) {
  std::error_code failed;
  if (path.has_parent_path())
    std::filesystem::create_directories(path.parent_path(), failed);
  const std::string reason = populus::runtime::writeFile(path, write);
  if (!reason.empty())
    throw poplar_error("the report '" + path.string() +
                       "' cannot be written (engine option " + option +
                       "): " + reason);
}

constexpr const char *FolderOption = "autoReport.directory";

} // namespace

std::string writeReport(const std::string &folder,
                        const populus::report::Report &report) {
  const std::filesystem::path path =
      std::filesystem::path(folder) / profile::ReportFileName;
  const std::string bytes = profile::serializeReport(report);
  writeFile(path, FolderOption, [&](std::ostream &out) {
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
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

std::shared_ptr<const populus::report::Report>
readReport(const std::string &path) {
  try {
    return profile::readReport(path);
  } catch (const profile::ReportFileError &error) {
    throw file_load_error(error.what());
  }
}

} // namespace

void printGraphSummary(std::ostream &out, const std::string &profilePath,
                       const OptionFlags &options) {
  printGraphSummary(out, core::graphProfile(*readReport(profilePath)), options);
}

void printProfileSummary(std::ostream &out, const std::string &profilePath,
                         const OptionFlags &options) {
  const auto report = readReport(profilePath);
  printProfileSummary(out, core::graphProfile(*report),
                      report->has_execution() ? core::executionProfile(*report)
                                              : ProfileValue(),
                      options);
}

} // namespace poplar
