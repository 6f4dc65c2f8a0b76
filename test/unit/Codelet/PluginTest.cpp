// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The codelet compiler as a plug-in: loaded into a program, called with source
// text, again after errors, and from two threads at once.

#include "lib/Codelet/Plugin.h"
#include "lib/Archive/Archive.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <thread>

using namespace populus::codelet;
using populus::archive::Archive;

namespace {

constexpr const char *Source = R"(
#include <poplar/Vertex.hpp>
class NAME : public poplar::Vertex {
public:
  poplar::Input<float> in;
  poplar::Output<float> out;
  bool compute() { *out = 2 * in; return true; }
};
)";

class Plugin : public testing::Test {
protected:
  static PluginFunction load() {
    std::string path = std::string(PLUGIN_DIRECTORY) + PluginLibrary;
    void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      ADD_FAILURE() << ::dlerror();
    return reinterpret_cast<PluginFunction>(::dlsym(library, PluginEntry));
  }

  CompileResult compile(std::vector<std::string> arguments) {
    CompileRequest request;
    request.arguments = std::move(arguments);
    request.standardInput = Source;
    CompileResult result;
    function(request, result);
    return result;
  }

  PluginFunction function = load();
};

TEST_F(Plugin, CompilesSourceText) {
  CompileResult result = compile({"-DNAME=Twice", "--target=cpu,ipu2", "-"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.diagnostics, "");
  Archive archive = Archive::parse(result.archive, "result");
  ASSERT_EQ(archive.vertexTypes.size(), 1u);
  EXPECT_EQ(archive.vertexTypes[0].name, "Twice");
  EXPECT_EQ(archive.vertexTypes[0].targets.size(), 2u);
  ASSERT_EQ(archive.objects.size(), 2u);
  EXPECT_EQ(archive.objects[0].target, "cpu");
  EXPECT_EQ(archive.objects[1].target, "ipu2");
}

TEST_F(Plugin, ErrorsAreReturned) {
  CompileResult result = compile({"-DNAME=1", "--target=cpu", "-"});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(
      result.diagnostics.find("<stdin>:3:1: error: declaration of anonymous"),
      std::string::npos)
      << result.diagnostics;
  EXPECT_TRUE(result.archive.empty());
  EXPECT_EQ(compile({"-DNAME=Next", "--target=cpu", "-"}).status, 0);
}

TEST_F(Plugin, UsageErrorsAreReturned) {
  EXPECT_EQ(compile({"--target=ipu9", "-"}).status, 2);
  EXPECT_EQ(compile({"-S", "-"}).status, 2);
  EXPECT_EQ(compile({}).status, 2);
}

TEST_F(Plugin, RunsInSeveralThreads) {
  CompileResult results[2];
  std::thread other([&] {
    results[0] = compile({"-DNAME=A", "--target=cpu,ipu1,ipu2", "-"});
  });
  results[1] = compile({"-DNAME=A", "--target=cpu,ipu1,ipu2", "-"});
  other.join();
  EXPECT_EQ(results[0].status, 0);
  EXPECT_EQ(results[1].status, 0);
  EXPECT_EQ(results[0].archive, results[1].archive);
}

} // namespace
