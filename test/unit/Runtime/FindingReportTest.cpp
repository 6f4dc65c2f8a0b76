// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of findings.

#include "runtime/Session/FindingReport.h"
#include "runtime/Session/TensorNames.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace populus::runtime;

namespace {

Finding behindTheEnd() {
  Finding finding;
  finding.computeSet = "sum";
  finding.address = 0x50110;
  finding.bytes = 4;
  finding.place.vertex = "Sum";
  finding.place.source = "/home/me/my codelets/sum.cpp:12";
  finding.place.what = "in field 'out' at byte 0";
  finding.element = "in[40] of 40";
  finding.tensor = "a";
  finding.isInOther = true;
  return finding;
}

TEST(FindingReportTest, MessagesNameElementAndTensor) {
  Finding finding = behindTheEnd();
  EXPECT_EQ(finding.message(),
            "tile 0, compute set 'sum': vertex 'Sum' with state at 0x0, "
            "/home/me/my codelets/sum.cpp:12: reads in[40] of 40 (tensor "
            "\"a\"): load of 4 bytes at 0x50110, in field 'out' at byte 0");
  finding.count = 7;
  EXPECT_TRUE(finding.message().ends_with("at byte 0 (7 times)"));
  EXPECT_NE(finding.json().find("\"count\":7"), std::string::npos);
}

TEST(FindingReportTest, AListIsOneScreen) {
  EXPECT_EQ(listOf({}, "tool: "), "");
  std::vector<Finding> findings(3, behindTheEnd());
  std::string list = listOf(findings, "tool: ");
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 3);
  EXPECT_TRUE(list.starts_with("tool: check: bounds: tile 0"));
  findings.resize(33, behindTheEnd());
  list = listOf(findings, "tool: ");
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 21);
  EXPECT_TRUE(list.ends_with("tool: check: and 13 more findings\n"));
}

TEST(FindingReportTest, SarifHasLinesRulesAndCounts) {
  Finding race = behindTheEnd();
  race.check = Check::Races;
  race.place.source.clear(); // no line is known
  race.other = behindTheEnd().place;
  race.count = 3;
  const auto log =
      nlohmann::json::parse(sarifOf({behindTheEnd(), race}, "tool"));
  const auto &run = log.at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("name"), "tool");
  const auto &result = run.at("results").at(0);
  EXPECT_EQ(result.at("ruleId"), "bounds");
  const auto &place = result.at("locations").at(0).at("physicalLocation");
  EXPECT_EQ(place.at("artifactLocation").at("uri"),
            "file:///home/me/my%20codelets/sum.cpp");
  EXPECT_EQ(place.at("region").at("startLine"), 12);
  const auto &other = run.at("results").at(1);
  EXPECT_EQ(other.at("occurrenceCount"), 3);
  EXPECT_FALSE(other.at("locations").at(0).contains("physicalLocation"));
  EXPECT_EQ(other.at("relatedLocations").at(0).at("physicalLocation"), place);
}

TEST(FindingReportTest, NamesOfTensors) {
  Executable exe;
  exe.metadata[VariablesKey] =
      R"([{"name": "a", "type": "float", "shape": [4],
           "homes": [[2, 0, 4096, false], [2, 1, 8192, false]]},
          {"name": "b", "type": "half", "shape": [4],
           "homes": [[4, 0, 4104, true]]},
          {"name": "c", "type": "half", "shape": [2],
           "homes": [[2, 0, 4108, true]]}])";
  const TensorNames names(exe);
  EXPECT_EQ(names.at(0, 4096), "a");
  EXPECT_EQ(names.at(0, 4103), "a");
  EXPECT_EQ(names.at(0, 4104), "b");
  EXPECT_EQ(names.at(0, 4108), ""); // b or c
  EXPECT_EQ(names.at(1, 8196), "a");
  EXPECT_EQ(names.at(1, 4096), "");
  exe.metadata[VariablesKey] = R"([{"name": "a"}])";
  EXPECT_EQ(TensorNames(exe).at(0, 4096), "");
}

} // namespace
