// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References to a graph's variables, and to runs of their elements.

#ifndef POPULUS_INCLUDE_POPLAR_VARIABLEREF_HPP
#define POPULUS_INCLUDE_POPLAR_VARIABLEREF_HPP

#include <poplar/Interval.hpp>

#include <cstddef>
#include <functional>

namespace poplar {

/// A variable of a graph.
struct VariableRef {
  unsigned id;
  friend bool operator==(VariableRef a, VariableRef b) { return a.id == b.id; }
  friend bool operator!=(VariableRef a, VariableRef b) { return a.id != b.id; }
  friend bool operator<(VariableRef a, VariableRef b) { return a.id < b.id; }
};

/// A run of elements of a variable.
struct VariableInterval {
  VariableRef var;
  Interval interval;
};

} // namespace poplar

namespace std {
template <> struct hash<poplar::VariableRef> {
  size_t operator()(poplar::VariableRef variable) const { return variable.id; }
};
} // namespace std

#endif
