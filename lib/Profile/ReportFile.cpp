// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports to bytes and back.

#include "lib/Profile/ReportFile.h"
#include "runtime/Support/InputStream.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

namespace populus::profile {

namespace {

constexpr std::size_t LengthBytes = 8;

/// The message behind the length, if all of it is there.
std::optional<std::string_view> messageOf(std::string_view bytes) {
  if (bytes.size() < LengthBytes)
    return std::nullopt;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i != LengthBytes; ++i)
    length |= std::uint64_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
  bytes.remove_prefix(LengthBytes);
  return bytes.size() == length ? std::optional(bytes) : std::nullopt;
}

} // namespace

std::string reportBytes(std::string_view message) {
  std::string bytes(ReportMagic);
  for (std::size_t i = 0; i != LengthBytes; ++i)
    bytes += static_cast<char>(message.size() >> (8 * i) & 0xff);
  return bytes.append(message);
}

std::string serializeReport(const report::Report &report) {
  return reportBytes(report.SerializeAsString());
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
  const std::optional<std::string_view> message = messageOf(bytes);
  if (!message || message->size() > std::numeric_limits<int>::max() ||
      !report->ParseFromArray(message->data(),
                              static_cast<int>(message->size())))
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
    throw ReportFileError("cannot read report " + path + ": " +
                          std::strerror(errno));
  return parseReport(runtime::readAll<std::string>(in), file.string());
}

} // namespace populus::profile
