// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable of a model (popsolver/Model.hpp).

#ifndef POPULUS_POPSOLVER_VARIABLE_HPP
#define POPULUS_POPSOLVER_VARIABLE_HPP

namespace popsolver {

class Variable {
public:
  Variable() = default;
  explicit Variable(unsigned id) : id(id) {}

  friend bool operator==(Variable a, Variable b) { return a.id == b.id; }
  friend bool operator!=(Variable a, Variable b) { return a.id != b.id; }
  friend bool operator<(Variable a, Variable b) { return a.id < b.id; }

  unsigned id = 0;
};

} // namespace popsolver

#endif
