// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds propagation. Values are at most 32 bits wide, so sums and products of
// two fit in 64 bits; what exceeds the largest value has no solution.

#include "lib/PopLibs/popsolver/Constraint.h"

#include <algorithm>
#include <limits>

namespace popsolver {

bool Domains::atLeast(Variable v, Value min) {
  Bounds &b = bounds[v.id];
  if (min > b.min) {
    b.min = min;
    changed.push_back(v);
  }
  return b.min <= b.max;
}

bool Domains::atMost(Variable v, Value max) {
  Bounds &b = bounds[v.id];
  if (max < b.max) {
    b.max = max;
    changed.push_back(v);
  }
  return b.min <= b.max;
}

namespace {

class Product : public Constraint {
public:
  Product(Variable result, Variable left, Variable right)
      : result(result), left(left), right(right) {}

  bool propagate(Domains &d) const override {
    return d.atLeast(result, d[left].min * d[right].min) &&
           d.atMost(result, d[left].max * d[right].max) &&
           narrowFactor(d, left, right) && narrowFactor(d, right, left);
  }
  std::vector<Variable> variables() const override {
    return {result, left, right};
  }

private:
  const Variable result, left, right;

  bool narrowFactor(Domains &d, Variable factor, Variable other) const {
    const Bounds r = d[result], o = d[other];
    if (o.max != 0 && !d.atLeast(factor, (r.min + o.max - 1) / o.max))
      return false;
    if (o.max == 0 && r.min != 0)
      return false;
    return o.min == 0 || d.atMost(factor, r.max / o.min);
  }
};

/// A result of any number of operands.
class ResultOfMany : public Constraint {
public:
  ResultOfMany(Variable result, std::vector<Variable> operands)
      : result(result), operands(std::move(operands)) {}

  std::vector<Variable> variables() const override {
    std::vector<Variable> all = operands;
    all.push_back(result);
    return all;
  }

protected:
  const Variable result;
  const std::vector<Variable> operands;
};

class Sum : public ResultOfMany {
public:
  using ResultOfMany::ResultOfMany;

  bool propagate(Domains &d) const override {
    Value min = 0, max = 0;
    for (Variable v : operands) {
      min += d[v].min;
      max += d[v].max;
    }
    if (!d.atLeast(result, min) || !d.atMost(result, max))
      return false;
    // A term is what is left of the result when all others are extreme.
    for (Variable v : operands) {
      const Value othersMin = min - d[v].min, othersMax = max - d[v].max;
      const Bounds r = d[result];
      const Bounds old = d[v];
      if (r.max < othersMin || !d.atMost(v, r.max - othersMin))
        return false;
      if (r.min > othersMax && !d.atLeast(v, r.min - othersMax))
        return false;
      min += d[v].min - old.min;
      max -= old.max - d[v].max;
    }
    return true;
  }
};

/// The largest or the smallest operand.
template <bool Largest> class Extreme : public ResultOfMany {
public:
  using ResultOfMany::ResultOfMany;

  bool propagate(Domains &d) const override {
    Value min = Largest ? 0 : std::numeric_limits<Value>::max(), max = min;
    for (Variable v : operands) {
      min = Largest ? std::max(min, d[v].min) : std::min(min, d[v].min);
      max = Largest ? std::max(max, d[v].max) : std::min(max, d[v].max);
    }
    if (!d.atLeast(result, min) || !d.atMost(result, max))
      return false;
    unsigned able = 0;
    Variable last;
    for (Variable v : operands) {
      if (!(Largest ? d.atMost(v, d[result].max) : d.atLeast(v, d[result].min)))
        return false;
      if (Largest ? d[v].max >= d[result].min : d[v].min <= d[result].max) {
        ++able;
        last = v;
      }
    }
    // Only one reaches the result: it is the one.
    if (able != 1)
      return able != 0;
    return Largest ? d.atLeast(last, d[result].min)
                   : d.atMost(last, d[result].max);
  }
};

/// left + gap <= right.
class Ordered : public Constraint {
public:
  Ordered(Variable left, Variable right, Value gap)
      : left(left), right(right), gap(gap) {}

  bool propagate(Domains &d) const override {
    return d.atLeast(right, d[left].min + gap) && d[right].max >= gap &&
           d.atMost(left, d[right].max - gap);
  }
  std::vector<Variable> variables() const override { return {left, right}; }

private:
  const Variable left, right;
  const Value gap;
};

class Call : public Constraint {
public:
  Call(Variable result, std::vector<Variable> arguments, Computation function)
      : result(result), arguments(std::move(arguments)),
        function(std::move(function)) {}

  bool propagate(Domains &d) const override {
    std::vector<unsigned> values;
    for (Variable v : arguments) {
      if (!d.isKnown(v))
        return true;
      values.push_back(static_cast<unsigned>(d[v].min));
    }
    unsigned value = 0;
    return function(values, value) && d.set(result, value);
  }
  std::vector<Variable> variables() const override {
    std::vector<Variable> all = arguments;
    all.push_back(result);
    return all;
  }

private:
  const Variable result;
  const std::vector<Variable> arguments;
  const Computation function;
};

} // namespace

ConstraintPtr makeProduct(Variable result, Variable left, Variable right) {
  return std::make_unique<Product>(result, left, right);
}
ConstraintPtr makeSum(Variable result, std::vector<Variable> terms) {
  return std::make_unique<Sum>(result, std::move(terms));
}
ConstraintPtr makeMax(Variable result, std::vector<Variable> vars) {
  return std::make_unique<Extreme<true>>(result, std::move(vars));
}
ConstraintPtr makeMin(Variable result, std::vector<Variable> vars) {
  return std::make_unique<Extreme<false>>(result, std::move(vars));
}
ConstraintPtr makeLessOrEqual(Variable left, Variable right) {
  return std::make_unique<Ordered>(left, right, 0);
}
ConstraintPtr makeLess(Variable left, Variable right) {
  return std::make_unique<Ordered>(left, right, 1);
}
ConstraintPtr makeCall(Variable result, std::vector<Variable> arguments,
                       Computation function) {
  return std::make_unique<Call>(result, std::move(arguments),
                                std::move(function));
}

} // namespace popsolver
