// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .gp file: what is written is read back, equal contents give equal bytes,
// damaged files end in an ArchiveError, and merging keeps or refuses what it
// should.

#include "lib/Archive/Archive.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace populus::archive;

namespace {

VertexType makeVertexType(const std::string &target, unsigned pointerBytes) {
  VertexType type;
  type.name = "ns::Add<float,true>";
  type.entry = "__runCodelet_ns__Add___float_true";
  type.location = "a.cpp:3";
  type.targets = {{target, 4 * pointerBytes, pointerBytes}};
  type.fields = {{"in",
                  FieldKind::EdgeVector,
                  Direction::Input,
                  ElementType::Float,
                  8,
                  true,
                  {{0, 2 * pointerBytes, Layout::Span, Layout::NotAVector}}},
                 {"n",
                  FieldKind::State,
                  Direction::None,
                  pointerBytes == 8 ? ElementType::UnsignedLongLong
                                    : ElementType::UnsignedInt,
                  pointerBytes,
                  false,
                  {{2 * pointerBytes, pointerBytes, Layout::NotAVector,
                    Layout::NotAVector}}}};
  type.fields[1].minAlign = 1;
  type.constraints = {"elem(*in) != elem(*out)"};
  return type;
}

Archive makeArchive(const std::string &target, unsigned pointerBytes) {
  Archive archive;
  archive.vertexTypes = {makeVertexType(target, pointerBytes)};
  archive.objects = {{target, "a-source-with-a-long-name.cpp", {1, 2, 3}}};
  return archive;
}

Archive parse(const std::vector<std::uint8_t> &bytes) {
  return Archive::parse(bytes, "test.gp");
}

std::string parseError(const std::vector<std::uint8_t> &bytes) {
  try {
    parse(bytes);
  } catch (const ArchiveError &error) {
    return error.what();
  }
  return "";
}

TEST(Archive, RoundTrip) {
  Archive archive = makeArchive("cpu", 8);
  archive.objects.push_back({"ipu2", "b.S", {}});
  Archive back = parse(archive.serialize());
  ASSERT_EQ(back.vertexTypes.size(), 1u);
  const VertexType &type = back.vertexTypes[0];
  EXPECT_EQ(type.name, "ns::Add<float,true>");
  EXPECT_EQ(type.entry, "__runCodelet_ns__Add___float_true");
  EXPECT_EQ(type.location, "a.cpp:3");
  EXPECT_EQ(type.constraints,
            std::vector<std::string>{"elem(*in) != elem(*out)"});
  ASSERT_EQ(type.targets.size(), 1u);
  EXPECT_EQ(type.targets[0].target, "cpu");
  EXPECT_EQ(type.targets[0].stateBytes, 32u);
  EXPECT_EQ(type.targets[0].stateAlign, 8u);
  ASSERT_EQ(type.fields.size(), 2u);
  const Field &in = type.fields[0];
  EXPECT_EQ(in.kind, FieldKind::EdgeVector);
  EXPECT_EQ(in.direction, Direction::Input);
  EXPECT_EQ(in.type, ElementType::Float);
  EXPECT_EQ(in.minAlign, 8u);
  EXPECT_TRUE(in.interleaved);
  ASSERT_EQ(in.places.size(), 1u);
  EXPECT_EQ(in.places[0].bytes, 16u);
  EXPECT_EQ(in.places[0].inner, Layout::Span);
  EXPECT_EQ(type.fields[1].places[0].offset, 16u);
  ASSERT_EQ(back.objects.size(), 2u);
  EXPECT_EQ(back.objects[0].source, "a-source-with-a-long-name.cpp");
  EXPECT_EQ(back.objects[0].bytes, (std::vector<std::uint8_t>{1, 2, 3}));
  EXPECT_EQ(back.objects[1].target, "ipu2");
  EXPECT_TRUE(back.objects[1].bytes.empty());
}

TEST(Archive, EqualContentsGiveEqualBytes) {
  EXPECT_EQ(makeArchive("cpu", 8).serialize(),
            makeArchive("cpu", 8).serialize());
  std::vector<std::uint8_t> once = makeArchive("ipu2", 4).serialize();
  EXPECT_EQ(parse(once).serialize(), once);
}

TEST(Archive, EveryTruncationIsAnError) {
  std::vector<std::uint8_t> bytes = makeArchive("cpu", 8).serialize();
  // The very last byte is padding.
  for (std::size_t size = 0; size + 1 < bytes.size(); ++size) {
    std::string error = parseError({bytes.begin(), bytes.begin() + size});
    EXPECT_NE(error.find("test.gp"), error.npos) << "cut at " << size;
  }
}

TEST(Archive, EveryChangedByteIsReadOrRefused) {
  std::vector<std::uint8_t> bytes = makeArchive("cpu", 8).serialize();
  for (std::size_t i = 0; i != bytes.size(); ++i)
    for (std::uint8_t flip : {0x01, 0x80, 0xff}) {
      std::vector<std::uint8_t> damaged = bytes;
      damaged[i] ^= flip;
      try {
        for (const VertexType &type : parse(damaged).vertexTypes)
          for (const Field &field : type.fields)
            EXPECT_EQ(field.places.size(), type.targets.size());
      } catch (const ArchiveError &) {
      }
    }
}

TEST(Archive, WrongFiles) {
  EXPECT_NE(parseError({}).find("empty"), std::string::npos);
  EXPECT_NE(parseError({0x7f, 'E', 'L', 'F'}).find("wrong first bytes"),
            std::string::npos);
  std::string ar = "!<arch>\n";
  EXPECT_NE(parseError({ar.begin(), ar.end()}).find("not one of codelets"),
            std::string::npos);
}

TEST(Archive, UnknownVersionIsRefused) {
  std::vector<std::uint8_t> bytes = makeArchive("cpu", 8).serialize();
  // The description starts behind the magic, the long names and a header; its
  // first field is the version.
  std::string text(bytes.begin(), bytes.end());
  std::size_t header = text.find("description.pb/");
  ASSERT_NE(header, text.npos);
  std::size_t version = header + 60;
  ASSERT_EQ(bytes[version], 0x08);
  ASSERT_EQ(bytes[version + 1], 1);
  bytes[version + 1] = 3;
  EXPECT_NE(parseError(bytes).find("format version 3"), std::string::npos);
}

TEST(Archive, MergeJoinsTargets) {
  Archive archive = makeArchive("ipu2", 4);
  archive.merge(makeArchive("cpu", 8));
  ASSERT_EQ(archive.vertexTypes.size(), 1u);
  const VertexType &type = archive.vertexTypes[0];
  ASSERT_EQ(type.targets.size(), 2u);
  // In the order of the target table, whichever came first.
  EXPECT_EQ(type.targets[0].target, "cpu");
  EXPECT_EQ(type.targets[1].target, "ipu2");
  EXPECT_EQ(type.fields[0].places[0].bytes, 16u);
  EXPECT_EQ(type.fields[0].places[1].bytes, 8u);
  // size_t: the tile's type, the host's size.
  EXPECT_EQ(type.fields[1].type, ElementType::UnsignedInt);
  EXPECT_EQ(type.fields[1].places[0].bytes, 8u);
  EXPECT_EQ(type.fields[1].places[1].bytes, 4u);
  EXPECT_EQ(archive.objects.size(), 2u);

  Archive other = makeArchive("cpu", 8);
  other.merge(makeArchive("ipu2", 4));
  EXPECT_EQ(other.vertexTypes[0].fields[1].type, ElementType::UnsignedInt);
}

/// With an edge to one element of a type that is as wide as the target has it.
Archive makeWideEdge(const char *target, ElementType type, unsigned align) {
  Archive archive = makeArchive(target, align);
  Field &field = archive.vertexTypes[0].fields[1];
  field.kind = FieldKind::Edge;
  field.direction = Direction::Input;
  field.type = type;
  field.minAlign = align;
  return archive;
}

TEST(Archive, ElementsDifferByTarget) {
  const Archive tile = makeWideEdge("ipu2", ElementType::UnsignedInt, 4);
  const Archive host = makeWideEdge("cpu", ElementType::UnsignedLongLong, 8);
  for (bool hostFirst : {false, true}) {
    Archive both = hostFirst ? host : tile;
    both.merge(hostFirst ? tile : host);
    both.merge(makeWideEdge("ipu1", ElementType::UnsignedInt, 4));
    both = parse(both.serialize());
    const Field &field = both.vertexTypes[0].fields[1];
    // The tile's type; the host's type is in its own place.
    EXPECT_EQ(field.type, ElementType::UnsignedInt);
    EXPECT_EQ(field.minAlign, 4u);
    ASSERT_EQ(field.places.size(), 3u);
    EXPECT_EQ(field.elements(0), (Elements{ElementType::UnsignedLongLong, 8}));
    EXPECT_EQ(field.elements(1), (Elements{ElementType::UnsignedInt, 4}));
    EXPECT_EQ(field.elements(2), (Elements{ElementType::UnsignedInt, 4}));
    EXPECT_FALSE(field.places[1].elements);
    // The same type again is no news, another one for the same target is.
    both.merge(host);
    EXPECT_THROW(both.merge(makeWideEdge("cpu", ElementType::UnsignedInt, 4)),
                 ArchiveError);
  }
  // Signed and unsigned numbers are not the same thing.
  Archive archive = tile;
  EXPECT_THROW(archive.merge(makeWideEdge("cpu", ElementType::LongLong, 8)),
               ArchiveError);
}

TEST(Archive, MergeOfTheSameIsTheSame) {
  Archive archive = makeArchive("cpu", 8);
  archive.merge(makeArchive("cpu", 8));
  EXPECT_EQ(archive.serialize(), makeArchive("cpu", 8).serialize());
}

TEST(Archive, MergeSortsByName) {
  Archive archive = makeArchive("cpu", 8);
  Archive other = makeArchive("cpu", 8);
  other.vertexTypes[0].name = "A";
  archive.merge(other);
  ASSERT_EQ(archive.vertexTypes.size(), 2u);
  EXPECT_EQ(archive.vertexTypes[0].name, "A");
}

TEST(Archive, MergeRefusesDifferences) {
  auto mergeError = [](auto change) -> std::string {
    Archive archive = makeArchive("cpu", 8);
    Archive other = makeArchive("cpu", 8);
    other.vertexTypes[0].location = "b.cpp:7";
    change(other.vertexTypes[0]);
    std::vector<std::uint8_t> before = archive.serialize();
    try {
      archive.merge(other);
    } catch (const ArchiveError &error) {
      EXPECT_EQ(archive.serialize(), before);
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(mergeError([](VertexType &) {}), "");
  EXPECT_EQ(
      mergeError([](VertexType &type) { type.fields[0].name = "other"; }),
      "vertex type 'ns::Add<float,true>' is defined differently at a.cpp:3 "
      "and at b.cpp:7: field 'other'; rename one of them");
  EXPECT_NE(mergeError([](VertexType &type) {
              type.fields[0].type = ElementType::Half;
            }),
            "");
  EXPECT_NE(
      mergeError([](VertexType &type) { type.targets[0].stateBytes = 40; }),
      "");
  EXPECT_NE(mergeError([](VertexType &type) { type.fields.pop_back(); }), "");
  EXPECT_NE(
      mergeError([](VertexType &type) { type.kind = VertexKind::Supervisor; }),
      "");
}

TEST(Archive, KindIsThatOfTheIPU) {
  for (const bool hostFirst : {true, false}) {
    Archive host = makeArchive("cpu", 8), ipu = makeArchive("ipu2", 8);
    ipu.vertexTypes[0].kind = VertexKind::Supervisor;
    Archive &into = hostFirst ? host : ipu;
    into.merge(hostFirst ? ipu : host);
    EXPECT_EQ(into.vertexTypes[0].kind, VertexKind::Supervisor);
    EXPECT_EQ(into.vertexTypes[0].targets.size(), 2u);
    Archive other = makeArchive("ipu21", 8);
    EXPECT_THROW(into.merge(other), ArchiveError);
  }
}

class ArchiveFile : public testing::Test {
protected:
  void SetUp() override {
    directory = std::filesystem::temp_directory_path() /
                ("archive-test-" + std::to_string(::getpid()));
    std::filesystem::create_directory(directory);
  }
  void TearDown() override { std::filesystem::remove_all(directory); }

  std::size_t countFiles() const {
    std::filesystem::directory_iterator begin(directory);
    return static_cast<std::size_t>(
        std::distance(begin, std::filesystem::directory_iterator()));
  }

  std::filesystem::path directory;
};

TEST_F(ArchiveFile, WriteAndRead) {
  Archive archive = makeArchive("cpu", 8);
  archive.write(directory / "a.gp");
  archive.write(directory / "a.gp");
  EXPECT_EQ(countFiles(), 1u);
  EXPECT_EQ(Archive::read(directory / "a.gp").serialize(), archive.serialize());
}

TEST_F(ArchiveFile, ErrorsNameTheFileAndLeaveNothing) {
  EXPECT_THROW(makeArchive("cpu", 8).write(directory / "no" / "a.gp"),
               ArchiveError);
  // A directory cannot be replaced by a file.
  std::filesystem::create_directory(directory / "d.gp");
  EXPECT_THROW(makeArchive("cpu", 8).write(directory / "d.gp"), ArchiveError);
  EXPECT_EQ(countFiles(), 1u);
  EXPECT_THROW(Archive::read(directory / "missing.gp"), ArchiveError);
  EXPECT_THROW(Archive::read(directory / "d.gp"), ArchiveError);
}

} // namespace
