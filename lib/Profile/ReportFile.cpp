// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports to bytes and back.

#include "lib/Profile/ReportFile.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace populus::profile {

std::string serializeReport(const report::Report &report) {
  std::string bytes(ReportMagic);
  report.AppendToString(&bytes);
  return bytes;
}

std::shared_ptr<const report::Report> parseReport(std::string_view bytes,
                                                  const std::string &name) {
  if (bytes.size() < ReportMagic.size() ||
      bytes.substr(0, ReportMagic.size() - 1) !=
          ReportMagic.substr(0, ReportMagic.size() - 1))
    throw ReportFileError(name + " is not a report");
  const auto version =
      static_cast<unsigned char>(bytes[ReportMagic.size() - 1]);
  if (version != static_cast<unsigned char>(ReportMagic.back()))
    throw ReportFileError(
        name + " is a report of another version, " + std::to_string(version) +
        "; make it anew, or use the tools that it was made with");
  bytes.remove_prefix(ReportMagic.size());
  auto report = std::make_shared<report::Report>();
  if (bytes.size() > std::numeric_limits<int>::max() ||
      !report->ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    throw ReportFileError(name + " is damaged: it ends too early, or is not "
                                 "what was written");
  const std::string wrong = contradictionIn(*report);
  if (!wrong.empty())
    throw ReportFileError(name + " is damaged: " + wrong);
  return report;
}

std::shared_ptr<const report::Report> readReport(const std::string &path) {
  std::filesystem::path file = path;
  std::error_code failed;
  if (std::filesystem::is_directory(file, failed)) {
    file /= ReportFileName;
    if (!std::filesystem::exists(file, failed))
      throw ReportFileError("there is no report in folder '" + path + "' (" +
                            ReportFileName + ")");
  }
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw ReportFileError("cannot read report " + path);
  const std::string bytes((std::istreambuf_iterator<char>(in)),
                          std::istreambuf_iterator<char>());
  return parseReport(bytes, file.string());
}

} // namespace populus::profile
