// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors, faults, findings, dumps.

#include "Inspect.h"

#include "runtime/Session/FindingReport.h"
#include "runtime/Support/OutputFile.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <string_view>

namespace populus::run {

using namespace runtime;

namespace {

void dumpTile(const Session &session, std::uint32_t tile) {
  constexpr std::size_t LineWords = 4;
  const Session::TileBytes memory = session.tileMemory(tile);
  std::cout << "tile " << tile << '\n';
  for (std::size_t at = 0; at < memory.bytes.size(); at += 4 * LineWords) {
    std::uint32_t words[LineWords] = {};
    std::memcpy(words, memory.bytes.data() + at,
                std::min(sizeof(words), memory.bytes.size() - at));
    if (std::all_of(std::begin(words), std::end(words),
                    [](std::uint32_t word) { return word == 0; }))
      continue;
    char text[64];
    std::snprintf(text, sizeof(text), "0x%05zx: %08x %08x %08x %08x\n",
                  memory.begin + at, words[0], words[1], words[2], words[3]);
    std::cout << text;
  }
}

void dumpState(const Session &session) {
  nlohmann::ordered_json json;
  json["tiles"] = nlohmann::ordered_json::array();
  for (std::uint32_t tile = 0; tile != session.executable().numTiles();
       ++tile) {
    const std::vector<ContextState> contexts = session.contexts(tile);
    if (contexts.empty())
      continue;
    nlohmann::ordered_json entry;
    entry["tile"] = tile;
    for (const ContextState &context : contexts)
      entry["contexts"].push_back({{"context", contextName(context.number)},
                                   {"m", context.m},
                                   {"a", context.a},
                                   {"fp_sts", context.fpStatus},
                                   {"fp_ctl", context.fpControl}});
    json["tiles"].push_back(std::move(entry));
  }
  std::cout << json.dump() << '\n';
}

} // namespace

void printError(const char *kind, const std::string &message,
                const Options &options) {
  if (options.diagnostics != "json") {
    const bool isError = std::string_view(kind) != "interrupted";
    std::cerr << std::string("ipu-run: ") + (isError ? "error: " : "") +
                     message + '\n';
    return;
  }
  nlohmann::ordered_json json;
  json["error"] = kind;
  json["message"] = message;
  std::cerr << json.dump(-1, ' ', false,
                         nlohmann::ordered_json::error_handler_t::replace) +
                   '\n';
}

void printFault(const FaultReport &report, const Options &options) {
  if (options.diagnostics == "json")
    std::cerr << report.json() << '\n';
  else if (report.kind == "breakpoint" || report.kind == "interrupted")
    std::cerr << "ipu-run: " << report.message() << '\n' << report.details();
  else
    std::cerr << "ipu-run: error: " << report.message() << '\n'
              << report.details();
}

void printFindings(const std::vector<Finding> &findings,
                   const Options &options) {
  if (options.diagnostics == "json")
    for (const Finding &finding : findings)
      std::cerr << finding.json() << '\n';
  else
    std::cerr << listOf(findings, "ipu-run: ");
}

void writeFindings(const std::vector<Finding> &findings,
                   const std::string &file) {
  const std::string reason =
      runtime::writeFile(file, sarifOf(findings, "ipu-run"));
  if (!reason.empty())
    throw std::runtime_error("cannot write " + file + ": " + reason);
}

void printDumps(const Session &session, const Options &options) {
  for (const Span &span : parseSpans("--dump-tile", options.dumpTiles))
    for (std::uint64_t tile = span.first; tile <= span.last; ++tile)
      dumpTile(session, static_cast<std::uint32_t>(tile));
  if (!options.dumpState.empty())
    dumpState(session);
}

} // namespace populus::run
