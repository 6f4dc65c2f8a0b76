// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spans of host programs, added up by name.

#include "lib/Profile/Format.h"
#include "lib/Profile/Views.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

namespace populus::profile {

namespace {

struct SpanSum {
  std::string name, channel;
  std::uint64_t times = 0;
  std::uint64_t total = 0, own = 0; // nanoseconds
  std::uint64_t longest = 0;
};

/// Own time is the time outside of nested spans.
void addThread(const HostThread &thread,
               std::map<std::pair<std::string, std::string>, SpanSum> &sums) {
  std::vector<SpanSum *> open;
  for (const HostSpan &span : thread.spans) {
    SpanSum &sum = sums[{span.name, span.channel}];
    const std::uint64_t length = span.end - span.begin;
    ++sum.times;
    sum.total += length;
    sum.own += length;
    sum.longest = std::max(sum.longest, length);
    if (span.isInstant)
      continue;
    open.resize(span.depth);
    if (!open.empty())
      open.back()->own -= std::min(open.back()->own, length);
    open.push_back(&sum);
  }
}

std::vector<SpanSum> spanSums(const std::vector<HostTrace> &traces) {
  std::map<std::pair<std::string, std::string>, SpanSum> sums;
  for (const HostTrace &trace : traces)
    for (const HostThread &thread : trace.threads)
      addThread(thread, sums);
  std::vector<SpanSum> list;
  for (auto &[key, sum] : sums) {
    std::tie(sum.name, sum.channel) = key;
    list.push_back(std::move(sum));
  }
  std::stable_sort(
      list.begin(), list.end(),
      [](const SpanSum &a, const SpanSum &b) { return a.own > b.own; });
  return list;
}

double milliseconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e6;
}

} // namespace

void printHosts(std::ostream &out, const std::vector<HostTrace> &traces,
                std::size_t most) {
  for (const HostTrace &trace : traces)
    out << fmt::format("trace    {}: {}, {:.3f} ms\n", printable(trace.name),
                       count(trace.threads.size(), "thread"),
                       milliseconds(trace.end));
  const std::vector<SpanSum> sums = spanSums(traces);
  out << "\n     times      total ms        own ms    longest ms  span\n";
  std::size_t shown = 0;
  for (const SpanSum &sum : sums) {
    if (most != 0 && shown++ == most)
      break;
    out << fmt::format("{:>10}  {:>12.3f}  {:>12.3f}  {:>12.3f}  {}\n",
                       grouped(sum.times), milliseconds(sum.total),
                       milliseconds(sum.own), milliseconds(sum.longest),
                       printable(sum.name));
  }
}

Json hostsJson(const std::vector<HostTrace> &traces) {
  Json json = {{"files", Json::array()}, {"spans", Json::array()}};
  for (const HostTrace &trace : traces)
    json["files"].push_back({{"name", printable(trace.name)},
                             {"threads", trace.threads.size()},
                             {"milliseconds", milliseconds(trace.end)}});
  for (const SpanSum &sum : spanSums(traces))
    json["spans"].push_back(
        {{"name", printable(sum.name)},
         {"channel", printable(sum.channel)},
         {"times", sum.times},
         {"milliseconds", milliseconds(sum.total)},
         {"own_milliseconds", milliseconds(sum.own)},
         {"longest_milliseconds", milliseconds(sum.longest)}});
  return json;
}

} // namespace populus::profile
