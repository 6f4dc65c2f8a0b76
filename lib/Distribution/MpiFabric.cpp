// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fabric over MPI: a message from each process to each other one.

#include "lib/Distribution/Job.h"
#include "runtime/Session/Fabric.h"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace populus::distribution {

namespace {

constexpr int GatherTag = 1, ExchangeTag = 2;

class MpiFabric : public runtime::Fabric {
public:
  unsigned index() const override { return Job::get().index(); }
  unsigned size() const override { return Job::get().size(); }

  void gather(std::span<const std::byte> own,
              std::span<std::byte> all) override {
    Job &job = Job::get();
    std::vector<Transfer> sends, receives;
    std::vector<std::byte> copy(own.begin(), own.end());
    for (unsigned i = 0; i != job.size(); ++i) {
      const auto part = all.subspan(i * own.size(), own.size());
      if (i == job.index()) {
        std::ranges::copy(own, part.begin());
        continue;
      }
      sends.push_back({i, copy});
      receives.push_back({i, part});
    }
    job.transfer(sends, receives, GatherTag);
  }

  void exchange(const std::vector<std::vector<std::byte>> &out,
                std::vector<std::vector<std::byte>> &in) override {
    std::vector<Transfer> sends, receives;
    std::vector<std::vector<std::byte>> copies = out;
    for (unsigned i = 0; i != out.size(); ++i) {
      if (!copies[i].empty())
        sends.push_back({i, copies[i]});
      if (!in[i].empty())
        receives.push_back({i, in[i]});
    }
    Job::get().transfer(sends, receives, ExchangeTag);
  }
};

} // namespace

} // namespace populus::distribution

extern "C" __attribute__((visibility("default"))) populus::runtime::Fabric *
populusMpiFabric(char *error, std::size_t size) {
  static populus::distribution::MpiFabric fabric;
  try {
    populus::distribution::Job::get();
    return &fabric;
  } catch (const std::exception &problem) {
    std::snprintf(error, size, "%s", problem.what());
    return nullptr;
  }
}
