// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives are read once, for each target, until their file changes.

#include "lib/Poplar/Graph/ArchiveCache.h"
#include "test/unit/Poplar/TestArchive.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace populus::archive;
using poplar::core::readArchive;
using poplar::core::SharedArchive;

namespace {

class ArchiveCacheTest : public testing::Test {
protected:
  ArchiveCacheTest() { std::filesystem::create_directory(folder); }
  ~ArchiveCacheTest() override { std::filesystem::remove_all(folder); }

  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() /
      ("archive-cache-" + std::to_string(::getpid()));
  const std::filesystem::path file = folder / "a.gp";
};

TEST_F(ArchiveCacheTest, GraphsShareAFile) {
  Archive::read(testArchive()).write(file);
  const SharedArchive first = readArchive(file, "ipu2");
  EXPECT_EQ(readArchive(file, "ipu2"), first);
  EXPECT_NE(readArchive(file, "cpu"), first);
  EXPECT_EQ(readArchive(file, "ipu2"), first);
}

TEST_F(ArchiveCacheTest, ChangedFilesAreReadAgain) {
  Archive archive = Archive::read(testArchive());
  archive.write(file);
  const SharedArchive first = readArchive(file, "ipu2");
  const std::string name = archive.vertexTypes.front().name;
  archive.vertexTypes.front().name = name.substr(1) + "x"; // of the same size
  archive.write(file);
  const SharedArchive second = readArchive(file, "ipu2");
  EXPECT_EQ(first->vertexTypes.front().name, name);
  EXPECT_EQ(second->vertexTypes.front().name, name.substr(1) + "x");
}

TEST_F(ArchiveCacheTest, AnAbsentFileIsAnError) {
  EXPECT_THROW(readArchive(file, "ipu2"), ArchiveError);
  Archive::read(testArchive()).write(file);
  EXPECT_FALSE(readArchive(file, "ipu2")->vertexTypes.empty());
  std::filesystem::remove(file);
  EXPECT_THROW(readArchive(file, "ipu2"), ArchiveError);
}

} // namespace
