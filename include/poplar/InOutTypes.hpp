// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Edges: the fields through which a vertex reads and writes tensors. An edge to
// one element is a pointer, used as `*field` or, for reading, as if it were the
// element; an edge to a region is a region (FieldTypes.hpp).

#ifndef POPLAR_INOUTTYPES_HPP
#define POPLAR_INOUTTYPES_HPP

#include <poplar/FieldTypes.hpp>
#include <poplar/HalfFloat.hpp>

namespace poplar {

namespace populus_fields {

template <typename T> class ElementEdge {
public:
  using value_type = T;

  T &operator*() const { return *pointer; }
  T *operator->() const { return pointer; }
  T *operator&() const { return pointer; }
  T *data() const { return pointer; }
  T &get() const { return *pointer; }
  operator T &() const { return *pointer; }

protected:
  T *pointer;
};

/// An element that the vertex may write: assignment goes to the element.
template <typename T> class WritableElementEdge : public ElementEdge<T> {
public:
  T &operator=(const T &value) const { return *this->pointer = value; }
};

// Operators on edges of halves. Other edges convert implicitly to their element
// in an arithmetic expression, but a half converts to several types, which
// would be ambiguous.

template <typename T> constexpr bool isEdge(const ElementEdge<T> *) {
  return true;
}
constexpr bool isEdge(const void *) { return false; }

constexpr bool isHalfEdge(const ElementEdge<half> *) { return true; }
constexpr bool isHalfEdge(const ElementEdge<const half> *) { return true; }
constexpr bool isHalfEdge(const void *) { return false; }

template <bool> struct EnableIf {};
template <> struct EnableIf<true> {
  using type = int;
};
template <typename L, typename R = L>
using IfHalfEdge =
    typename EnableIf<isHalfEdge(static_cast<L *>(nullptr)) ||
                      isHalfEdge(static_cast<R *>(nullptr))>::type;

/// The element of an edge; anything else is its own value.
template <typename T> inline const auto &valueOf(const T &operand) {
  if constexpr (isEdge(static_cast<T *>(nullptr)))
    return *operand;
  else
    return operand;
}

#define POPULUS_BINARY(OP)                                                     \
  template <typename L, typename R, IfHalfEdge<L, R> = 0>                      \
  inline auto operator OP(const L &l, const R &r)                              \
      ->decltype(valueOf(l) OP valueOf(r)) {                                   \
    return valueOf(l) OP valueOf(r);                                           \
  }
POPULUS_BINARY(+)
POPULUS_BINARY(-)
POPULUS_BINARY(*)
POPULUS_BINARY(/)
POPULUS_BINARY(==)
POPULUS_BINARY(!=)
POPULUS_BINARY(<)
POPULUS_BINARY(<=)
POPULUS_BINARY(>)
POPULUS_BINARY(>=)
#undef POPULUS_BINARY

template <typename T, IfHalfEdge<T> = 0> inline half operator-(const T &x) {
  return -*x;
}
template <typename T, IfHalfEdge<T> = 0> inline half operator+(const T &x) {
  return *x;
}

#define POPULUS_ASSIGNMENT(OP)                                                 \
  template <typename L, typename R, IfHalfEdge<L> = 0>                         \
  inline half &operator OP(const L & l, const R & r) {                         \
    return *l OP valueOf(r);                                                   \
  }
POPULUS_ASSIGNMENT(+=)
POPULUS_ASSIGNMENT(-=)
POPULUS_ASSIGNMENT(*=)
POPULUS_ASSIGNMENT(/=)
#undef POPULUS_ASSIGNMENT

} // namespace populus_fields

namespace populus_fields {

/// Element type of an input. popc asks for non-const elements when a source is
/// correct except that it casts const away.
#ifdef POPULUS_INPUTS_NOT_CONST
template <typename T> using InputElement = T;
#else
template <typename T> using InputElement = const T;
#endif

} // namespace populus_fields

template <typename T>
class Input
    : public populus_fields::ElementEdge<populus_fields::InputElement<T>>,
      public populus_fields::Metadata<T> {};

template <typename T>
class Output : public populus_fields::WritableElementEdge<T>,
               public populus_fields::Metadata<T> {
public:
  using populus_fields::WritableElementEdge<T>::operator=;
};

template <typename T>
class InOut : public populus_fields::WritableElementEdge<T>,
              public populus_fields::Metadata<T> {
public:
  using populus_fields::WritableElementEdge<T>::operator=;
};

template <typename T, VectorLayout L, unsigned A, bool I>
class Input<Vector<T, L, A, I>>
    : public populus_fields::Region<populus_fields::InputElement<T>, A, L>,
      public populus_fields::Metadata<T> {};

template <typename T, VectorLayout L, unsigned A, bool I>
class Output<Vector<T, L, A, I>> : public populus_fields::Region<T, A, L>,
                                   public populus_fields::Metadata<T> {};

template <typename T, VectorLayout L, unsigned A, bool I>
class InOut<Vector<T, L, A, I>> : public populus_fields::Region<T, A, L>,
                                  public populus_fields::Metadata<T> {};

template <typename T, VectorListLayout L, unsigned A, bool I>
class Input<VectorList<T, L, A, I>>
    : public populus_fields::ListOf<populus_fields::InputElement<T>, A,
                                    L>::type {};

template <typename T, VectorListLayout L, unsigned A, bool I>
class Output<VectorList<T, L, A, I>>
    : public populus_fields::ListOf<T, A, L>::type {};

template <typename T, VectorListLayout L, unsigned A, bool I>
class InOut<VectorList<T, L, A, I>>
    : public populus_fields::ListOf<T, A, L>::type {};

} // namespace poplar

#endif
