// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies custom patterns and transforms to graphs.

#include "lib/PopART/Custom/Rewrites.h"

#include "lib/PopART/Custom/Mirror.h"
#include "lib/PopART/Support/Error.h"

#include <fmt/ranges.h>
#include <popart/opmanager.hpp>
#include <popart/patterns/pattern.hpp>
#include <popart/transforms/transform.hpp>

#include <algorithm>

namespace populus::popir {

namespace {

struct Registered {
  std::unique_ptr<popart::PreAliasPattern> pattern;
  bool isEnabled, isMandatory;
};

// Local statics, because constructors of programs' static objects use them.
std::map<std::string, Registered> &patterns() {
  static std::map<std::string, Registered> map;
  return map;
}
std::map<std::string, std::unique_ptr<popart::Transform>> &transforms() {
  static std::map<std::string, std::unique_ptr<popart::Transform>> map;
  return map;
}

constexpr const char *Checkpoints[] = {"Fwd0",     "Fwd1",      "Bwd0",
                                       "PreAlias", "MainLoops", "Final"};

/// The limit of rounds; a pattern that needs more does not terminate.
constexpr int MostRounds = 1000;

/// Applies a pattern to each current operator. Returns true if it changed the
/// graph.
bool applyOnce(const popart::PreAliasPattern &pattern, popart::Graph &graph) {
  std::vector<popart::OpId> ids;
  for (const auto &item : graph.getOps())
    ids.push_back(item.first);
  bool hasChanged = false;
  for (const popart::OpId id : ids) {
    const auto found = graph.getOps().find(id);
    if (found == graph.getOps().end())
      continue;
    popart::Op *op = found->second.get();
    if (pattern.matches(op) && !pattern.touchesAnchored(op))
      hasChanged |= pattern.apply(op);
  }
  return hasChanged;
}

/// Calls a function of the user's program; prepends `who` to errors.
template <class Function> auto calling(const std::string &who, Function &&f) {
  try {
    return f();
  } catch (const popart::error &error) {
    failInput("{}: {}", who, error.what());
  }
}

void apply(Graph &graph, const std::string &name,
           const popart::PreAliasPattern &pattern,
           const std::set<std::string> &anchors) {
  const std::string who = fmt::format("the pattern '{}'", name);
  Mirror mirror(graph, anchors);
  int rounds = 0;
  while (calling(who, [&] { return applyOnce(pattern, mirror.graph()); }))
    if (++rounds == MostRounds)
      failInput("{} changes the graph again and again", who);
  if (rounds != 0)
    mirror.writeBack(who);
}

} // namespace

std::vector<CustomPattern> customPatterns() {
  std::vector<CustomPattern> list;
  for (const auto &[name, entry] : patterns())
    list.push_back({name, entry.isEnabled, entry.isMandatory});
  return list;
}

std::set<std::string> usualCustomPatterns() {
  std::set<std::string> names;
  for (const auto &[name, entry] : patterns())
    if (entry.isEnabled || entry.isMandatory)
      names.insert(name);
  return names;
}

void applyCustomPatterns(Module &module, const std::set<std::string> &names,
                         const std::set<std::string> &anchors) {
  for (const std::string &name : names)
    if (const auto found = patterns().find(name); found != patterns().end())
      for (Graph &graph : module.graphs())
        apply(graph, name, *found->second.pattern, anchors);
}

void check(const CustomTransforms &wanted) {
  for (const auto &[checkpoint, names] : wanted) {
    if (std::ranges::count(Checkpoints, checkpoint) == 0)
      failInput("customTransformApplierSettings: there is no checkpoint '{}'; "
                "there are {}",
                checkpoint, fmt::join(Checkpoints, ", "));
    for (const std::string &name : names)
      if (!transforms().contains(name))
        failInput("customTransformApplierSettings: no transform '{}' is "
                  "registered",
                  name);
  }
}

void applyCustomTransforms(Module &module, const CustomTransforms &wanted,
                           const std::string &checkpoint,
                           const std::set<std::string> &anchors) {
  const auto found = wanted.find(checkpoint);
  if (found == wanted.end())
    return;
  for (const std::string &name : found->second) {
    const std::string who = fmt::format("the transform '{}'", name);
    Mirror mirror(module.main(), anchors);
    if (calling(who,
                [&] { return transforms().at(name)->apply(mirror.graph()); }))
      mirror.writeBack(who);
  }
}

} // namespace populus::popir

namespace popart {

void Ir::applyTransform(std::size_t transformId, Graph &graph) {
  for (const auto &[name, transform] : populus::popir::transforms())
    if (transform->getId() == transformId) {
      transform->apply(graph);
      return;
    }
  throw error("no transform {} is registered", transformId);
}

std::unique_ptr<Op> Pattern::makeReplacementOp(const OperatorIdentifier &opid,
                                               Op *oldOp,
                                               const std::string &name) const {
  std::unique_ptr<Op> op = OpManager::createOp(
      opid, oldOp->getGraph(),
      oldOp->name() + "/" + (name.empty() ? opid.type : name));
  oldOp->transferBaseProperties(op.get());
  return op;
}

Op *Pattern::makeReplacementOpInIr(const OperatorIdentifier &opid, Op *oldOp,
                                   const std::string &name) const {
  Graph &graph = oldOp->getGraph();
  return graph.getOp(graph.moveIntoGraph(makeReplacementOp(opid, oldOp, name)));
}

bool PreAliasPattern::touchesAnchored(Op *op) const {
  const std::vector<const Tensor *> touched = touches(op);
  return std::any_of(touched.begin(), touched.end(),
                     [](const Tensor *tensor) { return tensor->isAnchored(); });
}

void PreAliasPatternManager::registerPattern(
    const std::string &name, std::unique_ptr<PreAliasPattern> pattern,
    bool enabled, bool mandatory) {
  pattern->initialise(name);
  populus::popir::patterns()[name] = {std::move(pattern), enabled, mandatory};
}

bool Transform::registerTransform(Transform *transform) {
  const std::string name = transform->getName();
  populus::popir::transforms()[name].reset(transform);
  return true;
}

} // namespace popart
