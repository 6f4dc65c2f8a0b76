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
}
