// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FuseNorms: matches the operators that exporters emit for a layer
// normalisation and replaces them by LayerNormalization, or by RmsNorm if the
// mean is not subtracted:
//
//   centred = x - ReduceMean(x)               (or x itself: RmsNorm)
//   variance = ReduceMean(centred ^ 2)
//   normal = centred / Sqrt(variance + epsilon)
//   y = normal * scale + shift                (either, both or none)
//
// The square may be a Pow or a Mul; the division may be a Mul with a Reciprocal
// or with 1 / the root. A Cast of x to a wider type in front, and the Cast back
// behind `normal`, are absorbed: the fused operators compute in float32 anyway.
// The match fails if another operator reads an intermediate value.

#include "lib/PopART/IR/Aliases.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Passes/Joining.h"
#include "lib/PopART/Passes/Passes.h"

#include <algorithm>
#include <unordered_set>

namespace populus::popir {

namespace {

bool isOp(const Op *op, std::string_view type) {
  return op && op->id().type == type && op->id().domain.empty();
}

bool isNumber(const Value &value, double number) {
  return value.isConstant() && value.info.numElements() == 1 &&
         value.constant()->toDoubles()[0] == number;
}

/// The first reduced dimension of a mean, if it reduces the last dimensions and
/// keeps them with extent 1.
std::optional<std::int64_t> firstAxis(const Op &mean) {
  const std::int64_t rank = mean.input(0).info.rank();
  std::vector<std::int64_t> axes = mean.attributes().getInts("axes");
  if (mean.hasInput(1)) {
    if (!mean.input(1).isConstant())
      return std::nullopt;
    axes = mean.input(1).constant()->toInts();
  }
  if (axes.empty() || mean.attributes().getInt("keepdims", 1) == 0)
    return std::nullopt;
  for (std::int64_t &axis : axes)
    axis += axis < 0 ? rank : 0;
  std::ranges::sort(axes);
  const std::int64_t first = rank - static_cast<std::int64_t>(axes.size());
  for (std::size_t i = 0; i != axes.size(); ++i)
    if (axes[i] != first + static_cast<std::int64_t>(i))
      return std::nullopt;
  return first;
}

/// Matches one normalisation, starting at its division.
class Norm {
public:
  /// True if `normal` is the division of a normalisation.
  bool match(Op &normal) {
    return findDivision(normal) && findVariance() && findCentre();
  }

  /// Extends the match behind the division: cast, scale and shift.
  void extend() {
    takeCasts();
    if (takeParameter("Mul"))
      takeParameter("Add");
  }

  bool canBeOne(const Writers &writers) const {
    return isClosed() && isTogether() && readsTheSameLater(writers);
  }

  /// The matched operators.
  const std::vector<Op *> &parts() const { return ops; }

  void fuse(Graph &graph) const {
    std::vector<Value *> operands = {x};
    operands.insert(operands.end(), parameters.begin(), parameters.end());
    const OperatorId id = mean ? newestOf("", "LayerNormalization")
                               : newestOf("ai.graphcore", "RmsNorm");
    OpSpec spec{id, last->name(), {}, operands.size(), 1, last->placement()};
    spec.attributes.set("axis", axis);
    spec.attributes.set("epsilon", epsilon);
    graph.addOp(createOp(std::move(spec)), operands, {last->outputs()[0]},
                last);
    std::vector<Op *> gone = ops;
    std::ranges::sort(gone, [](Op *a, Op *b) { return b->isBefore(*a); });
    for (Op *op : gone)
      graph.erase(*op);
  }

private:
  void take(Op *op) {
    if (!has(op))
      ops.push_back(op);
  }
  /// The operator that computes an operand, if it is of the type.
  static Op *producer(const Op &op, std::size_t input, std::string_view type) {
    Op *found = op.hasInput(input) ? op.input(input).producer() : nullptr;
    return isOp(found, type) ? found : nullptr;
  }

  /// centred / root, or centred * (1 / root).
  bool findDivision(Op &normal) {
    last = &normal;
    take(last);
    if (isOp(last, "Div")) {
      root = producer(*last, 1, "Sqrt");
      centred = last->inputs()[0];
      return root != nullptr;
    }
    if (!isOp(last, "Mul"))
      return false;
    for (std::size_t side : {0, 1})
      if (findInverse(last->input(side).producer())) {
        centred = last->inputs()[1 - side];
        return true;
      }
    return false;
  }
  bool findInverse(Op *inverse) {
    const bool isDivision =
        isOp(inverse, "Div") && isNumber(inverse->input(0), 1);
    if (!isDivision && !isOp(inverse, "Reciprocal"))
      return false;
    root = producer(*inverse, isDivision ? 1 : 0, "Sqrt");
    if (root)
      take(inverse);
    return root != nullptr;
  }

