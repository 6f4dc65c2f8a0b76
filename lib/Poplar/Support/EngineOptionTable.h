// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of engine options, from which the parser, the key of executables in
// caches and the table of docs/poplar.md derive. A new option is a row here and
// a field of EngineOptions, which has the default:
//
//   {"debug.verifyLowering", OptionEffect::Acceptance,
//    Flag<&EngineOptions::verifyLowering>, "true", "check that ..."},

#ifndef POPULUS_LIB_POPLAR_SUPPORT_ENGINEOPTIONTABLE_H
#define POPULUS_LIB_POPLAR_SUPPORT_ENGINEOPTIONTABLE_H

#include "lib/Poplar/Support/EngineOptions.h"

#include <span>
#include <string>
#include <string_view>

namespace poplar::core {

/// The part of a program's life that an option changes.
enum class OptionEffect {
  /// The execution of a program, and the reports about it.
  Run,
  /// Files and messages that the compilation writes, which an executable from a
  /// cache would not bring.
  Output,
  /// Programs that the compiler accepts. Their executables are the same.
  Acceptance,
  /// The bytes of the executable.
  Executable,
};

/// Reads an option's value from text, and writes it as text.
struct OptionValue {
  void (*set)(EngineOptions &options, const std::string &key,
              const std::string &value);
  std::string (*text)(const EngineOptions &options);
};

struct EngineOption {
  std::string_view key;
  OptionEffect effect;
  OptionValue value;
  /// A value other than the default, for tests.
  std::string_view another;
  /// The option's effect, as docs/poplar.md has it.
  std::string_view help;
  /// RuntimeOptions may hold it.
  bool mayChangePerRun = false;
};

/// All options with an effect, in the order of keys, so that autoReport.all
/// comes before the options that it includes.
std::span<const EngineOption> engineOptions();

/// Published keys without effect here.
std::span<const std::string_view> keysWithoutEffect();

/// True if RuntimeOptions may hold the option.
bool mayChangePerRun(std::string_view key);

/// The rows of the table in docs/poplar.md.
std::string engineOptionRows();

} // namespace poplar::core

#endif
