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

/// A symbol of some object.
struct SymbolRef {
  std::uint32_t object = 0;
  std::uint32_t symbol = 0;
};

/// The compiler's records about the functions of all objects.
struct StackRecords {
  /// Bytes of the largest frame in a section.
  std::map<SectionRef, std::uint32_t> frames;
  /// A function and one that it may call through a pointer.
  std::vector<std::pair<SymbolRef, SymbolRef>> indirectCalls;

  /// Throws LinkError.
  void add(std::uint32_t index, const ObjectFile &object);
};

class StackDepth {
public:
  /// Calls use(section, isCall) for each section that one refers to.
  using Successors = std::function<void(
      SectionRef, const std::function<void(SectionRef, bool isCall)> &use)>;
  /// Receives each function that calls itself.
  using Recursive = std::function<void(SectionRef)>;
  /// Finds the section that a symbol is in, if it is in one.
  using Resolve = std::function<std::optional<SectionRef>(SymbolRef)>;

  StackDepth(const StackRecords &records, const Resolve &resolve,
             Successors successors, Recursive recursive);

  /// Bytes of stack that code entered at a section may need, if functions that
  /// call themselves do so once.
  std::uint32_t of(SectionRef section);

private:
  const StackRecords &records;
  Successors successors;
  Recursive recursive;
  std::map<SectionRef, std::vector<SectionRef>> indirectCalls;
  struct Visit {
    bool done = false;
    std::uint32_t depth = 0;
  };
  std::map<SectionRef, Visit> visits;
};

} // namespace populus::link

#endif
