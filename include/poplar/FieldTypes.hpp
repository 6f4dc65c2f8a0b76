// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors as fields of a vertex. The classes are views of memory that the graph
// compiler lays out: a pointer, and a count if the layout has one, packed
// according to the layout. popc records the offsets of fields in the vertex
// state, so their data members are part of the binary interface (docs/gp.md).
// lib/Poplar/Lowering writes the state that is read here.
//
// Free of standard headers, because every codelet includes this file.

#ifndef POPLAR_FIELDTYPES_HPP
#define POPLAR_FIELDTYPES_HPP

#ifndef __POPC__
#error "poplar/FieldTypes.hpp is for codelets, which popc compiles"
#endif

#include <poplar/QuarterFloat.hpp>

namespace poplar {

/// Representation of a vector in the vertex state of an IPU (docs/popc.md).
/// Host code has a plain pointer, and a count if the layout has one.
enum class VectorLayout {
  SPAN,          ///< pointer, count
  SHORT_SPAN,    ///< one word: 20 bits of address, 12 of count
  ONE_PTR,       ///< pointer
  SCALED_PTR32,  ///< 16 bits: the word's number, counted from the first one
  SCALED_PTR64,  ///< 16 bits: address / 8
  SCALED_PTR128, ///< 16 bits: address / 16
  COMPACT_PTR,   ///< what reaches all memory in the least space: a pointer
};

/// Representation of a list of vectors in the vertex state of an IPU. Host code
/// has a span of spans.
enum class VectorListLayout {
  DELTAN,         ///< table of words: 20 bits of byte offset, 12 of count
  DELTANELEMENTS, ///< the same with the offset in elements, so more of count
  COMPACT_DELTAN, ///< no limits: a span of spans
};

// A namespace of our own: many programs have `detail` and say `using namespace
// poplar`.
namespace populus_fields {

constexpr bool hasCount(VectorLayout layout) {
  return layout == VectorLayout::SPAN || layout == VectorLayout::SHORT_SPAN;
}

/// Alignment that a layout requires of an address.
constexpr unsigned scaleOf(VectorLayout layout) {
  return layout == VectorLayout::SCALED_PTR32    ? 4
         : layout == VectorLayout::SCALED_PTR64  ? 8
         : layout == VectorLayout::SCALED_PTR128 ? 16
                                                 : 1;
}

/// Members that an edge has besides its elements. Only quarters have metadata.
template <typename T> class Metadata {
public:
  template <typename U = T> unsigned getMetadata() const {
    static_assert(sizeof(U) == 0, "only edges of quarters have metadata");
    return 0;
  }
};

#ifdef POPULUS_HAS_QUARTER
/// popc makes a field of this pointer. It points to the metadata of the
/// connected tensor.
template <> class Metadata<quarter> {
public:
  const MetadataType *getMetadata() const { return metadata; }

private:
  const MetadataType *metadata;
};
template <> class Metadata<const quarter> : public Metadata<quarter> {};
#endif

template <typename T> class Pointer {
public:
  T *get() const { return pointer; }

private:
  T *pointer;
};

template <typename T> class PointerAndCount {
public:
  PointerAndCount() = default;
  PointerAndCount(T *pointer, __SIZE_TYPE__ count)
      : pointer(pointer), elements(count) {}
  T *get() const { return pointer; }
  unsigned count() const { return static_cast<unsigned>(elements); }

private:
  T *pointer;
  __SIZE_TYPE__ elements;
};

#ifdef __IPU__

/// First address of a tile's memory.
constexpr unsigned MemoryBase = __IPU_ARCH_VERSION__ == 1 ? 0x60000 : 0x4c000;
constexpr unsigned AddressBits = 20;

template <typename T, unsigned Scale, unsigned Bias> class ScaledPointer {
public:
  T *get() const { return reinterpret_cast<T *>(scaled * Scale + Bias); }

private:
  unsigned short scaled;
};

template <typename T> class PackedPointerAndCount {
public:
  T *get() const {
    return reinterpret_cast<T *>(word & ((1u << AddressBits) - 1));
  }
  unsigned count() const { return word >> AddressBits; }

private:
  unsigned word;
};

#endif

/// Type of the vertex state's field for a vector.
template <typename T, VectorLayout L> struct Handle {
  using type = Pointer<T>;
};
template <typename T> struct Handle<T, VectorLayout::SPAN> {
  using type = PointerAndCount<T>;
};
#ifdef __IPU__
template <typename T> struct Handle<T, VectorLayout::SHORT_SPAN> {
  using type = PackedPointerAndCount<T>;
};
template <typename T> struct Handle<T, VectorLayout::SCALED_PTR32> {
  using type = ScaledPointer<T, 4, MemoryBase>;
};
template <typename T> struct Handle<T, VectorLayout::SCALED_PTR64> {
  using type = ScaledPointer<T, 8, 0>;
};
template <typename T> struct Handle<T, VectorLayout::SCALED_PTR128> {
  using type = ScaledPointer<T, 16, 0>;
};
#else
template <typename T> struct Handle<T, VectorLayout::SHORT_SPAN> {
  using type = PointerAndCount<T>;
};
#endif

/// A pointer whose alignment the compiler may rely on.
template <unsigned MinAlign, typename T> inline T *aligned(T *pointer) {
  if constexpr (MinAlign > alignof(T))
    return static_cast<T *>(__builtin_assume_aligned(pointer, MinAlign));
  else
    return pointer;
}

/// A region of memory.
template <typename T, unsigned MinAlign, VectorLayout L> class Region {
  static_assert(MinAlign != 0 && (MinAlign & (MinAlign - 1)) == 0,
                "the alignment of a vector must be a power of two");

public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  Region() = default;
  Region(T *pointer, unsigned count) : handle(pointer, count) {}

  /// Returns the region itself, for symmetry with an edge of one element.
  const Region &operator*() const { return *this; }
  const Region *operator->() const { return this; }

  T &operator[](unsigned index) const { return data()[index]; }
  T *data() const {
    return aligned<(MinAlign > scaleOf(L) ? MinAlign : scaleOf(L))>(
        handle.get());
  }
  T *begin() const { return data(); }
  T &front() const { return *data(); }

  // With a count only.
  unsigned size() const {
    static_assert(hasCount(L), "the layout of this vector has no count; use "
                               "SPAN, or keep the count in a field");
    if constexpr (hasCount(L))
      return handle.count();
    return 0;
  }
  bool empty() const { return size() == 0; }
  T *end() const { return data() + size(); }
  T &back() const { return data()[size() - 1]; }

private:
  typename Handle<T, L>::type handle;
};

/// A list of regions: here, regions one after the other.
template <typename T, unsigned MinAlign, VectorListLayout L> struct ListOf {
  using Element = Region<T, MinAlign, VectorLayout::SPAN>;
  using type = Region<Element, alignof(Element), VectorLayout::SPAN>;
};

#ifdef __IPU__

/// A list of regions as a table of words. Each word has a region's offset from
/// the start of memory, in units, and its number of elements.
template <typename T, unsigned MinAlign, unsigned Unit> class PackedList {
public:
  using value_type = Region<T, MinAlign, VectorLayout::SPAN>;

  class iterator {
  public:
    explicit iterator(const unsigned *entry) : entry(entry) {}
    value_type operator*() const { return unpack(*entry); }
    iterator &operator++() {
      ++entry;
      return *this;
    }
    bool operator!=(iterator other) const { return entry != other.entry; }
    bool operator==(iterator other) const { return entry == other.entry; }

  private:
    const unsigned *entry;
  };
  using const_iterator = iterator;

  const PackedList &operator*() const { return *this; }
  const PackedList *operator->() const { return this; }

  value_type operator[](unsigned index) const {
    return unpack(table.get()[index]);
  }
  unsigned size() const { return table.count(); }
  bool empty() const { return size() == 0; }
  iterator begin() const { return iterator(table.get()); }
  iterator end() const { return iterator(table.get() + size()); }
  value_type front() const { return (*this)[0]; }
  value_type back() const { return (*this)[size() - 1]; }

private:
  static constexpr unsigned OffsetBits = AddressBits - __builtin_ctz(Unit);

  static value_type unpack(unsigned entry) {
    unsigned offset = entry & ((1u << OffsetBits) - 1);
    return {reinterpret_cast<T *>(MemoryBase + offset * Unit),
            entry >> OffsetBits};
  }

  PackedPointerAndCount<const unsigned> table;
};

template <typename T, unsigned MinAlign>
struct ListOf<T, MinAlign, VectorListLayout::DELTAN> {
  using type = PackedList<T, MinAlign, 1>;
};
template <typename T, unsigned MinAlign>
struct ListOf<T, MinAlign, VectorListLayout::DELTANELEMENTS> {
  using type = PackedList<T, MinAlign, sizeof(T)>;
};

#endif

} // namespace populus_fields

/// A vector field. As a field of its own it is an array whose values the host
/// program sets or, where T is Input<...>, Output<...> or InOut<...>, a list of
/// edges. Inside Input<>, Output<> and InOut<> it is one region of a tensor.
template <typename T, VectorLayout L = VectorLayout::SPAN,
          unsigned MinAlign = alignof(T), bool Interleaved = false>
class Vector : public populus_fields::Region<T, MinAlign, L> {};

/// Inside Input<>, Output<> and InOut<>: a list of regions of one tensor.
template <typename T, VectorListLayout L = VectorListLayout::COMPACT_DELTAN,
          unsigned MinAlign = alignof(T), bool Interleaved = false>
class VectorList;

} // namespace poplar

#endif
