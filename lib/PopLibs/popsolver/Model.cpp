// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model and its search. Variables are decided in the order in which they
// were added: those that others depend on come first. Once an assignment is
// known, only branches whose objectives can still become smaller are entered.

#include "lib/PopLibs/popsolver/Constraint.h"

#include <popsolver/Model.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <stdexcept>

namespace popsolver {

struct Model::Impl {
  std::vector<Bounds> bounds;
  std::vector<std::string> names;
  std::map<unsigned, Variable> constants;
  std::vector<ConstraintPtr> constraints;
  /// For each variable the constraints that it is in.
  std::vector<std::vector<const Constraint *>> users;

  Variable add(Value min, Value max, const std::string &name) {
    if (min > max)
      throw std::invalid_argument("popsolver: the variable '" + name +
                                  "' has no values");
    const Variable v(static_cast<unsigned>(bounds.size()));
    bounds.push_back({min, max});
    names.push_back(name);
    users.emplace_back();
    return v;
  }
  Variable addResult(const std::string &name) {
    return add(0, Model::maxValue(), name);
  }
  void constrain(ConstraintPtr constraint) {
    for (Variable v : constraint->variables())
      users[v.id].push_back(constraint.get());
    constraints.push_back(std::move(constraint));
  }
};

namespace {

void requireSome(const std::vector<Variable> &vars, const char *function) {
  if (vars.empty())
    throw std::invalid_argument(std::string("popsolver: ") + function +
                                " of no variables");
}

class Search {
public:
  Search(const std::vector<std::vector<const Constraint *>> &users,
         std::vector<Variable> objectives)
      : users(users), objectives(std::move(objectives)) {}

  Solution run(const std::vector<Bounds> &bounds,
               const std::vector<ConstraintPtr> &constraints) {
    Domains domains(bounds);
    for (const ConstraintPtr &constraint : constraints)
      if (!constraint->propagate(domains))
        return Solution();
    if (settle(domains))
      visit(domains, 0);
    return best;
  }

private:
  const std::vector<std::vector<const Constraint *>> &users;
  const std::vector<Variable> objectives;
  Solution best;

  /// Propagates until nothing changes.
  bool settle(Domains &domains) const {
    for (auto changed = domains.takeChanged(); !changed.empty();
         changed = domains.takeChanged()) {
      std::sort(changed.begin(), changed.end());
      changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
      for (Variable v : changed)
        for (const Constraint *constraint : users[v.id])
          if (!constraint->propagate(domains))
            return false;
    }
    return true;
  }

  /// Asks for objectives that come before those of the best assignment.
  bool bound(Domains &domains) const {
    if (!best.validSolution())
      return true;
    for (std::size_t i = 0; i != objectives.size(); ++i) {
      const Variable v = objectives[i];
      const Value known = best[v];
      const bool last = i + 1 == objectives.size();
      if (last && known == 0)
        return false;
      if (!domains.atMost(v, last ? known - 1 : known))
        return false;
      // A smaller one leaves the others free.
      if (domains[v].min != known)
        break;
    }
    return settle(domains);
  }

  void visit(Domains &domains, unsigned from) {
    if (!bound(domains))
      return;
    while (from != domains.size() && domains.isKnown(Variable(from)))
      ++from;
    if (from == domains.size()) {
      accept(domains);
      return;
    }
    const Variable v(from);
    const Bounds range = domains[v];
    // An objective's branches are cut by its bound as soon as it is reached.
    for (Value value = range.min; value <= range.max; ++value) {
      Domains branch = domains;
      if (branch.set(v, value) && settle(branch))
        visit(branch, from + 1);
      if (!bound(domains))
        return;
      if (domains[v].min > value + 1)
        value = domains[v].min - 1;
      if (domains[v].max < range.max && value >= domains[v].max)
        return;
    }
  }

  void accept(const Domains &domains) {
    std::vector<unsigned> values;
    for (unsigned i = 0; i != domains.size(); ++i)
      values.push_back(static_cast<unsigned>(domains[Variable(i)].min));
    const Solution found(std::move(values));
    if (!best.validSolution() || comesBefore(found, best))
      best = found;
  }

