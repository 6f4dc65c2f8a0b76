// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens executables. Payloads of an executable stay mapped, so one that comes
// from a pipe is copied to a file first.

#include "RunInputs.h"

#include "HostTensor.h"

#include "runtime/Format/Ipux.h"

#include <pvti/pvti.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

namespace populus::run {

using namespace runtime;

namespace {

/// The copy has no name: nothing is left behind.
VerifiedExecutable readPipe(const std::string &pipe) {
  const std::vector<std::uint8_t> bytes = readFile(pipe);
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> copy(std::tmpfile(),
                                                              &std::fclose);
  if (!copy ||
      std::fwrite(bytes.data(), 1, bytes.size(), copy.get()) != bytes.size() ||
      std::fflush(copy.get()) != 0)
    throw InputError("cannot copy the executable of " + pipe +
                     " to a temporary file: " + std::strerror(errno));
  const std::string path =
      "/proc/self/fd/" + std::to_string(::fileno(copy.get()));
  try {
    return readExecutable(path);
  } catch (const FormatError &error) {
    std::string message = error.what();
    if (message.starts_with(path))
      message.replace(0, path.size(),
                      pipe == StandardInput ? "standard input" : pipe);
    throw FormatError(message);
  }
}

} // namespace

bool isPipe(const std::string &file) {
  std::error_code ignored;
  return file == StandardInput || std::filesystem::is_fifo(file, ignored);
}

VerifiedExecutable openExecutable(const std::string &file) {
  const pvti::Tracepoint span(&pvti::traceDrivers, "ipu-run: read");
  return isPipe(file) ? readPipe(file) : readExecutable(file);
}

void checkTrusted(const Executable &executable, const std::string &file,
                  bool allowNative) {
  if (executable.device != DeviceKind::Ipu && !allowNative)
    throw UsageError(file +
                     " holds host code, which can do anything that you can; "
                     "if you trust it, use --allow-native");
}

std::map<std::string, std::string>
namedValues(const std::string &option, const std::vector<std::string> &texts) {
  std::map<std::string, std::string> values;
  for (const std::string &text : texts) {
    // The name may contain '=' only if the value does not.
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError(option + " " + text + ": expected NAME=VALUE");
    const std::string name = text.substr(0, equals);
    if (!values.emplace(name, text.substr(equals + 1)).second)
      throw UsageError(option + " " + text + ": '" + name +
                       "' was given before");
  }
  return values;
}

std::map<std::string, HostTensor>
setInputs(Streams &streams, const std::string &testData,
          const std::vector<std::string> &inputs, const ImageOptions &images) {
  std::map<std::string, HostTensor> expected;
  if (!testData.empty())
    expected = streams.useTestData(testData);
  for (const auto &[name, value] : namedValues("--input", inputs))
    streams.setInput(name, value, images);
  streams.checkComplete();
  return expected;
}

} // namespace populus::run
