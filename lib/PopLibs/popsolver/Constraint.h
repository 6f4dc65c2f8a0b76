// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints, which narrow the bounds of their variables.

#ifndef POPULUS_LIB_POPLIBS_POPSOLVER_CONSTRAINT_H
#define POPULUS_LIB_POPLIBS_POPSOLVER_CONSTRAINT_H

#include <popsolver/Variable.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace popsolver {

/// Sums and products of values fit in here, those that would not are capped.
using Value = std::uint64_t;

struct Bounds {
  Value min, max;
};

/// The bounds of all variables during a search.
class Domains {
public:
  explicit Domains(std::vector<Bounds> bounds) : bounds(std::move(bounds)) {}

  const Bounds &operator[](Variable v) const { return bounds[v.id]; }
  bool isKnown(Variable v) const {
    return bounds[v.id].min == bounds[v.id].max;
  }
  /// Narrow the bounds; false if nothing is left.
  bool atLeast(Variable v, Value min);
  bool atMost(Variable v, Value max);
  bool set(Variable v, Value value) {
    return atLeast(v, value) && atMost(v, value);
  }

  /// Variables that were narrowed since the last call.
  std::vector<Variable> takeChanged() { return std::move(changed); }
  std::size_t size() const { return bounds.size(); }

private:
  std::vector<Bounds> bounds;
  std::vector<Variable> changed;
};

class Constraint {
public:
  virtual ~Constraint() = default;
  /// Narrows bounds by what must hold; false if it cannot.
  virtual bool propagate(Domains &domains) const = 0;
  virtual std::vector<Variable> variables() const = 0;
};

using ConstraintPtr = std::unique_ptr<Constraint>;

ConstraintPtr makeProduct(Variable result, Variable left, Variable right);
ConstraintPtr makeSum(Variable result, std::vector<Variable> terms);
ConstraintPtr makeMax(Variable result, std::vector<Variable> vars);
ConstraintPtr makeMin(Variable result, std::vector<Variable> vars);
ConstraintPtr makeLessOrEqual(Variable left, Variable right);
ConstraintPtr makeLess(Variable left, Variable right);

/// A result that is computed once all arguments are known. The function
/// returns false where there is none.
using Computation =
    std::function<bool(const std::vector<unsigned> &, unsigned &)>;
ConstraintPtr makeCall(Variable result, std::vector<Variable> arguments,
                       Computation function);

} // namespace popsolver

#endif
