// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Log output by module, as PopART users know it: POPART_LOG_LEVEL sets the
// level of all modules, POPART_LOG_CONFIG names a JSON file with levels of
// single modules, POPART_LOG_DEST is "stdout", "stderr" or a file, and
// POPART_LOG_FORMAT replaces the pattern of a line. Logging is off by default.

#ifndef POPULUS_LIB_POPART_SUPPORT_LOG_H
#define POPULUS_LIB_POPART_SUPPORT_LOG_H

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace populus::popir::logging {

enum class Module {
  popart,
  session,
  ir,
  devicex,
  transform,
  pattern,
  builder,
  op,
  opx,
  ces,
  python,
};

/// From most to least verbose.
enum class Level { Trace, Debug, Info, Warn, Err, Critical, Off };

/// Unknown text means Off; upper and lower case are the same.
Level parseLevel(std::string_view text);

/// The module of a name, of which a leading "popart:" is ignored.
std::optional<Module> findModule(std::string_view name);

/// Sets one module by name, as findModule takes it, or all of them: "all".
/// False where there is no such module.
bool setLevel(std::string_view module, Level level);

bool isEnabled(Module module, Level level);
void write(Module module, Level level, const std::string &text);

template <class... Args>
void log(Module module, Level level, fmt::format_string<Args...> format,
         Args &&...args) {
  if (isEnabled(module, level))
    write(module, level, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void info(Module module, fmt::format_string<Args...> format, Args &&...args) {
  log(module, Level::Info, format, std::forward<Args>(args)...);
}
template <class... Args>
void debug(Module module, fmt::format_string<Args...> format, Args &&...args) {
  log(module, Level::Debug, format, std::forward<Args>(args)...);
}
template <class... Args>
void trace(Module module, fmt::format_string<Args...> format, Args &&...args) {
  log(module, Level::Trace, format, std::forward<Args>(args)...);
}

} // namespace populus::popir::logging

#endif
