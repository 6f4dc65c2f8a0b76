// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor is a view of elements of graph variables, with a shape. It is a
// cheap value: slicing, reshaping and other rearrangements make new views and
// move no data.

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
  /// Names of the variables that the tensor views, separated by commas.
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
  /// Returns one tensor for each entry: the concatenation of its intervals.
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
  /// Merges the dimensions [dimBegin, dimEnd) into one.
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  /// Replaces dimensions [beginIndex, endIndex) by `newDims`.
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        ArrayRef<std::size_t> newDims) const;
  /// Dimension i of the result is dimension permutation[i] of this.
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  /// Moves dimension source[i] to position destination[i]. The others keep
  /// their order.
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
  /// Returns true if no element appears twice and none is constant.
  bool isParallelWriteable() const;
  bool containsAliases() const;
  bool containsConstant() const;
  /// Returns true if the elements are one run of one variable, in order.
  bool isContiguous() const;
  /// Intervals of the flattened tensor, each a run of one variable in order.
  std::vector<Interval> getContiguousRegions() const;
  /// The same as runs of variables.
  std::vector<VariableInterval> getVarRegions() const;
  bool intersectsWith(const Tensor &other) const;
  /// Writes the value and returns true if the tensor is one constant element.
  template <typename T> bool getConstantValue(T *value) const {
    double number;
    if (!getConstantNumber(number))
      return false;
    *value = static_cast<T>(number);
    return true;
  }

  /// Metadata of a tensor of type QUARTER: a tensor of one element that defines
  /// the format and scale. getMetadata throws if hasMetadata returns false.
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

/// Concatenates tensors along a dimension. Their other dimensions must be
/// equal.
Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second,
              unsigned dimension = 0);
/// Concatenates a tensor and one without the dimension.
Tensor append(const Tensor &first, const Tensor &second, unsigned dimension);
Tensor append(const Tensor &first, const Tensor &second);

std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

} // namespace poplar

#endif
