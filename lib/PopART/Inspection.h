// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dumps of a compilation that environment variables request, in any front end:
// drawings of the IR at the checkpoints of the guide (POPART_DOT_CHECKS), the
// IR as JSON (POPART_IR_DUMP), and tile mappings (POPART_TENSOR_TILE_MAP).

#ifndef POPULUS_LIB_POPART_INSPECTION_H
#define POPULUS_LIB_POPART_INSPECTION_H

#include "lib/PopART/Request.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace populus::popir {

class Inspection {
public:
  /// The checkpoints of the environment are drawn, too.
  explicit Inspection(const Drawings &drawings);

  /// Runs the passes of a pipeline, draws the checkpoints of the guide (FWD0,
  /// FWD1, BWD0, PREALIAS, FINAL), and dumps the module at the last one or
  /// where a pass fails.
  void run(Module &module, Pipeline pipeline) const;

  bool wantsTileMap() const { return tileMapPath.has_value(); }
  void writeTileMap(const std::string &map) const;

private:
  void draw(std::string_view check, const Graph &graph) const;

  std::string folder;
  std::set<std::string> checks;
  DotStyle style;
  std::optional<std::string> tileMapPath;
};

} // namespace populus::popir

#endif
