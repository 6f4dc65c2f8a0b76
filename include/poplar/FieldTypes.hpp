// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors as fields of a vertex. The classes here are a view of memory that the
// graph compiler has laid out: a pointer, with a count where the layout has
// one. popc records their place in the vertex state, so their data members are
// part of the binary interface (docs/gp.md).
//
// Kept free of standard headers, for every codelet includes this file.

#ifndef POPLAR_FIELDTYPES_HPP
#define POPLAR_FIELDTYPES_HPP

#ifndef __POPC__
#error "poplar/FieldTypes.hpp is for codelets, which popc compiles"
#endif

namespace poplar {

/// How a vector stands in the vertex state. The scaled and compact pointers
/// save state on a tile; here they are plain pointers, and the short span is a
/// span (no VECTOR_AVAIL_* macro is defined).
enum class VectorLayout {
  SPAN,
  SHORT_SPAN,
  ONE_PTR,
  SCALED_PTR32,
  SCALED_PTR64,
  SCALED_PTR128,
  COMPACT_PTR,
};

/// How a list of vectors stands in the vertex state; all are a span of spans
/// here (no VECTORLIST_AVAIL_* macro is defined).
enum class VectorListLayout {
  DELTAN,
  DELTANELEMENTS,
  COMPACT_DELTAN,
};

namespace detail {

constexpr bool hasCount(VectorLayout layout) {
  return layout == VectorLayout::SPAN || layout == VectorLayout::SHORT_SPAN;
}

/// A pointer whose alignment the compiler may rely on.
template <unsigned MinAlign, typename T> inline T *aligned(T *pointer) {
  if constexpr (MinAlign > alignof(T))
    return static_cast<T *>(__builtin_assume_aligned(pointer, MinAlign));
  else
    return pointer;
}

/// A region of memory without a known length.
template <typename T, unsigned MinAlign, bool HasCount> class Region {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  T &operator[](unsigned index) const { return data()[index]; }
  T *data() const { return aligned<MinAlign>(pointer); }
  T *begin() const { return data(); }
  T &front() const { return *data(); }

private:
  T *pointer;
};

/// A region and its number of elements.
template <typename T, unsigned MinAlign> class Region<T, MinAlign, true> {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  T &operator[](unsigned index) const { return data()[index]; }
  T *data() const { return aligned<MinAlign>(pointer); }
  T *begin() const { return data(); }
  T *end() const { return data() + count; }
  T &front() const { return *data(); }
  T &back() const { return data()[count - 1]; }
  unsigned size() const { return static_cast<unsigned>(count); }
  bool empty() const { return count == 0; }

private:
  T *pointer;
  __SIZE_TYPE__ count;
};

} // namespace detail

/// As a field of its own: an array whose values the host program sets, or,
/// where T is Input<...>, Output<...> or InOut<...>, a list of edges. Inside
/// Input<>, Output<> and InOut<>: one region of a tensor.
template <typename T, VectorLayout L = VectorLayout::SPAN,
          unsigned MinAlign = alignof(T), bool Interleaved = false>
class Vector : public detail::Region<T, MinAlign, detail::hasCount(L)> {};

/// Inside Input<>, Output<> and InOut<>: a list of regions of one tensor.
template <typename T, VectorListLayout L = VectorListLayout::COMPACT_DELTAN,
          unsigned MinAlign = alignof(T), bool Interleaved = false>
class VectorList;

} // namespace poplar

#endif
