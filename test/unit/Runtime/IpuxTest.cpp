// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The .ipux file: round trips, errors, and a reader that survives any damage:
// every byte of a file is changed in several ways, and the file is cut at every
// length.

#include "TestPrograms.h"

#include "runtime/Format/Ipux.h"
#include "runtime/Format/MappedFile.h"
#include "runtime/Format/Regions.h"
#include "runtime/Session/Session.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <unistd.h>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

/// A program that uses every part of the format.
Executable fullProgram() {
  Executable exe = scaleProgram(DeviceKind::IpuModel);
  exe.hostObjects = {{1, 2, 3}}; // not loaded here
  exe.broadcasts = {{0, 2}};
  exe.receivers = {{0, 160}, {1, 160}};
  exe.copyPieces.push_back({0, 64, CopyPiece::BroadcastFlag, 0, 8});
  exe.exchanges.push_back({"broadcast", {1, 1}});
  exe.copyPatterns = {{4, 3, 8, 12}};
  exe.copyPieces.push_back({0, 64, 1, 200, CopyPiece::PatternFlag});
  exe.exchanges.push_back({"pattern", {2, 1}});
  exe.metadata = {{"producer", "test"}, {"model", "none"}};
  exe.memory = {{1, {1, 2, 3}, 77}};
  addStep(exe, {StepKind::Switch, 0, Counter, "", {0, 1}, {-5}});
  return exe;
}

Executable codeProgram() {
  Executable exe;
  exe.target = "ipu2";
  exe.tilesPerIpu = 1;
  CodeImage image;
  image.base = 0x4c000;
  image.bytes.assign(5000, 7);
  image.textBytes = 4000;
  image.symbols = {{"a", 0x4c000, 8}, {"b", 0x4c008, 16}};
  image.files = {"a.cpp", "b.cpp"};
  image.lines = {{0x4c000, 0, 30}, {0x4c004, None, 0}, {0x4c008, 1, 7}};
  exe.images = {image};
  exe.tileSetups = {{0, {8, 16, 24, 32, 40, 48}, 56}};
  exe.tileSetup = {0};
  return exe;
}

std::string errorOf(const std::vector<std::uint8_t> &bytes) {
  try {
    parseExecutable(bytes, "file");
  } catch (const FormatError &error) {
    return error.what();
  }
  return "";
}

TEST(IpuxTest, ReadsBackWhatWasWritten) {
  for (const Executable &exe :
       {fullProgram(), codeProgram(), emulatedScaleProgram()}) {
    const std::vector<std::uint8_t> bytes = serializeExecutable(exe);
    EXPECT_EQ(serializeExecutable(*parseExecutable(bytes, "file")), bytes);
  }
  const std::vector<std::uint8_t> code = serializeExecutable(codeProgram());
  const Executable read = *parseExecutable(code, "file");
  ASSERT_EQ(read.images.size(), 1u);
  EXPECT_EQ(read.images[0].bytes, std::vector<std::uint8_t>(5000, 7));
  EXPECT_EQ(read.images[0].textBytes, 4000u);
  EXPECT_EQ(read.images[0].symbols[1].name, "b");
  EXPECT_EQ(read.tileSetups[0].workerBase[5], 48u);
  EXPECT_EQ(read.images[0].files[1], "b.cpp");
  ASSERT_EQ(read.images[0].lines.size(), 3u);
  EXPECT_EQ(read.images[0].lines[0].line, 30u);
  EXPECT_EQ(read.images[0].lines[1].file, None);
  EXPECT_EQ(read.images[0].lines[2].address, 0x4c008u);
  EXPECT_EQ(read.images[0].lines[2].line, 7u);
  const std::vector<std::uint8_t> full = serializeExecutable(fullProgram());
  const Executable other = *parseExecutable(full, "file");
  EXPECT_EQ(other.metadata.at("producer"), "test");
  EXPECT_EQ(other.streams[0].shape, (std::vector<std::uint64_t>{2, 2}));
  EXPECT_EQ(other.steps.back().values, std::vector<std::int32_t>{-5});
  EXPECT_EQ(other.memory[0].byCategory[2], 3u);
  EXPECT_EQ(other.copyPieces[0].bytes, 16u);
  EXPECT_EQ(other.receiversOf(other.copyPieces[1].broadcast())[1].tile, 1u);
  EXPECT_EQ(other.copyPatterns.at(other.copyPieces[2].pattern()).dstStride,
            12u);
}

