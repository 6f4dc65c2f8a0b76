// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways to execute IPU code. Results, cycles and faults are the same.

#ifndef POPULUS_RUNTIME_SESSION_ENGINE_H
#define POPULUS_RUNTIME_SESSION_ENGINE_H

#include <optional>
#include <string_view>

namespace populus::runtime {

enum class Engine {
  /// Begins with the interpreter, and translates code that is hot into host
  /// code.
  Auto,
  Interpreter,
  /// Translates all code of workers before it runs.
  Translated,
};

inline std::optional<Engine> engineNamed(std::string_view name) {
  if (name == "auto")
    return Engine::Auto;
  if (name == "interpreter")
    return Engine::Interpreter;
  if (name == "translated")
    return Engine::Translated;
  return std::nullopt;
}

} // namespace populus::runtime

#endif
