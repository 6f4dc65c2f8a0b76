// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of engine options: each row is flipped, and the key of caches
// changes where the executable does; the page of documentation has the rows.

#include "lib/Poplar/Support/EngineOptionTable.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

using namespace poplar;

namespace {

class EngineOptionTest : public ::testing::Test {
protected:
  EngineOptionTest()
      : folder(std::filesystem::temp_directory_path() /
               ("populus-engine-options-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder);
    // Tests run with it, so the row would already have the other value.
    ::unsetenv("POPULUS_VERIFY_LOWERING");
  }
  ~EngineOptionTest() override { std::filesystem::remove_all(folder); }

  /// The row alone, with a value that is not the default.
  OptionFlags flipped(const core::EngineOption &option) const {
    std::string value(option.another);
    if (value.starts_with('@'))
      value = (folder / value.substr(1)).string();
    // Reports go to the folder, not to the working directory.
    OptionFlags flags{{"autoReport.directory", folder.string()}};
    flags.set(std::string(option.key), value);
    return flags;
  }

  /// The bytes of a program that uses each tile.
  static std::string executable(const OptionFlags &flags) {
    Graph graph(Target::createIPUTarget(1, 2, "ipu2"));
    const Tensor from = graph.addVariable(INT, {8}, "from");
    const Tensor to = graph.addVariable(INT, {8}, "to");
    graph.setTileMapping(from, 0);
    graph.setTileMapping(to, 1);
    std::ostringstream bytes;
    compileGraph(graph, {program::Copy(from, to)}, flags).serialize(bytes);
    return std::move(bytes).str();
  }

  static std::string key(const OptionFlags &flags) {
    return core::executableOptions(core::parseEngineOptions(flags));
  }

  std::filesystem::path folder;
};

// The program has no vertices, thus no stacks; EngineOptionKeyTest.cpp of
// PopART flips the rows of a model.
TEST_F(EngineOptionTest, KeyChangesWithTheExecutable) {
  const std::string plain = executable({}), plainKey = key({});
  for (const core::EngineOption &option : core::engineOptions()) {
    const OptionFlags flags = flipped(option);
    const bool isInKey = option.effect == core::OptionEffect::Executable ||
                         option.effect == core::OptionEffect::Acceptance;
    EXPECT_EQ(key(flags) != plainKey, isInKey) << option.key;
    if (option.effect != core::OptionEffect::Executable) {
      EXPECT_EQ(executable(flags), plain) << option.key;
    }
  }
}

// A program that does not fit has an executable with the option only.
TEST_F(EngineOptionTest, AcceptanceIsInTheKey) {
  const auto compile = [](const OptionFlags &flags) {
    Graph graph(Target::createIPUTarget(1, 2, "ipu2"));
    const Tensor large = graph.addVariable(INT, {1 << 20}, "large");
    graph.setTileMapping(large, 0);
    compileGraph(graph, {program::WriteUndef(large)}, flags);
  };
  EXPECT_THROW(compile({}), graph_memory_allocation_error);
  EXPECT_NO_THROW(compile({{"debug.allowOutOfMemory", "true"}}));
}

// A row that is flipped differs from the default as text, too.
TEST_F(EngineOptionTest, ValuesAreReadAndWritten) {
  for (const core::EngineOption &option : core::engineOptions()) {
    const core::EngineOptions usual;
    const core::EngineOptions changed =
        core::parseEngineOptions(flipped(option));
    const std::string text = option.value.text(changed);
    if (option.value.text(usual).empty() && text.empty())
      continue; // written by other rows, or not at all
    EXPECT_NE(text, option.value.text(usual)) << option.key;
    core::EngineOptions again;
    option.value.set(again, std::string(option.key), text);
    EXPECT_EQ(option.value.text(again), text) << option.key;
  }
}

// An executable from a cache would come without the files.
TEST_F(EngineOptionTest, OutputIsSeen) {
  for (const core::EngineOption &option : core::engineOptions())
    EXPECT_EQ(core::writesOutput(core::parseEngineOptions(flipped(option))),
              option.effect == core::OptionEffect::Output)
        << option.key;
}

TEST_F(EngineOptionTest, EnvironmentComesBeforeThePrograms) {
  const OptionFlags flags{{"prng.seed", "1"},
                          {"opt.maxCompilationThreads", "2"}};
  ::setenv("POPLAR_ENGINE_OPTIONS", R"({"prng.seed": "7"})", 1);
  const core::EngineOptions options = core::parseEngineOptions(flags);
  ::unsetenv("POPLAR_ENGINE_OPTIONS");
  EXPECT_EQ(options.seed, 7u);
  EXPECT_EQ(options.compilationThreads, 2u);
  EXPECT_EQ(core::parseEngineOptions(flags).seed, 1u);
}

// They count on an emulated IPU, before the options of the program.
TEST_F(EngineOptionTest, OptionsOfTheSimulator) {
  const auto modeOn = [](const Device &device) {
    Graph graph(device.getTarget());
    const Tensor value = graph.addVariable(INT, {2}, "value");
    graph.setTileMapping(value, 0);
    graph.createHostRead("value", value);
    Engine engine(graph, program::Sequence(), {{"debug.instrument", "true"}});
    engine.load(device);
    engine.run();
    return engine.getExecutionProfile()["profilerMode"].asString();
  };
  const Device ipu =
      Device::createSimulatorDevice(Target::createIPUTarget(1, 2, "ipu2"));
  const Device model = IPUModel().createDevice();
  EXPECT_EQ(modeOn(ipu), "COMPUTE_SETS");
  const auto with = [](const char *json, auto function) {
    ::setenv("POPLAR_SIMULATOR_OPTIONS", json, 1);
    function();
    ::unsetenv("POPLAR_SIMULATOR_OPTIONS");
  };
  with(R"({"debug.instrument": "false"})", [&] {
    EXPECT_EQ(modeOn(ipu), "NONE");
    EXPECT_EQ(modeOn(model), "IPU_MODEL");
  });
  for (const char *wrong :
       {R"({"debug.instrumnt": "false"})", R"({"debug.instrument": "maybe"})",
        R"({"debug.allowOutOfMemory": "true"})"})
    with(wrong, [&] { EXPECT_THROW(modeOn(ipu), invalid_option) << wrong; });
}

TEST_F(EngineOptionTest, KeysAreInOrder) {
  EXPECT_TRUE(std::ranges::is_sorted(core::engineOptions(), {},
                                     &core::EngineOption::key));
  EXPECT_TRUE(std::ranges::is_sorted(core::keysWithoutEffect()));
}

TEST_F(EngineOptionTest, DocumentationHasTheRows) {
  std::ifstream file(POPULUS_SOURCE_DIR "/docs/poplar.md");
  std::stringstream page;
  page << file.rdbuf();
  const std::string table = "| engine option | default | effect |\n"
                            "|---|---|---|\n" +
                            core::engineOptionRows() + "\n";
  EXPECT_NE(page.str().find(table), std::string::npos)
      << "docs/poplar.md has to have this table:\n"
      << table;
}

} // namespace
