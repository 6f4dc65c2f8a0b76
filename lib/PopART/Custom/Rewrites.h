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

/// A registered pattern, and its default state.
struct CustomPattern {
  std::string name;
  bool isEnabled = true;
  bool isMandatory = false;
};

/// In the order of their names.
std::vector<CustomPattern> customPatterns();
/// The names of the patterns that are on by default.
std::set<std::string> usualCustomPatterns();

/// Applies patterns until none changes anything. `anchors` are tensors that a
/// step returns in addition to the results of the graphs.
void applyCustomPatterns(Module &module, const std::set<std::string> &names,
                         const std::set<std::string> &anchors = {});

/// The names of transforms to apply, by checkpoint.
using CustomTransforms = std::map<std::string, std::vector<std::string>>;
/// Throws an Error for an unknown checkpoint or transform.
void check(const CustomTransforms &transforms);
/// Applies the transforms of a checkpoint to the main graph.
void applyCustomTransforms(Module &module, const CustomTransforms &transforms,
                           const std::string &checkpoint,
                           const std::set<std::string> &anchors = {});

} // namespace populus::popir

#endif
