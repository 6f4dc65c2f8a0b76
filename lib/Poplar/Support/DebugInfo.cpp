// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information files: a list of records, in JSON or CBOR, each written
// when its DebugInfo ends, so that a long program does not keep them all.

#include "lib/Poplar/Support/EngineOptions.h"

#include <poplar/DebugContext.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/exceptions.hpp>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

namespace poplar {

struct DebugInfo::Facts {
  ProfileValue::Map record;
  ProfileValue::Map values;
};

namespace {

class Streamer {
public:
  Streamer(const std::string &file, DebugSerializationFormat format)
      : out(file, std::ios::binary | std::ios::trunc), format(format) {
    if (!out)
      throw poplar_error("the debug information file '" + file +
                         "' cannot be written");
    // A list in CBOR whose end is marked, so that its length may be open.
    out << (format == DebugSerializationFormat::JSON ? "[" : "\x9f");
  }

  void write(const ProfileValue &record) {
    if (format == DebugSerializationFormat::CBOR)
      return serializeToCBOR(out, record);
    out << (isFirst ? "\n" : ",\n");
    isFirst = false;
    serializeToJSON(out, record);
  }

  ~Streamer() {
    if (out.is_open())
      close();
  }

  void close() {
    out << (format == DebugSerializationFormat::JSON ? "\n]\n" : "\xff");
    out.close();
  }

private:
  std::ofstream out;
  DebugSerializationFormat format;
  bool isFirst = true;
};

std::mutex mutex; // of the streamer
std::unique_ptr<Streamer> streamer;
std::atomic<bool> isStreaming{false};

/// Reports before an engine exists can only be requested through the
/// environment.
void streamAsEnvironmentSays() {
  const core::EngineOptions options = core::parseEngineOptions({});
  const std::lock_guard<std::mutex> lock(mutex);
  if (!options.reportDebugInfo || streamer)
    return;
  std::error_code failed; // then the file cannot be written
  std::filesystem::create_directories(options.reportFolder, failed);
  const auto path = std::filesystem::path(options.reportFolder) / "debug.cbor";
  streamer.reset(new Streamer(path.string(), DebugSerializationFormat::CBOR));
  isStreaming = true;
}

DebugId newId() {
  static std::atomic<DebugId> last{0};
  return ++last;
}

} // namespace

DebugInfo::DebugInfo(const DebugContext &context, std::string layer)
    : path(context.getPathName()), id(newId()) {
  static std::once_flag askedEnvironment;
  std::call_once(askedEnvironment, streamAsEnvironmentSays);
  if (!isStreaming)
    return;
  facts.reset(new Facts);
  const SourceLocation &location = context.getLocation();
  facts->record = {
      {"id", id},
      {"parentId", context.getParentId()},
      {"name", context.getName()},
      {"pathName", path},
      {"layer", std::move(layer)},
      {"location",
       ProfileValue::Map{{"fileName", location.getFileName()},
                         {"functionName", location.getFunctionName()},
                         {"lineNumber", location.getLineNumber()}}}};
}

DebugInfo::~DebugInfo() {
  if (!facts)
    return;
  facts->record["values"] = std::move(facts->values);
  const std::lock_guard<std::mutex> lock(mutex);
  if (streamer)
    streamer->write(facts->record);
}

bool DebugInfo::setValue(std::string name, const ProfileValue &value) {
  if (facts)
    facts->values[std::move(name)] = value;
  return facts != nullptr;
}

void DebugInfo::initializeStreamer(const std::string &fileName,
                                   const DebugSerializationFormat &format) {
  closeStreamer();
  const std::lock_guard<std::mutex> lock(mutex);
  streamer.reset(new Streamer(fileName, format));
  isStreaming = true;
}

void DebugInfo::closeStreamer() {
  const std::lock_guard<std::mutex> lock(mutex);
  isStreaming = false;
  if (streamer)
    streamer->close();
  streamer.reset();
}

} // namespace poplar
