// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of libpvti: spans and series of threads; files that were cut off; what
// is no such file.

#include "lib/Profile/HostTrace.h"
#include "lib/Profile/Perfetto.h"
#include "lib/Profile/Views.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

using namespace populus::profile;

namespace {

constexpr const char *Text =
    R"([
{"cat":"framework","name":"outer","ph":"B","pid":7,"tid":0,"ts":1.5},
{"cat":"framework","name":"inner","ph":"B","pid":7,"tid":0,"ts":2.0,"args":{"n":1}},
{"cat":"","name":"bytes","ph":"C","pid":7,"tid":0,"ts":2.5,"args":{"read":3.5}},
{"cat":"framework","name":"inner","ph":"E","pid":7,"tid":0,"ts":4.0},
{"cat":"poplar","name":"Engine::run","ph":"B","pid":7,"tid":1,"ts":4.5},
{"cat":"framework","name":"now","ph":"i","pid":7,"tid":0,"ts":5.0,"s":"t"},
{"cat":"framework","name":"outer","ph":"E","pid":7,"tid":0,"ts":6.0}
]
)";

HostTrace read(const std::string &text) {
  const std::string path =
      testing::TempDir() + "/" + std::to_string(getpid()) + ".pvti";
  std::ofstream(path, std::ios::binary) << text;
  struct Remover {
    std::string path;
    ~Remover() { std::filesystem::remove(path); }
  } remover{path};
  return readHostTrace(path);
}

TEST(HostTrace, SpansAndSeries) {
  const HostTrace trace = read(Text);
  ASSERT_EQ(trace.threads.size(), 2u);
  const std::vector<HostSpan> &spans = trace.threads[0].spans;
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].name, "outer");
  EXPECT_EQ(spans[0].begin, 1500u);
  EXPECT_EQ(spans[0].end, 6000u);
  EXPECT_EQ(spans[1].depth, 1u);
  EXPECT_EQ(spans[1].facts, "{\"n\":1}");
  EXPECT_TRUE(spans[2].isInstant);
  // An open span ends with the trace.
  EXPECT_EQ(trace.threads[1].spans[0].end, 6000u);
  ASSERT_EQ(trace.series.size(), 1u);
  EXPECT_EQ(trace.series[0].name, "bytes: read");
  EXPECT_EQ(trace.series[0].values[0].second, 3.5);
}

TEST(HostTrace, OwnTime) {
  const Json json = hostsJson({read(Text)});
  EXPECT_EQ(json["spans"][0]["name"], "outer");
  EXPECT_DOUBLE_EQ(json["spans"][0]["milliseconds"].get<double>(), 0.0045);
  EXPECT_DOUBLE_EQ(json["spans"][0]["own_milliseconds"].get<double>(), 0.0025);
}

TEST(HostTrace, FilesThatWereCutOff) {
  const std::string text = Text;
  const HostTrace trace = read(text.substr(0, text.find("now")));
  ASSERT_EQ(trace.threads.size(), 2u);
  EXPECT_EQ(trace.threads[0].spans.size(), 2u);
  EXPECT_EQ(trace.threads[0].spans[0].end, 4500u);
}

TEST(HostTrace, OtherFiles) {
  EXPECT_THROW(readHostTrace("/nowhere.pvti"), std::runtime_error);
  EXPECT_THROW(read("no trace"), std::runtime_error);
  EXPECT_THROW(read("[\n1,\n2\n]\n"), std::runtime_error);
}

TEST(HostTrace, FilesMaySayAnything) {
  const std::string original = Text;
  std::mt19937 random(1);
  for (unsigned i = 0; i != 2000; ++i) {
    std::string changed = original;
    for (unsigned changes = 1 + random() % 3; changes != 0; --changes)
      changed[random() % changed.size()] =
          i % 2 ? static_cast<char>(random())
                : original[random() % original.size()];
    try {
      const std::vector<HostTrace> traces = {read(changed)};
      std::ostringstream out;
      printHosts(out, traces, 3);
      hostsJson(traces);
      makeTrace(traces);
    } catch (const std::runtime_error &error) {
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
  }
}

} // namespace
