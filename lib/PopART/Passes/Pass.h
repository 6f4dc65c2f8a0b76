// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes: rewrites of a module. All front ends run the same list of them, and
// popir-opt runs any of them by name. Each has a name by which users switch it
// on and off (--patterns) and which log messages carry. To add one: write a
// file that defines the function, and a line in the table of PassManager.cpp.

#ifndef POPULUS_LIB_POPART_PASSES_PASS_H
#define POPULUS_LIB_POPART_PASSES_PASS_H

#include "lib/PopART/IR/Module.h"

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace populus::popir {

/// Which repeated parts of a graph become functions. Units are those of
/// Op::codeValue: about the code of one product of matrices.
struct OutlineOptions {
  /// What a part has to have at least.
  double threshold = 1;
  /// Leave parts alone whose calls copy more than they save.
  bool pruneByCopyCost = true;
};

/// What passes have to know.
struct PassOptions {
  OutlineOptions outline;
  /// HalfPrecision: so many convolutions at the beginning, and what comes
  /// before and between them, stay float; without a number, a third of them.
  std::optional<std::size_t> floatConvolutions;
  /// The IPUs over which operators are spread.
  unsigned numIpus = 1;
};

struct Pass {
  std::string_view name;
  std::string_view help;
  /// Returns how many places it changed.
  std::size_t (*run)(Module &module, const PassOptions &options) = nullptr;
  enum Selection {
    /// On unless the user says otherwise.
    Pattern,
    /// Part of compiling, and nothing that users choose.
    Always,
    /// Only where an option asks for it.
    OnDemand,
  } selection = Pattern;
  /// What users call the state of the module before this pass; empty: nothing.
  std::string_view checkpoint = {};
};

/// The checkpoint behind the last pass.
inline constexpr std::string_view FinalCheckpoint = "FINAL";

/// All passes, in the order in which they run.
std::span<const Pass> allPasses();
/// Null where there is no pass of that name.
const Pass *findPass(std::string_view name);

/// Which patterns are on: all, unless the user says otherwise.
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
  /// Of passes that run on demand.
  std::set<std::string> demanded;
  PassOptions options;
  /// Check the module after each pass.
  bool verifyEach = true;
  /// Told the name of each pass that ran.
  std::function<void(std::string_view)> afterEach;
  /// Told the name of each checkpoint, whichever passes run.
  std::function<void(std::string_view)> atCheckpoint;

  bool runs(const Pass &pass) const;
};

/// Runs one pass, and logs what it changed.
void runPass(Module &module, const Pass &pass, const PassOptions &options);
/// Runs the passes of a pipeline in the order of the table.
void runPipeline(Module &module, const Pipeline &pipeline);

} // namespace populus::popir

#endif
