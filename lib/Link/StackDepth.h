// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the greatest depth of the stack: the frames that the compiler
// recorded in .stack_sizes, added up along the calls that relocations show and,
// for calls through pointers, those that the compiler recorded in
// .call_targets.

#ifndef POPULUS_LIB_LINK_STACKDEPTH_H
#define POPULUS_LIB_LINK_STACKDEPTH_H

#include "lib/Link/ObjectFile.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace populus::link {

/// A section of some object.
struct SectionRef {
  std::uint32_t object = 0;
  std::uint32_t section = 0;
  friend auto operator<=>(const SectionRef &, const SectionRef &) = default;
};

class StackDepth {
public:
  /// Calls use(section, isCall) for each section that one refers to.
  using Successors = std::function<void(
      SectionRef, const std::function<void(SectionRef, bool isCall)> &use)>;
  /// Receives each function that calls itself.
  using Recursive = std::function<void(SectionRef)>;

  StackDepth(Successors successors, Recursive recursive)
      : successors(std::move(successors)), recursive(std::move(recursive)) {}

  /// Finds the section that a symbol of an object is in, if it is in one.
  using Resolve = std::function<std::optional<SectionRef>(
      std::uint32_t object, std::uint32_t symbol)>;

  /// Records what an object's functions may call through pointers.
  void addIndirectCalls(std::uint32_t index, const ObjectFile &object,
                        const Resolve &resolve);
  /// Records the frames of an object's functions.
  void addFrames(std::uint32_t index, const ObjectFile &object);

  /// Bytes of stack that code entered at a section may need, if functions that
  /// call themselves do so once.
  std::uint32_t of(SectionRef section);

private:
  Successors successors;
  Recursive recursive;
  std::map<SectionRef, std::uint32_t> frames; // largest of a section
  std::map<SectionRef, std::vector<SectionRef>> indirectCalls;
  struct Visit {
    bool done = false;
    std::uint32_t depth = 0;
  };
  std::map<SectionRef, Visit> visits;
};

} // namespace populus::link

#endif
