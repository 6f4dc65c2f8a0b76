// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists and SARIF. Paths become URIs; a source of a finding is "FILE:LINE".

#include "runtime/Session/FindingReport.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>

namespace populus::runtime {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view Explanations[] = {
    "An access outside of the memory that its pointer belongs to",
    "A load of memory that nothing has written",
    "Two vertices, or two contexts of a vertex, race",
    "An access that is aligned only by chance",
    "A store that is overwritten before anything reads it"};
static_assert(std::size(Explanations) == std::size(CheckNames));

std::string uriOf(std::string_view path) {
  static constexpr char Digits[] = "0123456789ABCDEF";
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) ||
        std::string_view("/-._~+").find(letter) != std::string_view::npos)
      uri += letter;
    else
      uri += {'%', Digits[byte >> 4], Digits[byte & 15]};
  }
  return uri;
}

/// The place in the source, if it is known, and the vertex.
Json locationOf(const Finding::Place &place) {
  Json location;
  const std::size_t colon = place.source.rfind(':');
  if (colon != std::string::npos)
    location["physicalLocation"] = {
        {"artifactLocation", {{"uri", uriOf(place.source.substr(0, colon))}}},
        {"region", {{"startLine", std::stoi(place.source.substr(colon + 1))}}}};
  Json vertex = {{"name", place.vertex}, {"kind", "type"}};
  if (!place.symbol.empty())
    vertex["fullyQualifiedName"] = place.vertex + "/" + place.symbol;
  location["logicalLocations"] = Json::array({std::move(vertex)});
  return location;
}

Json resultOf(const Finding &finding) {
  const auto rule = static_cast<std::size_t>(finding.check);
  Json result = {
      {"ruleId", CheckNames[rule]},
      {"ruleIndex", rule},
      {"level", finding.check == Check::DeadStores ? "warning" : "error"},
      {"message", {{"text", finding.message()}}},
      {"locations", Json::array({locationOf(finding.place)})},
      {"occurrenceCount", finding.count}};
  if (finding.other) {
    Json other = locationOf(*finding.other);
    other["id"] = 0;
    other["message"] = {{"text", "the other access"}};
    result["relatedLocations"] = Json::array({std::move(other)});
  }
  Json properties = {{"tile", finding.tile},
                     {"computeSet", finding.computeSet},
                     {"address", finding.address},
                     {"bytes", finding.bytes}};
  if (!finding.element.empty())
    properties["element"] = finding.element;
  if (!finding.tensor.empty())
    properties["tensor"] = finding.tensor;
  result["properties"] = std::move(properties);
  return result;
}

} // namespace

std::string listOf(std::span<const Finding> findings,
                   const std::string &prefix) {
  constexpr std::size_t Most = 20;
  std::string text;
  for (const Finding &finding : findings.first(std::min(findings.size(), Most)))
    text += prefix + "check: " +
            std::string(CheckNames[static_cast<std::size_t>(finding.check)]) +
            ": " + finding.message() + '\n';
  if (findings.size() > Most)
    text += prefix + "check: and " + std::to_string(findings.size() - Most) +
            " more findings\n";
  return text;
}

std::string sarifOf(const std::vector<Finding> &findings,
                    const std::string &tool) {
  Json rules = Json::array();
  for (std::size_t i = 0; i != std::size(CheckNames); ++i)
    rules.push_back({{"id", CheckNames[i]},
                     {"shortDescription", {{"text", Explanations[i]}}}});
  Json results = Json::array();
  for (const Finding &finding : findings)
    results.push_back(resultOf(finding));
  Json run = {{"tool", {{"driver", {{"name", tool}, {"rules", rules}}}}},
              {"results", std::move(results)}};
  const Json log = {
      {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", Json::array({std::move(run)})}};
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace populus::runtime
