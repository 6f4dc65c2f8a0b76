// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes rewrite a module. All front ends run the same list; popir-opt runs any
// pass by name. Users switch patterns on and off by name (--patterns), and log
// messages carry it. To add a pass, write a file that defines its function, and
// add a record to Passes.def.

#ifndef POPULUS_LIB_POPART_PASSES_PASS_H
#define POPULUS_LIB_POPART_PASSES_PASS_H

#include "lib/PopART/IR/Module.h"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace populus::popir {

/// Options of individual passes; Passes.def explains them.
struct PassOptions {
#define PASS_OPTION(TYPE, FIELD, DEFAULT, ...) TYPE FIELD = DEFAULT;
#include "lib/PopART/Passes/Passes.def"
};

struct Pass {
  std::string_view name;
  std::string_view summary;
  /// Returns the number of changes.
  std::size_t (*run)(Module &module, const PassOptions &options) = nullptr;
  enum Selection {
    /// On unless the user says otherwise.
    Pattern,
    /// Always runs; users cannot switch it off.
    Always,
    /// Runs only if an option demands it.
    OnDemand,
  } selection = Pattern;
  /// Name of the module's state before this pass, for users; empty: none.
  std::string_view checkpoint = {};
  /// For docs/popir.md, in Markdown.
  std::string_view description = {};
};

/// An option of popir-opt for a field of PassOptions.
struct PassOption {
  /// The largest value, of values that begin at 1; 0: any value.
  unsigned most = 0;
  std::string_view passes;
  std::string_view flag;
  /// A word for the value in the help; empty for a bool.
  std::string_view value;
  std::string_view help;
  std::variant<bool PassOptions::*, unsigned PassOptions::*,
               double PassOptions::*, std::optional<std::size_t> PassOptions::*>
      field;
};

/// The checkpoint behind the last pass.
inline constexpr std::string_view FinalCheckpoint = "FINAL";

/// All passes, in the order in which they run.
std::span<const Pass> allPasses();
std::span<const PassOption> allPassOptions();
/// Null where there is no pass of that name.
const Pass *findPass(std::string_view name);

/// The enabled patterns: all, unless the user disables some.
class Patterns {
public:
  Patterns();

  /// Applies a list such as "-PostNRepl,Prune" or "none,BatchNormIntoConv":
  /// items switch one pattern on or, with '-', off; "all" and "none" are all
  /// of them. An unknown name is a usage Error that lists those that exist.
  void apply(const std::string &list);

  bool isEnabled(std::string_view name) const {
    return enabled.count(std::string(name)) != 0;
  }

private:
  void applyItem(std::string item);
  std::set<std::string> enabled;
};

/// The passes of a compilation and how they run.
struct Pipeline {
  Patterns patterns;
  /// Names of the on-demand passes to run.
  std::set<std::string> demanded;
  PassOptions options;
  /// Check the module after each pass.
  bool verifyEach = true;
  /// Called with the name of each pass that ran.
  std::function<void(std::string_view)> afterEach;
  /// Called with the name of each checkpoint, whichever passes run.
  std::function<void(std::string_view)> atCheckpoint;

  bool runs(const Pass &pass) const;
};

/// Runs one pass, and logs what it changed.
void runPass(Module &module, const Pass &pass, const PassOptions &options);
/// Runs the passes of a pipeline in the order of the table.
void runPipeline(Module &module, const Pipeline &pipeline);

} // namespace populus::popir

#endif
