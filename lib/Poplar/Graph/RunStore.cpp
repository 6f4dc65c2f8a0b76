// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers are stored in 7 bits a byte, the lowest first; those with a sign have
// it in the lowest bit.

#include "lib/Poplar/Graph/RunStore.h"

#include <algorithm>

namespace poplar::core {

namespace {

/// Number of lists that are searched for an equal one.
constexpr std::size_t NumRecent = std::size_t(1) << 18;
constexpr std::uint64_t NoList = ~std::uint64_t(0);

std::uint64_t hashOf(const std::vector<std::uint8_t> &code) {
  std::uint64_t hash = code.size();
  for (std::uint8_t byte : code)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash ^ hash >> 32;
}

} // namespace

void RunStore::put(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7)
    code.push_back(static_cast<std::uint8_t>(number | 0x80));
  code.push_back(static_cast<std::uint8_t>(number));
}

void RunStore::putSigned(std::int64_t number) {
  put(static_cast<std::uint64_t>(number) << 1 ^
      static_cast<std::uint64_t>(number >> 63));
}

std::uint64_t RunStore::Reader::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = *at++;
    value |= std::uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
}

std::int64_t RunStore::Reader::signedNumber() {
  const std::uint64_t value = number();
  return static_cast<std::int64_t>(value >> 1 ^ -(value & 1));
}

const Run &RunStore::Reader::next() {
  Run &run = state.run;
  if (repeats != 0) {
    --repeats;
    run.offset += state.step;
    return run;
  }
  const std::uint8_t tag = *at++;
  if (tag & SameVariable) {
    if (!(tag & SameStep))
      state.step = signedNumber();
    run.offset += state.step;
  } else {
    run.variable = static_cast<std::uint32_t>(number());
    run.offset = signedNumber();
  }
  if (!(tag & SameStride))
    run.stride = signedNumber();
  if (!(tag & SameCount))
    run.count = number();
  if (tag & Again)
    repeats = number();
  return run;
}

std::uint8_t RunStore::tagOf(const State &state, const Run &run) {
  std::uint8_t tag = 0;
  if (run.variable == state.run.variable) {
    tag |= SameVariable;
    if (run.offset - state.run.offset == state.step)
      tag |= SameStep;
  }
  if (run.stride == state.run.stride)
    tag |= SameStride;
  if (run.count == state.run.count)
    tag |= SameCount;
  return tag;
}

void RunStore::encode(std::span<const Run> runs) {
  code.clear();
  State state;
  for (std::size_t i = 0; i != runs.size();) {
    const Run &run = runs[i];
    const std::uint8_t tag = tagOf(state, run);
    if (tag & SameVariable)
      state.step = run.offset - state.run.offset;
    state.run = run;
    std::size_t end = i + 1;
    for (State last = state;
         end != runs.size() && tagOf(last, runs[end]) == AllSame; ++end)
      last.run = runs[end];
    const std::size_t again = end - i - 1;
    code.push_back(again == 0 ? tag : tag | Again);
    if (!(tag & SameVariable)) {
      put(run.variable);
      putSigned(run.offset);
    } else if (!(tag & SameStep)) {
      putSigned(state.step);
    }
    if (!(tag & SameStride))
      putSigned(run.stride);
    if (!(tag & SameCount))
      put(run.count);
    if (again != 0)
      put(again);
    state.run = runs[end - 1];
    i = end;
  }
  code.push_back(End);
}

std::uint64_t RunStore::add(std::span<const Run> runs) {
  encode(runs);
  // Deduplicating a list of one run would save too little.
  if (runs.size() <= 1)
    return append();
  if (recent.empty())
    recent.assign(NumRecent, NoList);
  std::uint64_t &known = recent[hashOf(code) % NumRecent];
  if (known != NoList && bytes.size() - known >= code.size() &&
      std::equal(code.begin(), code.end(), bytes.data() + known))
    return known;
  return known = append();
}

std::uint64_t RunStore::append() {
  const std::uint64_t list = bytes.size();
  bytes.append(code);
  return list;
}

std::vector<Run> RunStore::get(std::uint64_t list) const {
  std::vector<Run> runs;
  forEach(list, [&](const Run &run) { runs.push_back(run); });
  return runs;
}

} // namespace poplar::core