  bool findVariance() {
    take(root);
    Op *sum = producer(*root, 0, "Add");
    if (!sum)
      return false;
    for (std::size_t side : {0, 1}) {
      Op *squares = producer(*sum, side, "ReduceMean");
      const Value &added = sum->input(1 - side);
      if (!squares || !added.isConstant() || added.info.numElements() != 1)
        continue;
      const std::optional<std::int64_t> first = firstAxis(*squares);
      Op *square = squares->input(0).producer();
      if (!first || !isSquare(square))
        return false;
      axis = *first;
      epsilon = static_cast<float>(added.constant()->toDoubles()[0]);
      for (Op *op : {sum, squares, square})
        take(op);
      return true;
    }
    return false;
  }
  bool isSquare(const Op *op) const {
    return op && op->inputs()[0] == centred &&
           ((isOp(op, "Pow") && isNumber(op->input(1), 2)) ||
            (isOp(op, "Mul") && op->inputs()[1] == centred));
  }

  bool findCentre() {
    x = centred;
    Op *difference = centred->producer();
    if (!isOp(difference, "Sub"))
      return true;
    Op *found = producer(*difference, 1, "ReduceMean");
    if (!found || found->inputs()[0] != difference->inputs()[0] ||
        firstAxis(*found) != axis)
      return true; // of the squares of a difference
    mean = found;
    x = difference->inputs()[0];
    take(difference);
    take(mean);
    return true;
  }

  /// The only reader of the result so far, or null.
  Op *reader() const { return last->output().onlyUser(); }

  void takeCasts() {
    Op *before = x->producer(), *behind = reader();
    if (!isOp(before, "Cast") || !isOp(behind, "Cast"))
      return;
    Value *narrow = before->inputs()[0];
    if (!isFloatingPoint(narrow->info.type) ||
        sizeOf(narrow->info.type) > sizeOf(x->info.type) ||
        behind->output().info.type != narrow->info.type)
      return;
    take(last = behind);
    // The value stays if it has other readers.
    if (!x->isGraphResult() &&
        std::ranges::all_of(x->users(), [&](Op *user) { return has(user); }))
      take(before);
    x = narrow;
  }

  bool takeParameter(std::string_view type) {
    Op *op = reader();
    if (!isOp(op, type))
      return false;
    const bool isSecond = op->inputs()[0] == last->outputs()[0];
    Value *parameter = op->inputs()[isSecond ? 1 : 0];
    if (!fitsRows(*parameter))
      return false;
    parameters.push_back(parameter);
    take(last = op);
    return true;
  }
  /// True if a scale or shift is the same for all rows.
  bool fitsRows(const Value &parameter) const {
    const Shape &shape = parameter.info.shape, &whole = x->info.shape;
    if (shape.size() > whole.size() || parameter.info.type != x->info.type)
      return false;
    const std::size_t missing = whole.size() - shape.size();
    for (std::size_t d = 0; d != shape.size(); ++d) {
      const bool isOfRow = d + missing >= static_cast<std::size_t>(axis);
      if (shape[d] != 1 && (!isOfRow || shape[d] != whole[d + missing]))
        return false;
    }
    return true;
  }

  bool has(const Op *op) const {
    return std::ranges::find(ops, op) != ops.end();
  }
  /// True if intermediate values have no readers outside the match.
  bool isClosed() const {
    return std::ranges::all_of(ops, [&](const Op *op) {
      if (op == last)
        return true;
      const Value &result = op->output();
      return !result.isGraphResult() &&
             std::ranges::all_of(result.users(),
                                 [&](const Op *user) { return has(user); });
    });
  }
  bool isTogether() const {
    return x->info.numElements() != 0 &&
           last->output().info.shape == x->info.shape &&
           std::ranges::all_of(ops, [&](const Op *op) {
             return placeOf(op->placement()) == placeOf(last->placement()) &&
                    op->runsAfter().empty();
           });
  }
  /// True if no operand is overwritten between first and last operator.
  bool readsTheSameLater(const Writers &writers) const {
    const Op *first = *std::ranges::min_element(
        ops, [](const Op *a, const Op *b) { return a->isBefore(*b); });
    std::vector<Value *> read = parameters;
    read.push_back(x);
    return std::ranges::none_of(read, [&](const Value *value) {
      return std::ranges::any_of(writers.of(*value), [&](const Op *writer) {
        return first->isBefore(*writer) && writer->isBefore(*last);
      });
    });
  }

  std::vector<Op *> ops;
  Op *last = nullptr, *root = nullptr, *mean = nullptr;
  Value *x = nullptr, *centred = nullptr;
  std::vector<Value *> parameters;
  std::int64_t axis = 0;
  float epsilon = 0;
};

} // namespace

std::size_t fuseNorms(Graph &graph) {
  const Writers writers(graph);
  std::vector<Op *> divisions;
  for (Op *op : graph.ops())
    if (isOp(op, "Div") || isOp(op, "Mul"))
      divisions.push_back(op);
  std::unordered_set<Op *> gone;
  std::size_t changes = 0;
  for (Op *op : divisions) {
    if (gone.contains(op))
      continue;
    Norm norm;
    if (!norm.match(*op))
      continue;
    norm.extend();
    if (!norm.canBeOne(writers))
      continue;
    for (Op *part : norm.parts())
      gone.insert(part);
    norm.fuse(graph);
    ++changes;
  }
  return changes;
}

} // namespace populus::popir
