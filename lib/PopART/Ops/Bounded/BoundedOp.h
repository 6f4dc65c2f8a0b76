// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of operators with data-dependent shapes. Example: NonZero of [0, 7,
// 5] returns the indices [1, 2]. Tile programs need static shapes, so the
// device runs a bounded form: with bound 3 it returns [1, 2, padding], and the
// count 2 as an additional last result. The bound is the largest possible
// number of rows, or the attribute "bound". The import creates the form if
// --bound asks for it (Import/Bounds.h); models cannot contain it.
//
// A run that needs more rows than the bound ends with an error.

#ifndef POPULUS_LIB_POPART_OPS_BOUNDED_BOUNDEDOP_H
#define POPULUS_LIB_POPART_OPS_BOUNDED_BOUNDEDOP_H

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Lowering/Lowering.h"

#include <optional>
#include <string>
#include <vector>

namespace populus::popir {

class BoundedOp : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  /// A result; the extent of `paddedAxis`, if given, is the bound.
  struct Result {
    TensorInfo info;
    std::optional<std::size_t> paddedAxis;
  };

  /// All results but the count.
  virtual std::vector<Result> bounded() const = 0;
  /// The largest possible number of rows.
  virtual std::int64_t mostRows() const = 0;

  std::int64_t bound() const {
    return attributes().getInt("bound", mostRows());
  }
  std::size_t countResult() const { return spec().numOutputs - 1; }

  std::vector<TensorInfo> infer() const final;
  void lower(Lowering &lowering) const final;

protected:
  /// Adds the operator to the program; the bound is at least 1.
  virtual void lowerRows(Lowering &lowering) const = 0;

  /// Indices of the selected rows.
  struct Rows {
    /// [bound]: row indices in order, padded with `none`.
    poplar::Tensor places;
    /// The number of rows to choose from.
    int none = 0;
  };
  /// Selects the rows whose element of `flags`, a list of bool, is true. Sets
  /// the count, and ends the run if it exceeds the bound.
  Rows chosen(Lowering &lowering, const poplar::Tensor &flags) const;

  /// Shape and axis of input 0, whose slices along the axis are the rows;
  /// without the attribute "axis" it is flattened.
  Shape data() const;
  std::size_t axis() const;

  void setResult(Lowering &lowering, std::size_t index,
                 const poplar::Tensor &value) const;

private:
  void lowerNothing(Lowering &lowering) const;
};

/// Describes an ONNX operator with a bounded form, for the import.
struct BoundedForm {
  /// The types of the ONNX operator and of its form, in Graphcore's domain.
  std::string type, internalType;
  /// If all of these inputs are constants, the bounded form is not needed.
  std::vector<std::size_t> knownInputs;
  /// Including the count.
  std::size_t numResults = 2;
};

/// Null if the operator has no bounded form.
const BoundedForm *findBoundedForm(const OperatorId &id);
/// All ONNX operators with a bounded form, by name.
std::vector<std::string> boundedTypes();

void addBoundedForm(BoundedForm form);

/// A static object of this type registers the form.
template <class T> class RegisterBoundedOp : RegisterInternalOp<T> {
public:
  explicit RegisterBoundedOp(BoundedForm form)
      : RegisterInternalOp<T>(form.internalType) {
    addBoundedForm(std::move(form));
  }
};

} // namespace populus::popir

#endif
