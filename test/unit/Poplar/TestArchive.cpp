// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes the test vertices as popc would.

#include "test/unit/Poplar/TestArchive.h"

#include "lib/Archive/Archive.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace populus::archive;

namespace {

Field edge(const char *name, FieldKind kind, Direction direction,
           ElementType type, FieldPlace place, std::uint32_t minAlign = 4) {
  Field field;
  field.name = name;
  field.kind = kind;
  field.direction = direction;
  field.type = type;
  field.minAlign = minAlign;
  field.places = {place};
  return field;
}

VertexType type(const char *name, std::uint32_t stateBytes,
                std::vector<Field> fields) {
  VertexType result;
  result.name = name;
  result.entry = std::string("__runCodelet_") + name;
  result.location = "TestCodelets.cpp:1";
  result.targets = {{"cpu", stateBytes, 8}};
  result.fields = std::move(fields);
  return result;
}

Archive makeArchive() {
  const auto Int = ElementType::Int;
  const auto Byte = ElementType::UnsignedChar;
  const FieldPlace span0 = {0, 16, Layout::Span, Layout::NotAVector};
  const FieldPlace list0 = {0, 16, Layout::Span, Layout::Span};
  const FieldPlace scalars0 = {0, 16, Layout::NotAVector, Layout::Span};
  const auto scalar = [](std::uint32_t offset, std::uint32_t bytes) {
    return FieldPlace{offset, bytes, Layout::NotAVector, Layout::NotAVector};
  };
  Archive archive;
  archive.vertexTypes = {
      type("Sum", 32,
           {edge("in", FieldKind::EdgeVector, Direction::Input, Int, span0),
            edge("out", FieldKind::Edge, Direction::Output, Int, scalar(16, 8)),
            edge("scale", FieldKind::State, Direction::None, Int,
                 scalar(24, 4))}),
      type("AddOne", 16,
           {edge("data", FieldKind::EdgeVector, Direction::InOut, Byte, span0,
                 1)}),
      type("SumEach", 40,
           {edge("in", FieldKind::EdgeList, Direction::Input, Int, list0),
            edge("out", FieldKind::EdgeVector, Direction::Output, Int,
                 {16, 8, Layout::OnePtr, Layout::NotAVector}),
            edge("factors", FieldKind::StateVector, Direction::None, Int,
                 {24, 16, Layout::Span, Layout::NotAVector})}),
      type(
          "Copy", 16,
          {edge("in", FieldKind::Edge, Direction::Input, Int, scalar(0, 8)),
           edge("out", FieldKind::Edge, Direction::Output, Int, scalar(8, 8))}),
      type("SumScalars", 24,
           {edge("in", FieldKind::EdgeScalars, Direction::Input, Int, scalars0),
            edge("out", FieldKind::Edge, Direction::Output, Int,
                 scalar(16, 8))}),
      type(
          "Alignment", 16,
          {edge("in", FieldKind::EdgeVector, Direction::Input, Int,
                {0, 8, Layout::OnePtr, Layout::NotAVector}, 16),
           edge("out", FieldKind::Edge, Direction::Output, Int, scalar(8, 8))}),
  };
  std::sort(
      archive.vertexTypes.begin(), archive.vertexTypes.end(),
      [](const VertexType &a, const VertexType &b) { return a.name < b.name; });
  std::ifstream file(TEST_CODELETS, std::ios::binary);
  Object object;
  object.target = "cpu";
  object.source = "TestCodelets.cpp";
  object.bytes.assign(std::istreambuf_iterator<char>(file), {});
  archive.objects.push_back(std::move(object));
  return archive;
}

} // namespace

const std::string &testArchive() {
  static const std::string path = [] {
    const std::string name =
        std::filesystem::temp_directory_path() /
        ("poplar-test-" + std::to_string(getpid()) + ".gp");
    makeArchive().write(name);
    std::atexit([] { unlink(testArchive().c_str()); });
    return name;
  }();
  return path;
}
