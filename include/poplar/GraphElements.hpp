// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles of compute sets, vertices, fields and functions. They are small
// values with a meaning only in the graph that made them.

#ifndef POPULUS_INCLUDE_POPLAR_GRAPHELEMENTS_HPP
#define POPULUS_INCLUDE_POPLAR_GRAPHELEMENTS_HPP

#include <poplar/StringRef.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace poplar {

namespace core {
struct GraphLife;
struct HostFunctionData;
struct Access;
} // namespace core

class ComputeSet {
public:
  ComputeSet() : id(~0u) {}
  explicit ComputeSet(unsigned id) : id(id) {}
  unsigned getId() const { return id; }

  friend bool operator==(ComputeSet a, ComputeSet b) { return a.id == b.id; }
  friend bool operator!=(ComputeSet a, ComputeSet b) { return a.id != b.id; }
  friend bool operator<(ComputeSet a, ComputeSet b) { return a.id < b.id; }

private:
  unsigned id;
};

/// A field of a vertex, or one element of a field that is a list.
class FieldRef {
public:
  /// An invalid field, to be assigned to.
  FieldRef()
      : life(nullptr), vertex(~0u), field(~0u), index(0), indexed(false) {}
  FieldRef operator[](std::size_t i) const;
  bool isIndexed() const { return indexed; }
  std::size_t getIndex() const { return index; }

private:
  FieldRef(core::GraphLife *life, unsigned vertex, unsigned field)
      : life(life), vertex(vertex), field(field), index(0), indexed(false) {}
  friend class VertexRef;
  friend struct core::Access;

  core::GraphLife *life; // of the graph that it is in
  unsigned vertex, field;
  std::size_t index;
  bool indexed;
};

class VertexRef {
public:
  VertexRef() : life(nullptr), id(~0u) {}
  /// Returns the field with that name. Throws unknown_field, or poplar_error if
  /// the vertex is invalid or its graph no longer exists.
  FieldRef operator[](StringRef fieldName) const;
  unsigned getId() const { return id; }

  friend bool operator==(VertexRef a, VertexRef b) { return a.id == b.id; }
  friend bool operator!=(VertexRef a, VertexRef b) { return a.id != b.id; }
  friend bool operator<(VertexRef a, VertexRef b) { return a.id < b.id; }

private:
  VertexRef(core::GraphLife *life, unsigned id) : life(life), id(id) {}
  friend struct core::Access;

  core::GraphLife *life; // of the graph that it is in
  unsigned id;
};

/// A program that is compiled once and can be called many times.
class Function {
public:
  Function() : id(~0u) {}
  explicit Function(unsigned id) : id(id) {}
  unsigned getId() const { return id; }

  friend bool operator==(Function a, Function b) { return a.id == b.id; }
  friend bool operator!=(Function a, Function b) { return a.id != b.id; }
  friend bool operator<(Function a, Function b) { return a.id < b.id; }

private:
  unsigned id;
};

/// A buffer outside the tiles for the code of a function.
class FunctionBuffer {
public:
  /// An invalid buffer, to be assigned to.
  FunctionBuffer() {}
  explicit FunctionBuffer(Function function) : held(function) {}
  Function function() const { return held; }

  friend bool operator==(const FunctionBuffer &a, const FunctionBuffer &b) {
    return a.held == b.held;
  }
  friend bool operator!=(const FunctionBuffer &a, const FunctionBuffer &b) {
    return !(a == b);
  }

private:
  Function held;
};

/// A host function that programs call (program::Call). The Engine connects it
/// to a callback.
class HostFunction {
public:
  /// An invalid function, to be assigned to.
  HostFunction() {}
  unsigned getId() const;

  friend bool operator==(const HostFunction &a, const HostFunction &b) {
    return a.data == b.data;
  }
  friend bool operator!=(const HostFunction &a, const HostFunction &b) {
    return a.data != b.data;
  }

private:
  friend struct core::Access;
  std::shared_ptr<const core::HostFunctionData> data;
};

} // namespace poplar

#endif
