// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices in their order.

#include "lib/PopART/Fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace populus::popir {

namespace {

/// Shares of temporary memory; the default without a search is 0.6.
constexpr double SmallerShare = 0.1, LeastShare = 0.03;
/// Compiling for more IPUs takes too long.
constexpr unsigned MostIpus = 16;

/// The choices for a number of IPUs.
std::vector<FitChoice> choicesOn(const FitOptions &options, bool trains,
                                 std::optional<unsigned> numIpus) {
  std::vector<FitChoice> choices{{{}, {}, numIpus}};
  FitChoice next = choices.front();
  const auto add = [&] { choices.push_back(next); };
  if (options.availableMemory) {
    next.availableMemory = SmallerShare;
    add();
  }
  if (trains && options.recomputation)
    for (Recomputation more : {Recomputation::Standard, Recomputation::All}) {
      next.recomputation = more;
      add();
    }
  if (options.availableMemory) {
    next.availableMemory = LeastShare;
    add();
  }
  return choices;
}

} // namespace

std::string FitChoice::text() const {
  std::vector<std::string> parts;
  if (availableMemory)
    parts.push_back(fmt::format("--available-memory {}", *availableMemory));
  if (recomputation)
    parts.push_back(fmt::format("--recompute {}", nameOf(*recomputation)));
  if (numIpus)
    parts.push_back(fmt::format("--num-ipus {}", *numIpus));
  return fmt::format("{}", fmt::join(parts, " "));
}

std::vector<FitChoice> fitChoices(const FitOptions &options, bool trains,
                                  unsigned numIpus, unsigned leastIpus) {
  std::vector<FitChoice> choices;
  if (!options.searches)
    return choices;
  const auto append = [&](const std::vector<FitChoice> &more, bool isAsked) {
    // The user's own options have failed already: skip them.
    choices.insert(choices.end(), more.begin() + (isAsked ? 1 : 0), more.end());
  };
  if (leastIpus <= numIpus)
    append(choicesOn(options, trains, std::nullopt), true);
  for (unsigned count = 2 * numIpus; options.numIpus && count <= MostIpus;
       count *= 2)
    if (leastIpus <= count)
      append(choicesOn(options, trains, count), false);
  return choices;
}

} // namespace populus::popir
