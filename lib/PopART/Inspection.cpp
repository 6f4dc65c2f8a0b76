// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drawings and dumps, as files.

#include "lib/PopART/Inspection.h"

#include "lib/PopART/Support/Environment.h"
#include "lib/PopART/Support/Log.h"
#include "lib/PopART/Support/OutputFile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <sstream>
#include <utility>

namespace populus::popir {

namespace {

constexpr std::array<std::string_view, 6> Checks = {"FWD0",     "FWD1",  "BWD0",
                                                    "PREALIAS", "FINAL", "ALL"};

std::string inCase(std::string text, int (*convert)(int)) {
  std::ranges::transform(text, text.begin(), [&](unsigned char c) {
    return static_cast<char>(convert(c));
  });
  return text;
}

std::string inFolder(const std::string &folder, const std::string &file) {
  return (std::filesystem::path(folder) / file).string();
}

} // namespace

Inspection::Inspection(const Drawings &drawings)
    : folder(drawings.folder), style(drawings.style) {
  for (const std::string &check : drawings.checks)
    checks.insert(inCase(check, std::toupper));
  const char *listed = environment("DOT_CHECKS");
  std::istringstream names(listed ? listed : "");
  std::string name;
  while (std::getline(names, name, ':'))
    checks.insert(inCase(name, std::toupper));
  for (const std::string &check : checks)
    if (std::ranges::find(Checks, check) == Checks.end())
      logging::log(logging::Module::ir, logging::Level::Warn,
                   "there is nothing to draw at '{}'; there are {}", check,
                   fmt::join(Checks, ", "));
  if (const char *path = environment("TENSOR_TILE_MAP"))
    tileMapPath = path;
}

void Inspection::draw(std::string_view check, const Graph &graph) const {
  if (checks.contains(std::string(check)) || checks.contains("ALL"))
    writeText(
        inFolder(folder, inCase(std::string(check), std::tolower) + ".dot"),
        toDot(graph, style));
}

void Inspection::run(Module &module, Pipeline pipeline) const {
  const char *path = environment("IR_DUMP");
  bool isDumped = false;
  auto dump = [&] {
    if (path && !std::exchange(isDumped, true))
      writeText(path, toJson(module.main()));
  };
  pipeline.atCheckpoint =
      [&, next = std::move(pipeline.atCheckpoint)](std::string_view check) {
        if (next)
          next(check);
        draw(check, module.main());
        if (check == FinalCheckpoint)
          dump();
      };
  try {
    runPipeline(module, pipeline);
  } catch (...) {
    dump();
    throw;
  }
}

void Inspection::writeTileMap(const std::string &map) const {
  if (tileMapPath)
    writeText(inFolder(folder, *tileMapPath), map);
}

} // namespace populus::popir
