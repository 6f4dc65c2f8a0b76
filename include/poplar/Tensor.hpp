// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor is a view: a shape, and for each element the element of a graph
// variable that it stands for. It is a cheap value; slicing, reshaping and the
// other rearrangements make new views and move no data.

#ifndef POPULUS_INCLUDE_POPLAR_TENSOR_HPP
#define POPULUS_INCLUDE_POPLAR_TENSOR_HPP

#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/StandardLibrary.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <poplar/VariableRef.hpp>

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace poplar {

namespace core {
class TensorView;
struct Access;
} // namespace core

enum class UpsampleMethod { REPEAT };

class Tensor {
public:
  /// An invalid tensor, to be assigned to.
  Tensor();
  Tensor(const Tensor &other);
  Tensor(Tensor &&other) noexcept;
  Tensor &operator=(const Tensor &other) &;
  Tensor &operator=(Tensor &&other) & noexcept;
  ~Tensor();

  bool valid() const;
  Type elementType() const;
  std::vector<std::size_t> shape() const;
  std::size_t dim(unsigned i) const;
  unsigned rank() const;
  std::size_t numElements() const;
  /// "{2,3}"
  std::string shapeToString() const;
  std::string getDebugStr() const;
  /// The names of the variables that it is a view of, with a comma between.
  std::string getVarStr() const;
  void dump() const;
  std::ostream &output(std::ostream &out) const;

  // Selection.
  Tensor operator[](std::size_t i) const &;
  Tensor operator[](std::size_t i) &&;
  Tensor slice(std::size_t begin, std::size_t end,
               unsigned dimension = 0) const;
  Tensor slice(const Interval &region, unsigned dimension = 0) const;
  /// Slices the first dimensions, as many as there are bounds.
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;
  std::vector<Tensor> slices(ArrayRef<Interval> intervals,
                             unsigned dimension = 0) const;
  /// Each entry's intervals are put together to one tensor.
  std::vector<Tensor>
  slices(const std::vector<std::vector<Interval>> &intervals,
         unsigned dimension = 0) const;
  std::vector<Tensor> slices(ArrayRef<unsigned> indices,
                             unsigned dimension = 0) const;
  Tensor index(ArrayRef<std::size_t> indices) const;
  /// Every `stride`th index of a dimension.
  Tensor subSample(unsigned stride, unsigned dimension) const;

  // Rearrangement.
  Tensor flatten() const;
  /// Makes one dimension of [dimBegin, dimEnd).
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  /// Replaces dimensions [beginIndex, endIndex) by `newDims`.
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        ArrayRef<std::size_t> newDims) const;
  /// Dimension i of the result is dimension permutation[i] of this.
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  /// Moves dimension source[i] to place destination[i]; the others keep their
  /// order in what is left.
  Tensor dimShufflePartial(ArrayRef<unsigned> source,
                           ArrayRef<unsigned> destination) const;
  Tensor dimRoll(unsigned dimIdx, unsigned newIdx = 0) const;
  /// Swaps the two dimensions of a matrix.
  Tensor transpose() const;
  /// Inserts a dimension of size 1 before each of the given ones.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  /// Removes dimensions, which must have size 1.
  Tensor squeeze(ArrayRef<std::size_t> indices) const;
  /// Repeats the tensor n times along a dimension.
  Tensor broadcast(unsigned n, unsigned dimension) const;
  /// Repeats each index of a dimension `scale` times.
  Tensor upsample(unsigned scale, unsigned dimension,
                  UpsampleMethod method = UpsampleMethod::REPEAT) const;
  Tensor reverse(unsigned dimension) const;
  /// The same bits as elements of another type of the same size.
  Tensor reinterpret(const Type &type) const;

  // Properties.
  /// No element appears twice, and none is constant.
  bool isParallelWriteable() const;
  bool containsAliases() const;
  bool containsConstant() const;
  /// The elements are one run of one variable, in order.
  bool isContiguous() const;
  /// Intervals of the flattened tensor, each a run of one variable in order.
  std::vector<Interval> getContiguousRegions() const;
  /// The same as runs of variables.
  std::vector<VariableInterval> getVarRegions() const;
  bool intersectsWith(const Tensor &other) const;
  /// The value, if the tensor has one element and that is a constant.
  template <typename T> bool getConstantValue(T *value) const {
    double number;
    if (!getConstantNumber(number))
      return false;
    *value = static_cast<T>(number);
    return true;
  }

  /// Tensors of type QUARTER have metadata, if they were made with some: the
  /// tensor of one element that says how to read them. Else getMetadata throws.
  bool hasMetadata() const;
  Tensor getMetadata() const;

  /// Returns true if both have the same shape and refer to the same elements.
  bool operator==(const Tensor &other) const;
  bool operator!=(const Tensor &other) const { return !(*this == other); }

private:
  explicit Tensor(std::shared_ptr<const core::TensorView> view);
  bool getConstantNumber(double &number) const;
  friend struct core::Access;

  std::shared_ptr<const core::TensorView> view;
};

/// Puts tensors together along a dimension; all others must agree.
Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second,
              unsigned dimension = 0);
/// concat of a tensor and one that lacks its dimension.
Tensor append(const Tensor &first, const Tensor &second, unsigned dimension);
Tensor append(const Tensor &first, const Tensor &second);

std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

} // namespace poplar

#endif
