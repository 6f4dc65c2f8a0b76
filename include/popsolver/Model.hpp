// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small optimisation problems over unsigned integers: bounded variables,
// expressions and constraints over them, and a search for the assignment with
// the smallest objective. Constraints narrow the bounds until nothing changes.
// The rest is searched depth first, smallest value first.

#ifndef POPULUS_POPSOLVER_MODEL_HPP
#define POPULUS_POPSOLVER_MODEL_HPP

#include <popsolver/Variable.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace popsolver {

/// The values of all variables, or none if there is no assignment.
class Solution {
public:
  Solution() = default;
  explicit Solution(std::vector<unsigned> values)
      : values(std::move(values)), valid(true) {}

  unsigned operator[](Variable v) const { return values[v.id]; }
  bool validSolution() const { return valid; }

private:
  std::vector<unsigned> values;
  bool valid = false;
};

class Model {
public:
  /// Largest possible bound. Expressions saturate there, and assignments with a
  /// saturated expression are not solutions.
  static unsigned maxValue();

  Model();
  Model(Model &&other) noexcept;
  Model &operator=(Model &&other) noexcept;
  ~Model();

  /// A variable of [min, max], or of all values.
  Variable addVariable(const std::string &name = "");
  Variable addVariable(unsigned min, unsigned max,
                       const std::string &name = "");
  Variable addConstant(unsigned value, const std::string &name = "");
  Variable zero();
  Variable one();

  // Expressions: variables determined by other variables.
  Variable product(const std::vector<Variable> &vars,
                   const std::string &name = "");
  Variable sum(const std::vector<Variable> &vars, const std::string &name = "");
  Variable max(const std::vector<Variable> &vars, const std::string &name = "");
  Variable min(const std::vector<Variable> &vars, const std::string &name = "");
  /// left - right, which must not be negative.
  Variable sub(Variable left, Variable right, const std::string &name = "");
  /// Quotients, rounded down and up, and remainder; the divisor must not be 0.
  Variable floordiv(Variable left, Variable right,
                    const std::string &name = "");
  Variable ceildiv(Variable left, Variable right, const std::string &name = "");
  Variable mod(Variable left, Variable right, const std::string &name = "");
  /// ceildiv with the smallest divisor that has this quotient.
  Variable ceildivConstrainDivisor(Variable left, Variable right,
                                   const std::string &name = "");
  /// Computes a result from the values of variables once all are known. Returns
  /// false if there is no result; otherwise it writes the result.
  typedef std::function<bool(const std::vector<unsigned> &, unsigned &)>
      Function;
  Variable call(const std::vector<Variable> &vars, const Function &function,
                const std::string &name = "");

  // Constraints.
  void less(Variable left, Variable right);
  void less(Variable left, unsigned right);
  void less(unsigned left, Variable right);
  void lessOrEqual(Variable left, Variable right);
  void lessOrEqual(Variable left, unsigned right);
  void lessOrEqual(unsigned left, Variable right);
  void equal(Variable left, Variable right);
  void equal(Variable left, unsigned right);
  void equal(unsigned left, Variable right);
  /// right divides left.
  void factorOf(Variable left, Variable right);
  void factorOf(unsigned left, Variable right);

  /// Returns the assignment with the smallest objectives in lexicographic
  /// order.
  Solution minimize(const std::vector<Variable> &objectives);
  Solution minimize(Variable objective);

  /// The name of a variable, for messages.
  const std::string &getName(Variable v) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace popsolver

#endif
