// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program with trace points.

#include <pvti/pvti.hpp>

#include <thread>

static pvti::TraceChannel channel = {"my program"};

int main() {
  pvti::Tracepoint whole(&channel, "whole");
  pvti::Tracepoint::begin(&channel, "a \"quoted\" part");
  std::thread other([] { pvti::Tracepoint part(&channel, "other thread"); });
  other.join();
  pvti::Tracepoint::end(&channel, "a \"quoted\" part");
  pvti::Tracepoint::event(&channel, "moment",
                          pvti::createJsonMetadata("{\"bytes\": 12}"));
  {
    pvti::Tracepoint told(&channel, "told", pvti::createJsonMetadata([] {
      return std::string("plain text");
    }));
    pvti::Tracepoint part(&channel, "part of a text", 4);
  }
  pvti::Graph memory("memory", "MB");
  pvti::Series used = memory.addSeries("used"), left = memory.addSeries("free");
  used.add(1.5);
  left.add(2);
  pvti::Graph("off", "", false).addSeries("x").add(1);
  pvti::HeatmapDouble("times", {0, 1, 2}, "s").add({0.5, 1.5, 1.7, 9});
  // Switched off, so that only the option can name it.
  pvti::TraceChannel quiet("quiet", false);
  pvti::Tracepoint::event(&quiet, "silent");
  if (pvti::checkTraceChannel("quiet") || pvti::listTraceChannels().size() != 5)
    return 1;
  pvti::enableTraceChannel("quiet");
  pvti::disableTraceChannel("my program");
  const bool wrong = !pvti::checkTraceChannel("quiet") ||
                     pvti::checkTraceChannel("my program");
  pvti::disableTraceChannel("quiet");
  pvti::enableTraceChannel("my program");
  if (wrong)
    return 1;
}
