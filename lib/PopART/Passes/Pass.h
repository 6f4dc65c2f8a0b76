// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes rewrite a module. All front ends run the same list; popir-opt runs any
// pass by name. Users switch patterns on and off by name (--patterns), and log
// messages carry it. To add a pass, write a file that defines its function, and
// add a row to the table of PassManager.cpp.

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

/// Selects the repeated parts of a graph that become functions, in units of
/// Op::codeValue: about the code of one matrix product.
struct OutlineOptions {
  /// The least code of a part.
  double threshold = 1;
  /// Skip parts whose calls copy more than they save.
  bool pruneByCopyCost = true;
};

/// Options of individual passes.
struct PassOptions {
  OutlineOptions outline;
  /// HalfPrecision: the number of convolutions at the beginning that stay
  /// float32, with all operators before and between; nothing: the first third.
  std::optional<std::size_t> floatConvolutions;
  /// The IPUs over which operators are spread.
  unsigned numIpus = 1;
};

struct Pass {
  std::string_view name;
  std::string_view help;
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
};

/// The checkpoint behind the last pass.
inline constexpr std::string_view FinalCheckpoint = "FINAL";

/// All passes, in the order in which they run.
std::span<const Pass> allPasses();
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
