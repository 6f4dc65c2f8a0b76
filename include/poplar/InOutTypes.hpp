// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edges: the fields through which a vertex reads and writes tensors. An edge to
// one element is a pointer, used as `*field` or, for reading, as if it were the
// element; an edge to a region is a region (FieldTypes.hpp).

#ifndef POPLAR_INOUTTYPES_HPP
#define POPLAR_INOUTTYPES_HPP

#include <poplar/FieldTypes.hpp>

namespace poplar {

namespace detail {

template <typename T> class ElementEdge {
public:
  using value_type = T;

  T &operator*() const { return *pointer; }
  T *operator->() const { return pointer; }
  T *operator&() const { return pointer; }
  T *data() const { return pointer; }
  T &get() const { return *pointer; }
  operator T &() const { return *pointer; }

  template <typename U = T> unsigned getMetadata() const {
    return metadataOf<U>();
  }

protected:
  T *pointer;
};

/// An element that the vertex may write: assignment goes to the element.
template <typename T> class WritableElementEdge : public ElementEdge<T> {
public:
  T &operator=(const T &value) const { return *this->pointer = value; }
};

} // namespace detail

template <typename T> class Input : public detail::ElementEdge<const T> {};

template <typename T> class Output : public detail::WritableElementEdge<T> {
public:
  using detail::WritableElementEdge<T>::operator=;
};

template <typename T> class InOut : public detail::WritableElementEdge<T> {
public:
  using detail::WritableElementEdge<T>::operator=;
};

template <typename T, VectorLayout L, unsigned A, bool I>
class Input<Vector<T, L, A, I>> : public detail::Region<const T, A, L> {};

template <typename T, VectorLayout L, unsigned A, bool I>
class Output<Vector<T, L, A, I>> : public detail::Region<T, A, L> {};

template <typename T, VectorLayout L, unsigned A, bool I>
class InOut<Vector<T, L, A, I>> : public detail::Region<T, A, L> {};

template <typename T, VectorListLayout L, unsigned A, bool I>
class Input<VectorList<T, L, A, I>>
    : public detail::ListOf<const T, A, L>::type {};

template <typename T, VectorListLayout L, unsigned A, bool I>
class Output<VectorList<T, L, A, I>> : public detail::ListOf<T, A, L>::type {};

template <typename T, VectorListLayout L, unsigned A, bool I>
class InOut<VectorList<T, L, A, I>> : public detail::ListOf<T, A, L>::type {};

} // namespace poplar

#endif
