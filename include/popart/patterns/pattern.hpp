// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rewrites of a program's own. A pattern looks at each operator of a graph,
// before and after gradients are added, and may replace it. A static
// PatternCreator object registers the pattern under a name, and Patterns turns
// it on or off by that name (docs/custom-operators.md).

#ifndef POPULUS_INCLUDE_POPART_PATTERNS_PATTERN_HPP
#define POPULUS_INCLUDE_POPART_PATTERNS_PATTERN_HPP

#include <popart/graph.hpp>
#include <popart/names.hpp>
#include <popart/op.hpp>
#include <popart/operatoridentifier.hpp>
#include <popart/patterns/patterns.hpp>

#include <memory>
#include <string>
#include <vector>

namespace popart {

class Pattern {
public:
  virtual ~Pattern() {}

  const std::string &getPatternName() const { return name; }
  void initialise(const std::string &newName) { name = newName; }

protected:
  /// Creates an operator without operands to replace another one. It has the
  /// other's settings and a name derived from it.
  std::unique_ptr<Op> makeReplacementOp(const OperatorIdentifier &opid,
                                        Op *oldOp,
                                        const std::string &name = "") const;
  /// The same, and adds it to the graph.
  Op *makeReplacementOpInIr(const OperatorIdentifier &opid, Op *oldOp,
                            const std::string &name = "") const;
  static void transferBaseProperties(const Op *from, Op *to) {
    from->transferBaseProperties(to);
  }

private:
  std::string name;
};

class PreAliasPattern : public Pattern {
public:
  virtual bool matches(Op *op) const = 0;
  /// Returns the tensors that apply() changes or removes. The pattern is not
  /// applied if a step returns one of them.
  virtual std::vector<const Tensor *> touches(Op *op) const = 0;
  /// Rewrites at \p op. Returns true if the graph has changed.
  virtual bool apply(Op *op) const = 0;
  bool touchesAnchored(Op *op) const;
};

class PreAliasPatternManager {
public:
  static void registerPattern(const std::string &name,
                              std::unique_ptr<PreAliasPattern> pattern,
                              bool enabled, bool mandatory);
};

template <class PATTERN> class PatternCreator {
public:
  explicit PatternCreator(const std::string &name, bool enabled = true,
                          bool mandatory = false) {
    PreAliasPatternManager::registerPattern(
        name, std::unique_ptr<PreAliasPattern>(new PATTERN), enabled,
        mandatory);
  }
};

} // namespace popart

#endif
