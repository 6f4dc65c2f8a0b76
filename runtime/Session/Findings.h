// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mistakes that the checker looks for in codelets, and what it has found.

#ifndef POPULUS_RUNTIME_SESSION_FINDINGS_H
#define POPULUS_RUNTIME_SESSION_FINDINGS_H

#include "runtime/Target/TargetInfo.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace populus::runtime {

enum class Check : std::uint8_t {
  Bounds,     // outside of what belongs to the vertex
  Uninit,     // a load of memory that nothing has written
  Races,      // two vertices of a compute set, or two contexts of a vertex, of
              // which one writes
  Alignment,  // wider than the graph compiler promises to align
  DeadStores, // overwritten by the same vertex before anything reads it
};
inline constexpr std::string_view CheckNames[] = {"bounds", "uninit", "races",
                                                  "alignment", "deadstores"};

struct CheckOptions {
  bool enabled[std::size(CheckNames)] = {};

  bool operator[](Check check) const {
    return enabled[static_cast<std::size_t>(check)];
  }
  bool any() const;
  /// Parses "bounds,races", "mistakes" (all but dead stores, which are a waste
  /// that good code may have) or "all". Returns nothing if a name is unknown.
  static std::optional<CheckOptions> parse(std::string_view list);
};

/// One mistake, as it was the first time that it was made.
struct Finding {
  /// A vertex and where in it.
  struct Place {
    std::string vertex; // its type
    Address state = 0;
    /// "worker 2", "supervisor", where contexts of one vertex race; else empty.
    std::string context;
    /// "field 'in' at byte 4", "the stack of worker 2"; empty: not near
    /// anything of the vertex.
    std::string what;
    Address pc = 0; // 0: not known
    std::string symbol;
    std::string source;
  };

  Check check = Check::Bounds;
  std::uint32_t tile = 0;
  std::string computeSet;
  bool store = false;
  Address address = 0;
  unsigned bytes = 0;
  std::uint64_t count = 1; // times that it was made
  Place place;
  /// The element of a field that the vertex meant ("in[40] of 40"), where its
  /// memory begins, and the tensor that is there; empty if it is not known.
  std::string element;
  Address origin = 0;
  std::string tensor;
  bool isInOther = false; // the access is in another field of the vertex
  /// For a race, the other vertex or context. For a dead store, the store that
  /// is in vain.
  std::optional<Place> other;

  /// The key of a finding: equal for findings of one mistake in a codelet.
  std::string key() const;
  /// One line.
  std::string message() const;
  /// One JSON object, without a line break.
  std::string json() const;
};

} // namespace populus::runtime

#endif