  bool comesBefore(const Solution &a, const Solution &b) const {
    for (Variable v : objectives)
      if (a[v] != b[v])
        return a[v] < b[v];
    return false;
  }
};

} // namespace

unsigned Model::maxValue() { return std::numeric_limits<unsigned>::max() - 1; }

Model::Model() : impl(std::make_unique<Impl>()) {}
Model::Model(Model &&other) noexcept = default;
Model &Model::operator=(Model &&other) noexcept = default;
Model::~Model() = default;

Variable Model::addVariable(const std::string &name) {
  return impl->addResult(name);
}
Variable Model::addVariable(unsigned min, unsigned max,
                            const std::string &name) {
  return impl->add(min, std::min(max, maxValue()), name);
}
Variable Model::addConstant(unsigned value, const std::string &name) {
  const auto known = impl->constants.find(value);
  if (known != impl->constants.end())
    return known->second;
  return impl->constants[value] = impl->add(value, value, name);
}
Variable Model::zero() { return addConstant(0); }
Variable Model::one() { return addConstant(1); }

Variable Model::product(const std::vector<Variable> &vars,
                        const std::string &name) {
  requireSome(vars, "the product");
  Variable result = vars[0];
  for (std::size_t i = 1; i != vars.size(); ++i) {
    const Variable next = impl->addResult(name);
    impl->constrain(makeProduct(next, result, vars[i]));
    result = next;
  }
  return result;
}

Variable Model::sum(const std::vector<Variable> &vars,
                    const std::string &name) {
  requireSome(vars, "the sum");
  const Variable result = impl->addResult(name);
  impl->constrain(makeSum(result, vars));
  return result;
}

Variable Model::max(const std::vector<Variable> &vars,
                    const std::string &name) {
  requireSome(vars, "the maximum");
  const Variable result = impl->addResult(name);
  impl->constrain(makeMax(result, vars));
  return result;
}

Variable Model::min(const std::vector<Variable> &vars,
                    const std::string &name) {
  requireSome(vars, "the minimum");
  const Variable result = impl->addResult(name);
  impl->constrain(makeMin(result, vars));
  return result;
}

Variable Model::sub(Variable left, Variable right, const std::string &name) {
  const Variable result = impl->addResult(name);
  impl->constrain(makeSum(left, {result, right}));
  return result;
}

// left = result * right + rest, rest < right.
Variable Model::floordiv(Variable left, Variable right,
                         const std::string &name) {
  const Variable result = impl->addResult(name);
  const Variable rest = impl->addResult("");
  impl->constrain(makeSum(left, {product({result, right}), rest}));
  impl->constrain(makeLess(rest, right));
  return result;
}

// left + rest = result * right, rest < right.
Variable Model::ceildiv(Variable left, Variable right,
                        const std::string &name) {
  const Variable result = impl->addResult(name);
  const Variable rest = impl->addResult("");
  impl->constrain(makeSum(product({result, right}), {left, rest}));
  impl->constrain(makeLess(rest, right));
  return result;
}

Variable Model::mod(Variable left, Variable right, const std::string &name) {
  const Variable quotient = impl->addResult("");
  const Variable result = impl->addResult(name);
  impl->constrain(makeSum(left, {product({quotient, right}), result}));
  impl->constrain(makeLess(result, right));
  return result;
}

// The smallest divisor with a quotient is itself a quotient.
Variable Model::ceildivConstrainDivisor(Variable left, Variable right,
                                        const std::string &name) {
  const Variable result = ceildiv(left, right, name);
  equal(ceildiv(left, result), right);
  return result;
}

Variable Model::call(const std::vector<Variable> &vars,
                     const Function &function, const std::string &name) {
  const Variable result = impl->addResult(name);
  impl->constrain(makeCall(result, vars, function));
  return result;
}

void Model::less(Variable left, Variable right) {
  impl->constrain(makeLess(left, right));
}
void Model::less(Variable left, unsigned right) {
  less(left, addConstant(right));
}
void Model::less(unsigned left, Variable right) {
  less(addConstant(left), right);
}
void Model::lessOrEqual(Variable left, Variable right) {
  impl->constrain(makeLessOrEqual(left, right));
}
void Model::lessOrEqual(Variable left, unsigned right) {
  lessOrEqual(left, addConstant(right));
}
void Model::lessOrEqual(unsigned left, Variable right) {
  lessOrEqual(addConstant(left), right);
}
void Model::equal(Variable left, Variable right) {
  lessOrEqual(left, right);
  lessOrEqual(right, left);
}
void Model::equal(Variable left, unsigned right) {
  equal(left, addConstant(right));
}
void Model::equal(unsigned left, Variable right) {
  equal(addConstant(left), right);
}
void Model::factorOf(Variable left, Variable right) {
  const Variable other = impl->addResult("");
  impl->constrain(makeProduct(left, other, right));
}
void Model::factorOf(unsigned left, Variable right) {
  factorOf(addConstant(left), right);
}

Solution Model::minimize(const std::vector<Variable> &objectives) {
  return Search(impl->users, objectives).run(impl->bounds, impl->constraints);
}
Solution Model::minimize(Variable objective) {
  return minimize(std::vector<Variable>{objective});
}

const std::string &Model::getName(Variable v) const {
  return impl->names[v.id];
}

} // namespace popsolver
