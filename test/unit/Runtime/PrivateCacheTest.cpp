// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folders accepted as a cache, and the entries that remain in a full one.

#include "runtime/Support/PrivateCache.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace populus::runtime;
namespace fs = std::filesystem;

namespace {

class PrivateCacheTest : public testing::Test {
protected:
  PrivateCacheTest()
      : folder(fs::path(testing::TempDir()) /
               ("private-cache-" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    ::setenv("POPULUS_TEST_CACHE", folder.c_str(), 1);
  }
  ~PrivateCacheTest() override {
    ::unsetenv("POPULUS_TEST_CACHE");
    ::unsetenv("POPULUS_TEST_CACHE_SIZE");
    fs::remove_all(folder);
  }

  fs::path folder;
};

TEST_F(PrivateCacheTest, MakesAFolderForThisUserAlone) {
  PrivateCache cache("POPULUS_TEST_CACHE", "test", 100);
  ASSERT_TRUE(cache.isUsable());
  cache.add("file", "content");
  std::ifstream file(cache.path("file"));
  std::string text;
  file >> text;
  EXPECT_EQ(text, "content");
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
}

TEST_F(PrivateCacheTest, DoesNotUseAFolderThatOthersMayRead) {
  fs::create_directories(folder);
  ::chmod(folder.c_str(), 0755);
  EXPECT_FALSE(PrivateCache("POPULUS_TEST_CACHE", "test", 100).isUsable());
}

TEST_F(PrivateCacheTest, DoesNotFollowALink) {
  fs::create_directories(folder);
  ::chmod(folder.c_str(), 0700);
  const fs::path link = folder / "link";
  fs::create_symlink(folder, link);
  ::setenv("POPULUS_TEST_CACHE", link.c_str(), 1);
  EXPECT_FALSE(PrivateCache("POPULUS_TEST_CACHE", "test", 100).isUsable());
}

TEST_F(PrivateCacheTest, CanBeSwitchedOff) {
  ::setenv("POPULUS_TEST_CACHE", "off", 1);
  PrivateCache cache("POPULUS_TEST_CACHE", "test", 100);
  EXPECT_FALSE(cache.isUsable());
  cache.add("file", "content"); // has no effect
  EXPECT_FALSE(fs::exists(folder));
}

TEST_F(PrivateCacheTest, RemovesWhatWasNotUsedForLongest) {
  using namespace std::chrono_literals;
  {
    PrivateCache cache("POPULUS_TEST_CACHE", "test", 25);
    for (const char *name : {"first", "second", "third"}) {
      cache.add(name, "0123456789");
      fs::last_write_time(cache.path(name),
                          fs::file_time_type::clock::now() - 1h);
    }
    fs::last_write_time(cache.path("second"),
                        fs::file_time_type::clock::now() - 2h);
    cache.touch("first");
  }
  EXPECT_TRUE(fs::exists(folder / "first"));
  EXPECT_FALSE(fs::exists(folder / "second"));
  EXPECT_TRUE(fs::exists(folder / "third"));
}

TEST_F(PrivateCacheTest, TakesItsLimitFromTheEnvironment) {
  const auto keeps = [&](const char *size, std::uint64_t usual) {
    ::setenv("POPULUS_TEST_CACHE_SIZE", size, 1);
    PrivateCache("POPULUS_TEST_CACHE", "test", usual).add("file", "content");
    return fs::exists(folder / "file");
  };
  EXPECT_FALSE(keeps("0", 100));
  EXPECT_TRUE(keeps("1", 0));
  EXPECT_TRUE(keeps("1x", 100)); // not a number: the usual limit
  EXPECT_FALSE(keeps("", 0));
}

} // namespace
