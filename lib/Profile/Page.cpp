// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The page embeds the report as a compressed message in base64. The viewer
// (lib/Profile/Viewer, embedded here at build time) decodes it with a table of
// fields that is generated from Report.proto. The output of ipu-report is
// embedded as JSON beside it, so that page and text agree. User-supplied names
// reach the page as data only, never as markup.

#include "lib/Profile/Page.h"

#include "lib/Profile/Format.h"
#include "lib/Profile/SourceText.h"
#include "lib/Profile/Views.h"

#include <zlib.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <stdexcept>
#include <string_view>

namespace populus::profile {

namespace {

#include "lib/Profile/ViewerFiles.inc"

/// Compresses to the gzip format, which browsers read.
std::string compress(const std::string &bytes) {
  z_stream stream = {};
  constexpr int Gzip = 16 + MAX_WBITS;
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, Gzip, 8,
                   Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END)
    throw std::runtime_error("the report is too large for a page");
  return result;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view Digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t index) -> std::uint32_t {
      return index < bytes.size() ? static_cast<unsigned char>(bytes[index])
                                  : 0;
    };
    const std::uint32_t word = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    for (int digit = 3; digit >= 0; --digit)
      text.push_back(Digits[word >> (6 * digit) & 63]);
  }
  const std::size_t spare = (3 - bytes.size() % 3) % 3;
  text.replace(text.size() - spare, spare, spare, '=');
  return text;
}

/// JSON that cannot end a script block.
std::string inertJson(const Json &json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

/// Spaces for tabs, and no end of a line from another system.
std::string withoutTabs(const std::string &line) {
  std::string text;
  for (char character : line)
    if (character == '\t')
      text.append(4 - text.size() % 4, ' ');
    else if (character != '\r')
      text.push_back(character);
  return printable(text);
}

/// Adds the lines that a codelet's code was made of, with a few around them:
/// {number: text}.
void addLines(const report::VertexType &type,
              const std::vector<std::string> &source, Json &lines) {
  constexpr std::uint32_t Around = 3;
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max(), last = 0;
  for (const report::CodeLine &line : type.code())
    if (line.line() != 0 && line.line() <= source.size()) {
      first = std::min(first, line.line());
      last = std::max(last, line.line());
    }
  if (last == 0)
    return;
  first = first > Around ? first - Around : 1;
  last = std::min(last + Around, static_cast<std::uint32_t>(source.size()));
  for (std::uint32_t number = first; number <= last; ++number)
    lines[std::to_string(number)] = withoutTabs(source[number - 1]);
}

/// Sources of codelets by file, as far as they are still there.
Json sourcesJson(const report::Report &report) {
  Json sources = Json::object();
  std::map<std::string, std::vector<std::string>> files;
  for (const report::VertexType &type : report.vertex_types()) {
    if (type.source_file().empty())
      continue;
    const auto [file, isNew] = files.try_emplace(type.source_file());
    if (isNew)
      file->second = sourceOf(type);
    if (!file->second.empty())
      addLines(type, file->second, sources[type.source_file()]);
  }
  return sources;
}

void addReport(std::string &page, const char *id,
               const report::Report &report) {
  Json summary = overviewJson(report);
  summary["layers"] = layersJson(report)["layers"];
  summary["sources"] = sourcesJson(report);
  page += "<script type=\"application/json\" id=\"summary-";
  page += id;
  page += "\">" + inertJson(summary) + "</script>\n";
  page += "<script type=\"application/octet-stream;base64\" id=\"report-";
  page += id;
  page += "\">" + base64(compress(report.SerializeAsString())) + "</script>\n";
}

/// Minimum length of spans on the page, which limits their number.
std::uint64_t shortestShown(const std::vector<HostTrace> &hosts) {
  constexpr std::size_t Most = 100000;
  std::vector<std::uint64_t> lengths;
  for (const HostTrace &trace : hosts)
    for (const HostThread &thread : trace.threads)
      for (const HostSpan &span : thread.spans)
        lengths.push_back(span.end - span.begin);
  if (lengths.size() <= Most)
    return 0;
  std::nth_element(lengths.begin(), lengths.begin() + Most, lengths.end(),
                   std::greater<>());
  return lengths[Most] + 1;
}

/// Threads with their spans: number of the name, begin, length, depth, ...
Json hostBlock(const std::vector<HostTrace> &hosts) {
  Json json = {{"names", Json::array()}, {"threads", Json::array()}};
  std::map<std::string, std::size_t> numbers;
  const std::uint64_t shortest = shortestShown(hosts);
  std::uint64_t leftOut = 0;
  for (const HostTrace &trace : hosts)
    for (const HostThread &thread : trace.threads) {
      Json spans = Json::array();
      for (const HostSpan &span : thread.spans) {
        if (span.end - span.begin < shortest) {
          ++leftOut;
          continue;
        }
        const auto [known, isNew] = numbers.emplace(span.name, numbers.size());
        if (isNew)
          json["names"].push_back(span.name);
        for (std::uint64_t number :
             {std::uint64_t(known->second), span.begin, span.end - span.begin,
              std::uint64_t(span.depth)})
          spans.push_back(number);
      }
      json["threads"].push_back(
          {{"name", trace.name + ", thread " + std::to_string(thread.number)},
           {"spans", std::move(spans)}});
    }
  json["left_out"] = leftOut;
  return json;
}

void addHosts(std::string &page, const std::vector<HostTrace> &hosts) {
  if (!hosts.empty())
    page += "<script type=\"application/json\" id=\"host\">" +
            inertJson(hostBlock(hosts)) + "</script>\n";
}

/// Labels of kinds, categories and activities in the viewer, and the activity
/// of each kind.
std::string viewerNames() {
  Json activities = Json::array();
  for (std::size_t i = 0; i != static_cast<std::size_t>(Activity::Count); ++i)
    activities.push_back(nameOf(static_cast<Activity>(i)));
  return "const Kinds = " + inertJson(programLabels()) +
         ";\nconst KindActivities = " + inertJson(programActivities()) +
         ";\nconst Categories = " + inertJson(categoryShortLabels()) +
         ";\nconst Activities = " + inertJson(activities) + ";\n";
}

} // namespace

std::string makePage(const report::Report &report, const report::Report *other,
                     const std::vector<HostTrace> &hosts) {
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head>\n"
                     "<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" "
                     "content=\"default-src 'none'; script-src "
                     "'unsafe-inline'; style-src 'unsafe-inline'; img-src "
                     "data:\">\n<title>IPU report</title>\n<style>\n";
  page += ViewerStyle;
  page += "</style></head>\n<body>\n";
  addReport(page, "a", report);
  if (other)
    addReport(page, "b", *other);
  addHosts(page, hosts);
  page += "<div id=\"page\"></div>\n<script type=\"module\">\n";
  page += viewerNames();
  page += ViewerScript;
  page += "</script>\n</body></html>\n";
  return page;
}

} // namespace populus::profile
