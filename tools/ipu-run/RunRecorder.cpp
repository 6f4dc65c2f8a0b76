// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of runs, and the file.

#include "RunRecorder.h"

#include "Streams.h"

#include "lib/Profile/ReportFile.h"
#include "runtime/Support/OutputFile.h"

#include <pvti/pvti.hpp>

#include <chrono>
#include <filesystem>

namespace populus::run {

namespace {

constexpr std::size_t MostRuns = 1 << 16;

std::uint64_t nanoseconds() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(
          std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

} // namespace

void RunRecorder::run(runtime::Session &session) {
  const pvti::Tracepoint span(&pvti::traceDrivers, "ipu-run: run");
  const std::size_t record = session.recorded(0).steps.size();
  const std::uint64_t clock = session.clock();
  const std::uint64_t begin = nanoseconds();
  const auto keep = [&] {
    const std::uint64_t end = nanoseconds();
    if (keeps && runs.size() < MostRuns)
      runs.push_back({"", 0, true, record, clock, begin, end});
    return end;
  };
  try {
    session.run(0);
  } catch (...) {
    keep(); // what it has done may be reported
    throw;
  }
  times.add(static_cast<double>(keep() - begin) * 1e-9);
}

void RunRecorder::write(const std::string &folder,
                        const runtime::Session &session) const {
  report::Report report = profile::describeProgram(session.executable());
  profile::addExecution(report, session, runs);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const auto path = std::filesystem::path(folder) / profile::ReportFileName;
  const std::string reason =
      runtime::writeFile(path, profile::serializeReport(report));
  if (!reason.empty())
    throw InputError("cannot write the report " + path.string() + ": " +
                     reason);
}

} // namespace populus::run
