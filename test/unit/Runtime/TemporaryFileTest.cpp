// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic files: a completed file remains, an interrupted one leaves nothing,
// however the process ends.

#include "runtime/Support/TemporaryFile.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace populus::runtime;
namespace fs = std::filesystem;

namespace {

class TemporaryFileTest : public testing::Test {
protected:
  TemporaryFileTest()
      : folder(fs::path(testing::TempDir()) /
               ("temporary-file-" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    fs::create_directory(folder);
  }
  ~TemporaryFileTest() override { fs::remove_all(folder); }

  /// The exit status of a child that does `work`, then sends itself `signal`.
  template <typename Work> static int endOfChild(int signal, Work work) {
    const pid_t child = ::fork();
    if (child == 0) {
      work();
      ::raise(signal);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
  }

  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(
        fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder;
};

TEST_F(TemporaryFileTest, TakesThePlaceOfItsTarget) {
  const fs::path target = folder / "out";
  std::ofstream(target) << "old";
  std::error_code error;
  TemporaryFile first(target, error), second(target, error);
  ASSERT_FALSE(error);
  EXPECT_NE(first.path(), second.path());
  EXPECT_EQ(fs::path(first.path()).parent_path(), folder);
  std::ofstream(first.path()) << "new";
  EXPECT_FALSE(first.takePlace());
  std::string text;
  std::ifstream(target) >> text;
  EXPECT_EQ(text, "new");
  EXPECT_EQ(files(), 2u);
}

TEST_F(TemporaryFileTest, IsGoneUnlessItTookItsPlace) {
  std::error_code error;
  {
    TemporaryFile file(folder / "out", error);
  }
  EXPECT_FALSE(error);
  EXPECT_EQ(files(), 0u);
}

TEST_F(TemporaryFileTest, SaysWhyItCannotBe) {
  std::error_code error;
  TemporaryFile file(folder / "none" / "out", error);
  EXPECT_EQ(error, std::errc::no_such_file_or_directory);
  EXPECT_EQ(file.path(), "");
}

TEST_F(TemporaryFileTest, HasTheModeOfTheMask) {
  const mode_t mask = ::umask(027);
  std::error_code error;
  TemporaryFile file(folder / "out", error);
  ::umask(mask);
  struct stat status = {};
  ASSERT_EQ(::stat(file.path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST_F(TemporaryFileTest, DoesNotOutliveAnInterruptedProcess) {
  for (int signal : {SIGHUP, SIGINT, SIGTERM}) {
    const int status = endOfChild(signal, [&] {
      ::signal(signal, SIG_DFL);
      removeTemporaryFilesOnSignals();
      std::error_code error;
      TemporaryFile done(folder / "done", error);
      if (error || done.takePlace())
        ::_exit(1);
      // Never destroyed, as when the process is in the middle of writing them.
      new TemporaryFile(folder / "out", error);
      new TemporaryFile(folder / "out", error);
    });
    ASSERT_TRUE(WIFSIGNALED(status)) << status;
    EXPECT_EQ(WTERMSIG(status), signal);
    EXPECT_TRUE(fs::exists(folder / "done"));
    EXPECT_EQ(files(), 1u);
  }
}

TEST_F(TemporaryFileTest, LeavesIgnoredSignalsAlone) {
  const int status = endOfChild(SIGHUP, [&] {
    ::signal(SIGHUP, SIG_IGN);
    removeTemporaryFilesOnSignals();
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace
