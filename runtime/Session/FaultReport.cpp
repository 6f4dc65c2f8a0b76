// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of a fault report.

#include "runtime/Session/FaultReport.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <sstream>

namespace populus::runtime {

namespace {

constexpr unsigned Supervisor = 6;

void writeRegisters(std::ostream &out, const char *file,
                    std::span<const std::uint32_t> values) {
  char text[32];
  for (std::size_t i = 0; i != values.size(); ++i) {
    std::snprintf(text, sizeof(text), "%s$%s%-2zu 0x%08x", i % 4 ? "  " : "\n ",
                  file, i, values[i]);
    out << text;
  }
}

nlohmann::ordered_json jsonOf(const CodePlace &place) {
  nlohmann::ordered_json json;
  json["pc"] = place.pc;
  json["symbol"] = place.symbol;
  json["assembly"] = place.assembly;
  json["source"] = place.source;
  return json;
}

} // namespace

std::string hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof(text), "0x%x", value);
  return text;
}

std::string contextName(unsigned context) {
  return context == Supervisor ? "supervisor"
                               : "worker " + std::to_string(context);
}

std::string FaultReport::message() const {
  std::string text = "tile " + std::to_string(tile) + ", compute set '" +
                     computeSet + "': vertex '" + vertex + "' with state at " +
                     hexadecimal(state) + ", " + contextName(registers.number) +
                     ": " + what;
  if (!field.empty())
    text += ", " + field + ",";
  if (!place)
    return text;
  text += " at pc " + hexadecimal(place->pc);
  if (!place->symbol.empty())
    text += " (" + place->symbol + ")";
  if (!mnemonic.empty())
    text += ", " + mnemonic;
  if (!place->source.empty())
    text += ", " + place->source;
  return text;
}

std::string FaultReport::details() const {
  std::ostringstream out;
  out << "registers of " << contextName(registers.number) << ", cycle "
      << cycle;
  writeRegisters(out, "m", registers.m);
  if (registers.number != Supervisor) {
    writeRegisters(out, "a", registers.a);
    out << "\n  $FP_STS " << hexadecimal(registers.fpStatus) << "  $FP_CTL "
        << hexadecimal(registers.fpControl);
  }
  out << '\n';
  if (last.empty())
    return out.str();
  out << "last instructions\n";
  for (const Executed &executed : last) {
    const CodePlace &at = executed.place;
    out << "  " << contextName(executed.context) << "  " << hexadecimal(at.pc)
        << "  " << at.symbol << ": " << at.assembly;
    if (!at.source.empty())
      out << "  // " << at.source;
    out << '\n';
  }
  return out.str();
}

std::string FaultReport::json() const {
  nlohmann::ordered_json json;
  json["fault"] = kind;
  json["message"] = message();
  json["what"] = what;
  json["tile"] = tile;
  json["compute_set"] = computeSet;
  json["vertex"] = vertex;
  json["state"] = state;
  json["context"] = contextName(registers.number);
  json["cycle"] = cycle;
  json["place"] = place ? jsonOf(*place) : nlohmann::ordered_json();
  if (address)
    json["address"] = *address;
  json["field"] = field;
  json["registers"] = {{"m", registers.m},
                       {"a", registers.a},
                       {"fp_sts", registers.fpStatus},
                       {"fp_ctl", registers.fpControl}};
  json["last"] = nlohmann::ordered_json::array();
  for (const Executed &executed : last) {
    json["last"].push_back(jsonOf(executed.place));
    json["last"].back()["context"] = contextName(executed.context);
  }
  return json.dump(-1, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace populus::runtime
