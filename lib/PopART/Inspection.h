// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment asks to see of a compilation, whoever starts it:
// drawings of the IR at the stages of the guide (POPART_DOT_CHECKS), the IR as
// JSON (POPART_IR_DUMP), and where tensors lie (POPART_TENSOR_TILE_MAP).

#ifndef POPULUS_LIB_POPART_INSPECTION_H
#define POPULUS_LIB_POPART_INSPECTION_H

#include "lib/PopART/IR/Export.h"

#include <functional>
#include <optional>
#include <set>
#include <string>

namespace popart {

class Inspection {
public:
  /// Drawings and maps go to `folder`, or the current one; `checks` are drawn
  /// besides those that the environment names.
  explicit Inspection(std::string folder, std::set<std::string> checks = {},
                      DotStyle style = {});

  /// At a stage of the guide: FWD0, FWD1, PREALIAS, FINAL.
  void draw(const std::string &check, const Graph &ir) const;

  /// Prepares the IR, and dumps it at the end or when that fails.
  void prepare(const Graph &ir, const std::function<void()> &steps) const;

  bool wantsTileMap() const { return tileMapPath.has_value(); }
  void writeTileMap(const std::string &map) const;

private:
  std::string folder;
  std::set<std::string> checks;
  DotStyle style;
  std::optional<std::string> tileMapPath;
};

} // namespace popart

#endif
