// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns and transforms that programs define (popart/patterns/pattern.hpp,
// popart/transforms/transform.hpp): the registry, and their application.

#ifndef POPULUS_LIB_POPART_CUSTOM_REWRITES_H
#define POPULUS_LIB_POPART_CUSTOM_REWRITES_H

#include "lib/PopART/IR/Module.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace populus::popir {

/// When a pattern is on where nobody says anything.
struct CustomPattern {
  std::string name;
  bool isEnabled = true;
  bool isMandatory = false;
};

/// In the order of their names.
std::vector<CustomPattern> customPatterns();
/// The names of those that are on where nobody says anything.
std::set<std::string> usualCustomPatterns();

/// Applies patterns until none changes anything. `anchors` are returned by a
/// step, beside the results of the graphs.
void applyCustomPatterns(Module &module, const std::set<std::string> &names,
                         const std::set<std::string> &anchors = {});

/// By checkpoint, the names of transforms that are applied there.
using CustomTransforms = std::map<std::string, std::vector<std::string>>;
/// An Error where one names no checkpoint, or no transform that is registered.
void check(const CustomTransforms &transforms);
/// Applies those of one checkpoint to the main graph.
void applyCustomTransforms(Module &module, const CustomTransforms &transforms,
                           const std::string &checkpoint,
                           const std::set<std::string> &anchors = {});

} // namespace populus::popir

#endif
