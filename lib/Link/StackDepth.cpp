// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions have sections of their own, so sections stand for functions here.
// Every branch carries a relocation, also one inside a function, so only calls
// are taken as a sign of recursion; other circles end where they began.

#include "lib/Link/StackDepth.h"

#include "lib/Link/Linker.h"

#include <algorithm>

namespace populus::link {

namespace {

constexpr std::string_view StackSizes = ".stack_sizes";
constexpr std::string_view CallTargets = ".call_targets";

/// A number as ULEB128; false if it does not end before the bytes do.
bool readUleb(const std::vector<std::uint8_t> &bytes, std::size_t offset,
              std::uint32_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 32 && offset < bytes.size(); shift += 7) {
    const std::uint8_t byte = bytes[offset++];
    value |= std::uint32_t(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

/// Each entry is the function's address, relocated, and its frame's size.
void addFrames(StackRecords &records, std::uint32_t index,
               const ObjectFile &object, const Section &section) {
  for (const Relocation &relocation : section.relocations) {
    const Symbol &function = object.symbols[relocation.symbol];
    std::uint32_t bytes = 0;
    if (function.section == NoSection)
      continue;
    if (!readUleb(section.bytes, relocation.offset + 4, bytes))
      throw LinkError("object '" + object.name +
                      "' is damaged: its stack sizes end early");
    std::uint32_t &frame = records.frames[{index, function.section}];
    frame = std::max(frame, bytes);
  }
}

/// Pairs of addresses, both relocated: caller, target.
void addIndirectCalls(StackRecords &records, std::uint32_t index,
                      const Section &section) {
  std::map<std::uint32_t, std::uint32_t> symbols; // by offset
  for (const Relocation &relocation : section.relocations)
    symbols[relocation.offset] = relocation.symbol;
  for (const auto &[offset, symbol] : symbols) {
    const auto target = symbols.find(offset + 4);
    if (offset % 8 == 0 && target != symbols.end())
      records.indirectCalls.push_back(
          {{index, symbol}, {index, target->second}});
  }
}

} // namespace

void StackRecords::add(std::uint32_t index, const ObjectFile &object) {
  for (const Section &section : object.sections)
    if (section.name.starts_with(StackSizes))
      addFrames(*this, index, object, section);
    else if (section.name.starts_with(CallTargets))
      addIndirectCalls(*this, index, section);
}

StackDepth::StackDepth(const StackRecords &records, const Resolve &resolve,
                       Successors successors, Recursive recursive)
    : records(records), successors(std::move(successors)),
      recursive(std::move(recursive)) {
  for (const auto &[caller, target] : records.indirectCalls) {
    const std::optional<SectionRef> from = resolve(caller);
    const std::optional<SectionRef> to = resolve(target);
    if (from && to)
      indirectCalls[*from].push_back(*to);
  }
}

std::uint32_t StackDepth::of(SectionRef section) {
  const auto [place, isNew] = visits.try_emplace(section);
  Visit &visit = place->second;
  if (!isNew)
    return visit.depth; // 0 where a circle closes
  std::uint32_t deepest = 0;
  successors(section, [&](SectionRef next, bool isCall) {
    const auto known = visits.find(next);
    if (isCall && known != visits.end() && !known->second.done)
      recursive(next);
    deepest = std::max(deepest, of(next));
  });
  if (const auto calls = indirectCalls.find(section);
      calls != indirectCalls.end())
    for (SectionRef next : calls->second)
      deepest = std::max(deepest, of(next));
  const auto frame = records.frames.find(section);
  visit.depth = deepest + (frame == records.frames.end() ? 0 : frame->second);
  visit.done = true;
  return visit.depth;
}

} // namespace populus::link
