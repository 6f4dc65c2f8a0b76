// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Liveness of variables in a report: parts of variables, each with tiles and
// moments (see lib/Profile/Report.proto). Lists of ranges are flat.

#ifndef POPULUS_LIB_PVA_LIVENESS_H
#define POPULUS_LIB_PVA_LIVENESS_H

#include <pva/pva.hpp>

#include "lib/Profile/Report.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pva::detail {

class Liveness {
public:
  explicit Liveness(const populus::report::Liveness &report);

  /// The parts of the memory: the variables that are always live, the other
  /// ones that are live at a moment, or all; of a tile, or of all tiles
  /// together.
  struct Wanted {
    bool alwaysLive = true;
    bool others = true;
    std::optional<std::uint32_t> moment;
    std::optional<std::uint32_t> tile;
  };
  /// Added up by name, the largest first.
  std::vector<LivenessVariable> find(const Wanted &wanted) const;

private:
  using Numbers = std::vector<std::uint64_t>;
  struct Part {
    std::size_t variable;
    std::uint64_t bytes;
    Numbers tiles;   // begin, end, ...
    Numbers moments; // first, last, ...; empty: always live

    bool isLiveAt(std::uint32_t moment) const;
    /// On how many of the tiles it is.
    std::uint64_t numTiles(std::optional<std::uint32_t> tile) const;
  };

  std::vector<std::string> names;
  std::vector<Part> parts;
};

} // namespace pva::detail

#endif