TEST(IpuxTest, FieldsAndRegionsAreKept) {
  const Executable read =
      *parseExecutable(serializeExecutable(emulatedScaleProgram()), "file");
  const FieldInfo &field = read.vertexTypes[0].fields.at(1);
  EXPECT_EQ(field.access, FieldAccess::Output);
  EXPECT_EQ(field.elementBytes, 4u);
  EXPECT_EQ(field.minAlign, 4u);
  ASSERT_EQ(regionsOf(read, 0).size(), 2u);
  EXPECT_EQ(fieldName(read, 0, regionsOf(read, 0)[1]), "field 'out'");
}

TEST(IpuxTest, LargeSectionsBeginOnPages) {
  Executable exe = codeProgram();
  exe.images[0].bytes.assign(5000, 0xab);
  const std::vector<std::uint8_t> bytes = serializeExecutable(exe);
  const std::vector<std::uint8_t> pattern(5000, 0xab);
  const auto found =
      std::search(bytes.begin(), bytes.end(), pattern.begin(), pattern.end());
  ASSERT_NE(found, bytes.end());
  EXPECT_EQ((found - bytes.begin()) % 4096, 0);
}

/// An executable file that goes away at the end.
struct TemporaryFile {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() /
      ("ipux-test-" + std::to_string(getpid()) + ".ipux");

  explicit TemporaryFile(const Executable &exe) { writeExecutable(exe, path); }
  ~TemporaryFile() { std::filesystem::remove(path); }
};

TEST(IpuxTest, AFileRuns) {
  const TemporaryFile file(scaleProgram(DeviceKind::Cpu));
  auto session = Session::create(readExecutable(file.path));
  session->run(1);
  std::int32_t counter = -1;
  session->readTensor(HostCounter, &counter);
  EXPECT_EQ(counter, 0);
}

TEST(IpuxTest, PayloadsStayInTheFile) {
  Executable exe = emulatedScaleProgram();
  Payload weights;
  weights.name = "weights";
  weights.bytes.assign(100'000, 0x5a);
  exe.payloads.push_back(weights);
  const TemporaryFile file(exe);
  const Executable read = *readExecutable(file.path);
  for (std::size_t i = 0; i != exe.payloads.size(); ++i) {
    const std::span<const std::uint8_t> bytes = read.payloads[i].contents();
    EXPECT_TRUE(read.payloads[i].bytes.empty());
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(),
                           exe.payloads[i].bytes.begin(),
                           exe.payloads[i].bytes.end()));
  }
  EXPECT_EQ(serializeExecutable(read), serializeExecutable(exe));
}

