// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Saves and loads compiled programs of sessions, and reports on them. A saved
// file has the size of the program, the program and, optionally, the model with
// its weights.

#include "lib/PopART/Interface/SessionState.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace popart {

namespace {

/// The default file in a folder, or the path itself. A path is a folder if it
/// exists as one, or ends with a slash.
std::string fileOf(const std::string &path) {
  if (path.ends_with('/') || std::filesystem::is_directory(path))
    return (std::filesystem::path(path) / "executable.popef").string();
  return path;
}

void needLoadable(const popart_detail::SessionState &state) {
  if (state.isOnCpu)
    throw runtime_error("Executables for device type Cpu cannot be saved");
}

} // namespace

void Session::compileAndExport(const std::string &path) {
  const std::filesystem::path file = fileOf(path);
  if (file.has_parent_path())
    std::filesystem::create_directories(file.parent_path());
  state->program.compile();
  state->program.writeExecutable(file.string());
}

void Session::saveExecutable(const std::string &path, bool,
                             bool saveVariables) {
  needLoadable(*state);
  state->program.compile();
  const std::string program = state->program.executable();
  std::string bytes = std::to_string(program.size()) + "\n" + program;
  if (saveVariables)
    bytes += state->model;
  session::writeFile(fileOf(path), bytes);
}

void Session::loadExecutable(const std::string &path) {
  std::ifstream file(fileOf(path), std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  const std::string bytes = std::move(content).str();
  const std::size_t line = bytes.find('\n');
  std::size_t size = 0;
  if (file && line != std::string::npos)
    std::from_chars(bytes.data(), bytes.data() + line, size);
  if (size == 0 || size > bytes.size() - line - 1)
    throw error("'{}' is no executable that a session has saved", path);
  state->program.useExecutable(bytes.substr(line + 1, size));
  const std::string model = bytes.substr(line + 1 + size);
  if (!model.empty())
    state->model = session::withWeights(state->model, model, true);
}

void Session::updateEngineCache() {
  state->program.compile();
  state->program.keepInCache();
}

Session::TensorTileMap Session::getTensorTileMap() const {
  return state->program.tileMap();
}

std::string Session::getSerializedGraph() const {
  return state->program.graph();
}

void Session::connectStreamToCallback(
    const std::string &streamHandle,
    const std::function<void(void *)> &callback, unsigned) {
  state->program.connect(streamHandle, callback);
}

} // namespace popart
