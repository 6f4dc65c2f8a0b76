// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The base of operators whose result has as many rows as its values ask for,
// such as NonZero. Programs of tiles have fixed shapes, so on the device such
// an operator has a form of its own: its results have as many rows as there can
// be at most, or as the user allows (the attribute "bound"), those that are
// there first, and another result, the last one, says how many these are. The
// import makes it where --bound asks for it (Import/Bounds.h); models cannot
// have it.
//
// Where the user's bound is less than there can be, a run with more rows ends
// with an error.

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

  /// A result; `paddedAxis` is the one whose extent is the bound, if there is
  /// one.
  struct Result {
    TensorInfo info;
    std::optional<std::size_t> paddedAxis;
  };

  /// All results but the count.
  virtual std::vector<Result> bounded() const = 0;
  /// How many rows there can be.
  virtual std::int64_t mostRows() const = 0;

  std::int64_t bound() const {
    return attributes().getInt("bound", mostRows());
  }
  std::size_t countResult() const { return spec().numOutputs - 1; }

  std::vector<TensorInfo> infer() const final;
  void lower(Lowering &lowering) const final;

protected:
  /// Adds the operator to the program; there is at least one row at most.
  virtual void lowerRows(Lowering &lowering) const = 0;

  /// Where rows come from.
  struct Rows {
    /// [bound]: the places of the rows in order, then `none`.
    poplar::Tensor places;
    /// The number of places that there are to choose from.
    int none = 0;
  };
  /// Those where `flags`, a list of bool, hold. Sets the count, and ends the
  /// run where the bound is too low for it.
  Rows chosen(Lowering &lowering, const poplar::Tensor &flags) const;

  /// Of operators whose rows lie along an axis of input 0: without the
  /// attribute all of its elements are in a row.
  Shape data() const;
  std::size_t axis() const;

  void setResult(Lowering &lowering, std::size_t index,
                 const poplar::Tensor &value) const;

private:
  void lowerNothing(Lowering &lowering) const;
};

/// What the import has to know of an operator of ONNX that has such a form.
struct BoundedForm {
  /// ONNX's type, and that of the form, in Graphcore's domain.
  std::string type, internalType;
  /// The inputs that are known where the usual form of the operator will do.
  std::vector<std::size_t> knownInputs;
  /// With the count.
  std::size_t numResults = 2;
};

/// Null where the operator has none.
const BoundedForm *findBoundedForm(const OperatorId &id);
/// ONNX's types of all of them, by name.
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
