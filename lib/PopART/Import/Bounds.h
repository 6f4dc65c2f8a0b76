// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds for operators with data-dependent shapes (--bound). Example:
// `%i = NonZero(%x)` of 6 elements becomes
//   %i: int64 2x6, %i_count: int64 scalar = BoundedNonZero-1(%x) {bound=6}
// with padded results (Ops/Bounded). An operator behind it might take padding
// for data, or the bound for the number of rows. So the import tracks the
// padded axis of each tensor. Operators that compute each row from one row pass
// the padding on; all others are rejected. In results of the model, rows behind
// the count are cleared.

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

/// The user's bounds.
struct BoundOptions {
  /// Bound by the name of a node's first result; 0: the largest possible number
  /// of rows.
  std::map<std::string, std::int64_t> bounds;
  /// All other operators get the largest possible number of rows.
  bool boundsAll = false;

  bool isAny() const { return boundsAll || !bounds.empty(); }
};

/// A padded result of the model.
struct PaddedResult {
  std::string name;
  std::size_t axis = 0;
  std::int64_t bound = 0;
  /// The result with the number of valid rows.
  std::string count;
};

/// A node would compute with padding.
class ReadsPadding : public Error {
public:
  using Error::Error;
};

class Bounds {
public:
  explicit Bounds(const BoundOptions &options) : options(&options) {}

  /// The bounded form of an operator with these inputs and this name of its
  /// first result; null if the operator stays as it is.
  const BoundedForm *formOf(const OperatorId &id,
                            const std::vector<Value *> &inputs,
                            const std::string &name);
  /// The spec of that form, whose results are the operator's and the count.
  OpSpec specOf(const BoundedForm &form, const OpSpec &spec,
                const std::string &name) const;

  /// Records the padding of an operator's results. Throws ReadsPadding if the
  /// operator would compute with padding.
  void add(const Op &op);

  /// Throws ReadsPadding about `reader` if one of the tensors is padded.
  void refusePadded(const std::vector<Value *> &tensors,
                    const std::string &reader) const;

  /// Adds the counts of padded results to the graph's results, and clears rows
  /// behind the count.
  std::vector<PaddedResult> addCounts(Graph &graph) const;

  /// Throws an Error if --bound names anything but such an operator.
  void checkNames() const;

private:
  struct Padding {
    std::size_t axis = 0;
    Value *count = nullptr;
    /// The padding is the bounded operator's own, not computed from it.
    bool isClear = true;
  };

  std::optional<Padding> joined(const Op &op) const;
  void addBounded(const BoundedOp &op);
  [[noreturn]] void fail(const Value &tensor, const std::string &reader) const;

  const BoundOptions *options;
  std::set<std::string> used;
  std::unordered_map<const Value *, Padding> paddings;
};

/// True if an operator has a bounded form, and an input that its ordinary form
/// has to know is no constant.
bool needsBound(const OperatorId &id, const std::vector<Value *> &inputs);

} // namespace populus::popir

#endif