TEST(IpuxTest, AFileThatWasCutOffIsAnError) {
  const TemporaryFile file(emulatedScaleProgram());
  const VerifiedExecutable read = readExecutable(file.path);
  std::filesystem::resize_file(file.path, 10);
  const std::string message =
      file.path.string() + " has been cut off since it was read";
  try {
    Session::create(read);
    FAIL();
  } catch (const RunError &error) {
    EXPECT_EQ(error.what(), message);
  }
  try {
    serializeExecutable(*read);
    FAIL();
  } catch (const FormatError &error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(IpuxTest, AFileThatIsCutOffWhileItIsReadIsAnError) {
  const TemporaryFile file(emulatedScaleProgram());
  const MappedFile mapped(file.path);
  const std::span<const std::uint8_t> bytes = mapped.bytes();
  std::vector<std::uint8_t> copied(bytes.size());
  mapped.copy(bytes, copied.data());
  EXPECT_EQ(copied, serializeExecutable(emulatedScaleProgram()));
  std::filesystem::resize_file(file.path, bytes.size() / 2);
  EXPECT_NO_THROW(mapped.copy(bytes.first(bytes.size() / 2), copied.data()));
  EXPECT_THROW(mapped.copy(bytes, copied.data()), FormatError);
}

TEST(IpuxTest, ErrorsAreClear) {
  std::vector<std::uint8_t> bytes = serializeExecutable(fullProgram());
  EXPECT_EQ(errorOf({}), "file: not an .ipux file");
  EXPECT_EQ(errorOf({'h', 'e', 'l', 'l', 'o', '!', '!', '!', '!'}),
            "file: not an .ipux file");
  std::vector<std::uint8_t> cut(bytes.begin(), bytes.end() - 1);
  EXPECT_NE(errorOf(cut).find("bytes instead of"), std::string::npos);
  bytes[8] = 99;
  EXPECT_NE(errorOf(bytes).find("version 99 is not supported"),
            std::string::npos);
  // A folder that no environment has.
  try {
    readExecutable("/dev/null/x.ipux");
    FAIL();
  } catch (const FormatError &error) {
    EXPECT_STREQ(error.what(), "cannot read /dev/null/x.ipux: Not a directory");
  }
  EXPECT_THROW(writeExecutable(fullProgram(), "/dev/null/x.ipux"), FormatError);
}

TEST(IpuxTest, EveryTruncationIsRefused) {
  const std::vector<std::uint8_t> bytes = serializeExecutable(fullProgram());
  for (std::size_t size = 0; size != bytes.size(); ++size)
    ASSERT_NE(errorOf({bytes.begin(), bytes.begin() + size}), "") << size;
}

/// Reads damaged bytes; they may be refused or still be a program, but nothing
/// else may happen.
void expectNoCrash(const std::vector<std::uint8_t> &bytes) {
  try {
    parseExecutable(bytes, "file", Checking::Structure);
  } catch (const FormatError &) {
  }
}

/// The bytes between sections are all that may change.
TEST(IpuxTest, ChecksumsFindEveryChangedBit) {
  const Executable program = fullProgram();
  const std::vector<std::uint8_t> bytes = serializeExecutable(program);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i != bytes.size(); ++i)
    for (unsigned bit = 0; bit != 8; ++bit) {
      std::vector<std::uint8_t> damaged = bytes;
      damaged[i] ^= static_cast<std::uint8_t>(1u << bit);
      if (!errorOf(damaged).empty())
        continue;
      ++accepted;
      EXPECT_EQ(serializeExecutable(*parseExecutable(damaged, "file")), bytes);
    }
  // The header, an entry of the table for each section, and the sections.
  std::uint64_t used = 32;
  for (std::size_t i = 0; i != std::size_t(bytes[12]); ++i) {
    std::uint64_t size = 0;
    std::memcpy(&size, &bytes[32 + 24 * i + 16], sizeof(size));
    used += 24 + size;
  }
  EXPECT_EQ(accepted, 8 * (bytes.size() - used));
}

TEST(IpuxTest, FilesWithoutChecksumsAreRead) {
  std::vector<std::uint8_t> bytes = serializeExecutable(codeProgram());
  constexpr std::size_t NumSections = 12, Features = 24, FirstEntry = 32,
                        EntryBytes = 24;
  // The entry of the checksums is the last one; the writer put none behind it.
  bytes[Features] = 0;
  EXPECT_NE(errorOf(bytes).find("lost its checksums"), std::string::npos);
  const std::size_t last =
      FirstEntry + EntryBytes * (std::size_t(bytes[NumSections]) - 1);
  bytes[last] = 200; // a kind that no reader knows
  EXPECT_EQ(errorOf(bytes), "");
}

TEST(IpuxTest, NoChangedByteDoesHarm) {
  const std::vector<std::uint8_t> bytes = serializeExecutable(fullProgram());
  for (std::size_t i = 0; i != bytes.size(); ++i)
    for (std::uint8_t change : {0x01, 0x80, 0xff}) {
      std::vector<std::uint8_t> damaged = bytes;
      damaged[i] ^= change;
      expectNoCrash(damaged);
    }
}

TEST(IpuxTest, NoChangedWordDoesHarm) {
  const std::vector<std::uint8_t> bytes = serializeExecutable(fullProgram());
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 4)
    for (std::uint64_t value :
         {std::uint64_t(0), ~std::uint64_t(0), std::uint64_t(1) << 63,
          std::uint64_t(0xfffffffc)}) {
      std::vector<std::uint8_t> damaged = bytes;
      std::memcpy(&damaged[i], &value, 8);
      expectNoCrash(damaged);
    }
}

} // namespace
