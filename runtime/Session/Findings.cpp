// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words for findings.

#include "runtime/Session/Findings.h"

#include "runtime/Session/FaultReport.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace populus::runtime {

namespace {

std::string describe(const Finding::Place &place) {
  std::string text =
      "vertex '" + place.vertex + "' with state at " + hexadecimal(place.state);
  if (!place.context.empty())
    text += ", " + place.context + ",";
  if (place.pc != 0)
    text += " at pc " + hexadecimal(place.pc);
  if (!place.symbol.empty())
    text += " (" + place.symbol + ")";
  if (!place.source.empty())
    text += ", " + place.source;
  return text;
}

std::string withPlace(const std::string &what) {
  return what.empty() ? "" : ", " + what;
}

/// "reads in[40] of 40 (tensor "a"): ", if that is known.
std::string describeElement(const Finding &finding) {
  if (finding.element.empty())
    return {};
  std::string text = (finding.store ? "writes " : "reads ") + finding.element;
  if (!finding.tensor.empty())
    text += " (tensor \"" + finding.tensor + "\")";
  return text + ": ";
}

std::string describeFirst(const Finding &finding) {
  const auto &[check, tile, computeSet, store, address, bytes, count, place,
               element, origin, tensor, isInOther, other] = finding;
  const std::string access = (store ? "store of " : "load of ") +
                             std::to_string(bytes) + " bytes at " +
                             hexadecimal(address);
  std::string text = "tile " + std::to_string(tile) + ", compute set '" +
                     computeSet + "': " + describe(place) + ": ";
  switch (check) {
  case Check::Bounds:
    return text + describeElement(finding) + access +
           (isInOther
                ? withPlace(place.what)
                : ", which is not the vertex's" +
                      (place.what.empty() ? "" : ": it is " + place.what));
  case Check::Uninit:
    return text + access + withPlace(place.what) +
           ", which nothing has written";
  case Check::Races:
    return text + access + withPlace(place.what) + ", races with a " +
           (other->context.empty() ? "vertex of the same compute set: "
                                   : "context of the same vertex: ") +
           describe(*other) + withPlace(other->what);
  case Check::Alignment:
    return text + access + withPlace(place.what) +
           ", which is aligned only by chance";
  case Check::DeadStores:
    return text + access + withPlace(place.what) +
           ", overwrites what was stored before and never read: " +
           describe(*other);
  }
  return text;
}

nlohmann::ordered_json jsonOf(const Finding::Place &place) {
  nlohmann::ordered_json json;
  json["vertex"] = place.vertex;
  json["state"] = place.state;
  if (!place.context.empty())
    json["context"] = place.context;
  json["what"] = place.what;
  json["pc"] = place.pc;
  json["symbol"] = place.symbol;
  json["source"] = place.source;
  return json;
}

} // namespace

bool CheckOptions::any() const {
  return std::any_of(std::begin(enabled), std::end(enabled),
                     [](bool is) { return is; });
}

std::optional<CheckOptions> CheckOptions::parse(std::string_view list) {
  CheckOptions options;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    bool known = false;
    for (std::size_t i = 0; i != std::size(CheckNames); ++i)
      if (name == "all" || name == CheckNames[i] ||
          (name == "mistakes" && static_cast<Check>(i) != Check::DeadStores))
        options.enabled[i] = known = true;
    if (!known)
      return std::nullopt;
  }
  return options;
}

std::string Finding::key() const {
  // An image has its own addresses, and a list its own elements.
  const std::string where =
      place.symbol.empty() ? hexadecimal(place.pc) : place.symbol;
  return std::to_string(static_cast<int>(check)) + (store ? "s " : "l ") +
         where + " " + place.vertex + " " + (other ? other->vertex : "") +
         (place.context.empty() ? "" : " itself");
}

std::string Finding::message() const {
  const std::string text = describeFirst(*this);
  return count == 1 ? text : text + " (" + std::to_string(count) + " times)";
}

std::string Finding::json() const {
  nlohmann::ordered_json json;
  json["finding"] = CheckNames[static_cast<std::size_t>(check)];
  json["message"] = message();
  json["tile"] = tile;
  json["compute_set"] = computeSet;
  json["store"] = store;
  json["address"] = address;
  json["bytes"] = bytes;
  if (!element.empty())
    json["element"] = element;
  if (!tensor.empty())
    json["tensor"] = tensor;
  json["count"] = count;
  json["place"] = jsonOf(place);
  if (other)
    json["other"] = jsonOf(*other);
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace populus::runtime
