// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators whose results have as many rows as the values ask for, with a bound
// that --bound allows: for `%i = NonZero(%x)` of 6 elements that is
//   %i: int64 2x6, %i_count: int64 scalar = BoundedNonZero-1(%x) {bound=6}
// whose results are filled up (Ops/Bounded). What follows would take what they
// are filled up with for values, and the bound for the number of rows. So here
// is known along which axis a tensor is padded, and which operators make each
// row of one row: their results are padded in the same way, and of what the
// model returns the rows behind the count are cleared. All others are refused.

#ifndef POPULUS_LIB_POPART_IMPORT_BOUNDS_H
#define POPULUS_LIB_POPART_IMPORT_BOUNDS_H

#include "lib/PopART/IR/Graph.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/Support/Error.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace populus::popir {

class BoundedOp;
struct BoundedForm;

/// What the user allows.
struct BoundOptions {
  /// By the first result of a node: so many rows, or (0) as many as there can
  /// be.
  std::map<std::string, std::int64_t> bounds;
  /// As many as there can be for all that are not named.
  bool boundsAll = false;

  bool isAny() const { return boundsAll || !bounds.empty(); }
};

/// A result of the model that is padded.
struct PaddedResult {
  std::string name;
  std::size_t axis = 0;
  std::int64_t bound = 0;
  /// The result that says how many are there.
  std::string count;
};

/// A node would do something with what is there for padding only.
class ReadsPadding : public Error {
public:
  using Error::Error;
};

class Bounds {
public:
  explicit Bounds(const BoundOptions &options) : options(&options) {}

  /// The form that an operator with these inputs gets whose first result has
  /// that name; null where it stays what it is.
  const BoundedForm *formOf(const OperatorId &id,
                            const std::vector<Value *> &inputs,
                            const std::string &name);
  /// That form. Its results are those of the operator and the count.
  OpSpec specOf(const BoundedForm &form, const OpSpec &spec,
                const std::string &name) const;

  /// Finds out what of an operator's results is padded; a ReadsPadding Error
  /// where that cannot be told.
  void add(const Op &op);

  /// That Error about a node that reads these tensors, where one is padded.
  void refusePadded(const std::vector<Value *> &tensors,
                    const std::string &reader) const;

  /// Adds the counts of padded results to the results, and clears these behind
  /// what is there.
  std::vector<PaddedResult> addCounts(Graph &graph) const;

  /// An Error where --bound names something else than such an operator.
  void checkNames() const;

private:
  struct Padding {
    std::size_t axis = 0;
    Value *count = nullptr;
    /// The rows behind the count are what the bounded operator fills up with,
    /// and not what was computed of that.
    bool isClear = true;
  };

  std::optional<Padding> joined(const Op &op) const;
  void addBounded(const BoundedOp &op);
  [[noreturn]] void fail(const Value &tensor, const std::string &reader) const;

  const BoundOptions *options;
  std::set<std::string> used;
  std::unordered_map<const Value *, Padding> paddings;
};

/// Whether an operator could have a bound, but for the inputs being known.
bool needsBound(const OperatorId &id, const std::vector<Value *> &inputs);

} // namespace populus::popir

#endif
