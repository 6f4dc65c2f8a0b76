// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface in C of the Python package popdist: it begins and ends the job,
// and moves bytes among some of its processes. Sums are the package's own, in
// the order of the processes. All functions return 0, or 1 after having written
// the reason to `error`, which has room for `size` characters.

#include "lib/Distribution/Job.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <vector>

using populus::distribution::Job;
using populus::distribution::Transfer;

namespace {

/// Members of different sets may exchange different collectives at one time.
constexpr int FirstTag = 16, NumTags = 1 << 14;

template <typename Function>
int guarded(char *error, std::size_t size, Function function) {
  try {
    function();
    return 0;
  } catch (const std::exception &problem) {
    std::snprintf(error, size, "%s", problem.what());
    return 1;
  }
}

} // namespace

#define POPULUS_EXPORT extern "C" __attribute__((visibility("default")))

POPULUS_EXPORT int populusMpiBegin(unsigned *index, unsigned *count,
                                   char *error, std::size_t size) {
  return guarded(error, size, [&] {
    *index = Job::get().index();
    *count = Job::get().size();
  });
}

POPULUS_EXPORT int populusMpiEnd(char *error, std::size_t size) {
  return guarded(error, size, [] {
    if (Job *job = Job::current())
      job->end();
  });
}

/// Sends `own` to all members, and receives theirs in the order of `members`,
/// `bytes` each. Collectives of one tag are in the same order in all of them.
POPULUS_EXPORT int populusMpiGather(const unsigned *members, unsigned count,
                                    unsigned tag, const void *own, void *all,
                                    std::uint64_t bytes, char *error,
                                    std::size_t size) {
  return guarded(error, size, [&] {
    Job &job = Job::get();
    const auto *from = static_cast<const std::byte *>(own);
    auto *to = static_cast<std::byte *>(all);
    std::vector<std::byte> copy(from, from + bytes);
    std::vector<Transfer> sends, receives;
    for (unsigned i = 0; i != count; ++i) {
      const std::span<std::byte> part(to + i * bytes, bytes);
      if (members[i] == job.index()) {
        std::memcpy(part.data(), copy.data(), bytes);
        continue;
      }
      sends.push_back({members[i], copy});
      receives.push_back({members[i], part});
    }
    job.transfer(sends, receives, FirstTag + static_cast<int>(tag % NumTags));
  });
}

/// The root's bytes for all members.
POPULUS_EXPORT int populusMpiBroadcast(const unsigned *members, unsigned count,
                                       unsigned root, unsigned tag, void *data,
                                       std::uint64_t bytes, char *error,
                                       std::size_t size) {
  return guarded(error, size, [&] {
    Job &job = Job::get();
    const std::span<std::byte> part(static_cast<std::byte *>(data), bytes);
    std::vector<Transfer> sends, receives;
    if (root != job.index())
      receives.push_back({root, part});
    else
      for (unsigned i = 0; i != count; ++i)
        if (members[i] != root)
          sends.push_back({members[i], part});
    job.transfer(sends, receives, FirstTag + static_cast<int>(tag % NumTags));
  });
}
