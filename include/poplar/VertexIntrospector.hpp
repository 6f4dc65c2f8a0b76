// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// View of a vertex for cost models: the lengths of its fields and the values
// they were given.

#ifndef POPULUS_INCLUDE_POPLAR_VERTEXINTROSPECTOR_HPP
#define POPULUS_INCLUDE_POPLAR_VERTEXINTROSPECTOR_HPP

#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/VectorLayout.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

namespace core {
struct Access;
struct IntrospectedVertex;
} // namespace core

class FieldData {
public:
  /// Number of elements of a field, or of vectors in a list of vectors.
  std::size_t size() const;
  /// Number of elements of one vector in a list of vectors.
  std::size_t getSizeAtIndex(std::size_t index) const;

  /// One vector of a list of vectors.
  class Row {
  public:
    explicit Row(std::size_t elements) : elements(elements) {}
    std::size_t size() const { return elements; }

  private:
    std::size_t elements;
  };
  Row operator[](std::size_t index) const { return Row(getSizeAtIndex(index)); }

  /// Returns the value that setInitialValue gave the field.
  template <typename T> T getInitialValue(const Target &) const {
    return static_cast<T>(initialNumber(0));
  }
  template <typename T> std::vector<T> getInitialValues(const Target &) const {
    std::vector<T> values(initialCount());
    for (std::size_t i = 0; i != values.size(); ++i)
      values[i] = static_cast<T>(initialNumber(i));
    return values;
  }

  /// Level 0 is the field's own vector; level 1 is a vector in the list.
  layout::Vector getProfilerVectorLayout(std::size_t nestingLevel) const;
  layout::VectorList getProfilerVectorListLayout() const;

private:
  FieldData(const core::IntrospectedVertex &vertex, unsigned field)
      : vertex(&vertex), field(field) {}
  std::size_t initialCount() const;
  long double initialNumber(std::size_t index) const;
  friend class VertexIntrospector;

  const core::IntrospectedVertex *vertex;
  unsigned field;
};

class VertexIntrospector {
public:
  /// Throws unknown_field.
  FieldData getFieldInfo(const std::string &name) const;

private:
  explicit VertexIntrospector(const core::IntrospectedVertex &vertex)
      : vertex(&vertex) {}
  friend struct core::Access;

  const core::IntrospectedVertex *vertex;
};

} // namespace poplar

#endif
