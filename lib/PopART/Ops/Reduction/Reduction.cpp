// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ReduceSum and its relatives: a table defines the elementwise function before
// the reduction, the reduction, and the function after it.

#include "lib/PopART/Ops/Reduction/Reduction.h"

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/Ops/Adjoints.h"
#include "lib/PopART/Ops/Elementwise/Elementwise.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace populus::popir {

using popops::Operation;

/// Reduces like reduceKeepingDims, with a result of the given type.
static poplar::Tensor reduceToType(Lowering &lowering, const Op &op,
                                   const poplar::Tensor &x,
                                   const std::vector<std::size_t> &dims,
                                   const popops::ReduceParams &params,
                                   const poplar::Type &type) {
  std::vector<std::size_t> shape = x.shape();
  for (std::size_t dim : dims)
    shape[dim] = 1;
  // Append a dimension of extent 1: there always is one to reduce.
  std::vector<std::size_t> all = dims;
  all.push_back(x.rank());
  std::vector<std::size_t> withOne = x.shape();
  withOne.push_back(1);
  return popops::reduce(lowering.graph(), x.reshape(withOne), type, all, params,
                        lowering.program(), lowering.debug(op))
      .reshape(shape);
}

poplar::Tensor reduceKeepingDims(Lowering &lowering, const Op &op,
                                 const poplar::Tensor &x,
                                 const std::vector<std::size_t> &dims,
                                 Operation operation, double scale) {
  popops::ReduceParams params(operation);
  if (scale != 1)
    params = {operation, false,
              lowering.addConstant(HostTensor::scalar(DataType::Float, scale),
                                   {lowering.debug(op), "scale"})};
  return reduceToType(lowering, op, x, dims, params, x.elementType());
}

double reducedCount(const poplar::Tensor &x,
                    const std::vector<std::size_t> &dims) {
  double count = 1;
  for (std::size_t dim : dims)
    count *= static_cast<double>(x.dim(dim));
  return count;
}

namespace {

using expr::Any;

poplar::Tensor map(Lowering &lowering, const Op &op, const Any &e,
                   const std::vector<poplar::Tensor> &tensors) {
  return popops::map(lowering.graph(), e, tensors, lowering.program(),
                     lowering.debug(op));
}

/// A power of two near each of some positive floats: squares of quotients by it
/// neither overflow nor vanish, and the quotients are exact. Its reciprocal is
/// no subnormal.
poplar::Tensor unitOf(Lowering &lowering, const Op &op,
                      const poplar::Tensor &x) {
  constexpr int exponent = 0x7f800000, least = 0x00800000, most = 0x7e800000;
  return map(lowering, op,
             expr::Max(
                 expr::Min(expr::_1 & expr::Const(exponent), expr::Const(most)),
                 expr::Const(least)),
             {x.reinterpret(poplar::INT)})
      .reinterpret(poplar::FLOAT);
}

/// 1 / unit for powers of two: negates their exponents.
poplar::Tensor reciprocal(Lowering &lowering, const Op &op,
                          const poplar::Tensor &unit) {
  return map(lowering, op, expr::Const(0x7f000000) - expr::_1,
             {unit.reinterpret(poplar::INT)})
      .reinterpret(poplar::FLOAT);
}

} // namespace

poplar::Tensor euclideanNorm(Lowering &lowering, const Op &op,
                             const poplar::Tensor &x,
                             const std::vector<std::size_t> &dims) {
  const auto sumOfSquares = [&](const poplar::Tensor &parts) {
    return reduceToType(lowering, op, parts, dims, {Operation::SQUARE_ADD},
                        poplar::FLOAT);
  };
  if (x.elementType() == poplar::HALF) // squares of halves fit into floats
    return map(lowering, op, expr::Cast(expr::Sqrt(expr::_1), poplar::HALF),
               {sumOfSquares(x)});
  const poplar::Tensor unit =
      unitOf(lowering, op,
             reduceKeepingDims(lowering, op,
                               map(lowering, op, expr::Abs(expr::_1), {x}),
                               dims, Operation::MAX));
  const poplar::Tensor parts = map(lowering, op, expr::_1 * expr::_2,
                                   {x, reciprocal(lowering, op, unit)});
  return map(lowering, op, expr::Sqrt(expr::_1) * expr::_2,
             {sumOfSquares(parts), unit});
}

namespace {

enum class Kind {
  L1,
  L2,
  LogSum,
  LogSumExp,
  Max,
  Mean,
  Min,
  Prod,
  Sum,
  SumSquare
};

struct Reduction {
  std::string type;
  std::vector<int> versions;
  Kind kind;
};

const std::vector<Reduction> Table = {
    {"ReduceL1", {1, 11, 13, 18}, Kind::L1},
    {"ReduceL2", {1, 11, 13, 18}, Kind::L2},
    {"ReduceLogSum", {1, 11, 13, 18, 28}, Kind::LogSum},
    {"ReduceLogSumExp", {1, 11, 13, 18, 28}, Kind::LogSumExp},
    {"ReduceMax", {1, 11, 12, 13, 18, 20}, Kind::Max},
    {"ReduceMean", {1, 11, 13, 18}, Kind::Mean},
    {"ReduceMin", {1, 11, 12, 13, 18, 20}, Kind::Min},
    {"ReduceProd", {1, 11, 13, 18}, Kind::Prod},
    {"ReduceSum", {1, 11, 13}, Kind::Sum},
    {"ReduceSumSquare", {1, 11, 13, 18}, Kind::SumSquare},
};

Kind kindOf(const OperatorId &id) {
  return std::ranges::find(Table, id.type, &Reduction::type)->kind;
}

/// Exclusive prefix products of each row; in log2(n) steps, as in CumSum.
Value &productsBefore(Gradients &g, Value &rows) {
  const std::int64_t extent = rows.info.shape[1];
  Value &ones = g.expand(g.scalar(rows.info.type, 1), {rows.info.shape[0], 1});
  Value *products = &g.concat({&ones, &g.slice(rows, 1, 0, extent - 1)}, 1);
  for (std::int64_t step = 1; step < extent; step *= 2)
    products = &g.concat({&g.slice(*products, 1, 0, step),
                          &g.mul(g.slice(*products, 1, step, extent),
                                 g.slice(*products, 1, 0, extent - step))},
                         1);
  return *products;
}

/// For each element, the product of the others in its row. It uses prefix and
/// suffix products, not a quotient, so that zeros do no harm.
Value &productsOfOthers(Gradients &g, Value &rows) {
  if (rows.info.numElements() == 0)
    return rows;
  auto reversed = [&](Value &x) -> Value & {
    return g.op("Reverse", {&x}, {{"dimensions", std::vector<std::int64_t>{1}}},
                "ai.graphcore");
  };
  return g.mul(productsBefore(g, rows),
               reversed(productsBefore(g, reversed(rows))));
}

class ReduceOp final : public DeviceOp {
public:
  explicit ReduceOp(OpSpec spec)
      : DeviceOp(std::move(spec)), kind(kindOf(this->spec().id)) {}

  std::vector<TensorInfo> infer() const override {
    std::vector<std::size_t> reduced = dims();
    Shape shape;
    for (std::size_t i = 0; i != inputShape(0).size(); ++i) {
      if (!std::ranges::count(reduced, i))
        shape.push_back(inputShape(0)[i]);
      else if (attributes().getInt("keepdims", 1) != 0)
        shape.push_back(1);
    }
    if (!isFloatingPoint(input(0).info.type) && !worksOnIntegers())
      checkFloat(*this);
    return {{input(0).info.type, shape}};
  }

  /// Constant folding, for arithmetic on shapes.
  std::optional<std::vector<HostTensor>> evaluate() const override {
    const DataType type = input(0).info.type;
    if (isFloatingPoint(type) || type == DataType::Bool || !worksOnIntegers() ||
        (input(0).info.numElements() == 0 && kind == Kind::Mean))
      return std::nullopt;
    std::vector<std::int64_t> from = input(0).constant()->toInts();
    if (type == DataType::UInt64 &&
        std::ranges::any_of(from, [](std::int64_t x) { return x < 0; }))
      return std::nullopt; // beyond int64, in which we compute
    HostTensor result({DataType::Int64, infer()[0].shape});
    const std::span<std::int64_t> to = result.as<std::int64_t>();
    if (from.empty())
      std::ranges::fill(to, valueOfNone(type));
    std::vector<bool> isSet(to.size());
    for (std::size_t i = 0; i != from.size(); ++i) {
      const std::int64_t x = term(from[i]);
      const std::int64_t place = reducedPlace(static_cast<std::int64_t>(i));
      to[place] = isSet[place] ? combine(to[place], x) : x;
      isSet[place] = true;
    }
    if (kind == Kind::Mean)
      for (std::int64_t &sum : to)
        sum /= static_cast<std::int64_t>(from.size() / to.size());
    return std::vector{result.convertedTo(type)};
  }

  void lower(Lowering &lowering) const override {
    const DataType type = output().info.type;
    const bool isExtreme = kind == Kind::Max || kind == Kind::Min;
    // The device has smaller integers in 32 bits, whose extremes are others.
    if (isExtreme && input(0).info.numElements() == 0 &&
        !isFloatingPoint(type) && type != DataType::Bool && sizeOf(type) < 4) {
      HostTensor none({DataType::Int64, output().info.shape});
      std::ranges::fill(none.as<std::int64_t>(), valueOfNone(type));
      return lowering.setOutput(
          *this, lowering.addConstant(none.convertedTo(type),
                                      {lowering.debug(*this), "none"}));
    }
    poplar::Tensor result = reduce(lowering, lowering.input(*this, 0), dims());
    lowering.setOutput(*this, result.reshape(toPoplar(output().info.shape)));
  }

  void differentiate(Gradients &g) const override { g.set(0, gradient(g)); }

private:
  Value &gradient(Gradients &g) const {
    Shape kept = inputShape(0);
    std::int64_t count = 1;
    for (std::size_t dim : dims())
      count *= std::exchange(kept[dim], 1);
    Value &x = g.x();
    Value &dy = g.reshape(g.dy(), kept);
    auto result = [&]() -> Value & { return g.reshape(g.y(), kept); };
    switch (kind) {
    case Kind::Sum:
      return g.expand(dy, inputShape(0));
    case Kind::Mean:
      return g.expand(g.mul(dy, 1 / static_cast<double>(count)), inputShape(0));
    case Kind::SumSquare:
      return g.mul(g.mul(x, 2), dy);
    case Kind::L1:
      return g.mul(g.op("Sign", {&x}), dy);
    case Kind::L2: {
      // Elements that are all 0 have the gradient 0.
      Value &norm = result();
      const DataType type = norm.info.type;
      Value &isZero = g.op("Equal", {&norm, &g.scalar(type, 0)});
      return g.mul(
          x, g.div(dy, g.op("Where", {&isZero, &g.scalar(type, 1), &norm})));
    }
    case Kind::LogSum:
      return g.expand(g.div(dy, g.op("Exp", {&result()})), inputShape(0));
    case Kind::LogSumExp:
      return g.mul(g.op("Exp", {&g.sub(x, result())}), dy);
    case Kind::Max:
    case Kind::Min: { // PopART gives all that have the value the whole gradient
      Value &hits = g.op("Equal", {&x, &result()});
      if (!g.hasTorchTies())
        return g.where(hits, dy);
      const std::vector<std::size_t> reduced = dims();
      Value &numHits = g.reduce("ReduceSum", g.asNumber(hits, dy.info.type),
                                {reduced.begin(), reduced.end()});
      return g.where(hits, g.div(dy, g.reshape(numHits, kept)));
    }
    case Kind::Prod: {
      const std::vector<std::size_t> reduced = dims();
      const RowsOf rows(inputShape(0), {reduced.begin(), reduced.end()});
      return g.mul(rows.join(g, productsOfOthers(g, rows.split(g, x))), dy);
    }
    }
    failUnsupported("it has no gradient");
  }

  bool worksOnIntegers() const {
    return kind != Kind::L2 && kind != Kind::LogSum && kind != Kind::LogSumExp;
  }

  bool isBool() const { return input(0).info.type == DataType::Bool; }

  std::vector<std::size_t> dims() const {
    std::vector<std::int64_t> axes;
    bool isInput = version() >= (kind == Kind::Sum ? 13 : 18);
    if (isInput && hasInput(1))
      axes = constantInput(1, "list of axes").toInts();
    else if (!isInput)
      axes = attributes().getInts("axes");
    axes = normalAxes(*this, axes, input(0).info.rank());
    if (axes.empty() && attributes().getInt("noop_with_empty_axes", 0) == 0) {
      axes.resize(input(0).info.rank());
      std::iota(axes.begin(), axes.end(), 0);
    }
    return {axes.begin(), axes.end()};
  }

  /// The result where nothing is reduced: extremes are those of the type.
  std::int64_t valueOfNone(DataType type) const {
    std::int64_t least = 0, most = 0;
    withElementType(type, [&](auto sample) {
      using Limits = std::numeric_limits<decltype(sample)>;
      least = static_cast<std::int64_t>(Limits::lowest());
      most = static_cast<std::int64_t>(Limits::max());
    });
    if (kind == Kind::Max)
      return least;
    if (kind == Kind::Min)
      return most;
    return kind == Kind::Prod ? 1 : 0;
  }

  /// An integer as it enters the sum or product of its place.
  std::int64_t term(std::int64_t x) const {
    if (kind == Kind::SumSquare)
      return wrapping(x, x, std::multiplies<>());
    return kind == Kind::L1 && x < 0 ? wrapping(0, x, std::minus<>()) : x;
  }

  std::int64_t combine(std::int64_t a, std::int64_t b) const {
    switch (kind) {
    case Kind::Max:
      return std::max(a, b);
    case Kind::Min:
      return std::min(a, b);
    case Kind::Prod:
      return wrapping(a, b, std::multiplies<>());
    default:
      return wrapping(a, b, std::plus<>());
    }
  }

  /// The flat index of the result that an element of the input reduces to.
  std::int64_t reducedPlace(std::int64_t flat) const {
    std::vector<std::size_t> reduced = dims();
    std::int64_t place = 0, step = 1;
    for (std::size_t i = inputShape(0).size(); i-- > 0;) {
      std::int64_t index = flat % inputShape(0)[i];
      flat /= inputShape(0)[i];
      if (std::ranges::count(reduced, i))
        continue;
      place += index * step;
      step *= inputShape(0)[i];
    }
    return place;
  }

  poplar::Tensor map(Lowering &lowering, const Any &e,
                     const std::vector<poplar::Tensor> &tensors) const {
    return popir::map(lowering, *this, e, tensors);
  }

  /// Clamps to finite numbers.
  poplar::Tensor finite(Lowering &lowering, const poplar::Tensor &x) const {
    const double largest = x.elementType() == poplar::HALF
                               ? 65504
                               : std::numeric_limits<float>::max();
    const auto limit = [&](double value) {
      return expr::Const(value, x.elementType());
    };
    return map(lowering,
               expr::Max(expr::Min(expr::_1, limit(largest)), limit(-largest)),
               {x});
  }

  poplar::Tensor reduce(Lowering &lowering, const poplar::Tensor &x,
                        const std::vector<std::size_t> &dims) const {
    auto reduced = [&](const poplar::Tensor &t, Operation operation,
                       double scale = 1) {
      return reduceKeepingDims(lowering, *this, t, dims, operation, scale);
    };
    // A sum of halves can overflow although the result does not.
    auto floatSum = [&](const poplar::Tensor &t, Operation operation) {
      return reduceToType(lowering, *this, t, dims, {operation}, poplar::FLOAT);
    };
    auto asInput = [&](const Any &e) -> Any {
      return x.elementType() == poplar::FLOAT ? e
                                              : expr::Cast(e, x.elementType());
    };
    switch (kind) {
    case Kind::L1:
      return reduced(x.elementType() == poplar::UNSIGNED_INT
                         ? x
                         : map(lowering, expr::Abs(expr::_1), {x}),
                     Operation::ADD);
    case Kind::L2:
      return euclideanNorm(lowering, *this, x, dims);
    case Kind::LogSum:
      return map(lowering, asInput(expr::Log(expr::_1)),
                 {floatSum(x, Operation::ADD)});
    case Kind::LogSumExp: {
      // Subtract the largest element, so that no exponential overflows. It must
      // be finite: inf - inf is NaN.
      const poplar::Tensor largest =
          finite(lowering, reduced(x, Operation::MAX));
      const poplar::Tensor sum =
          floatSum(map(lowering, expr::Exp(expr::_1 - expr::_2), {x, largest}),
                   Operation::ADD);
      return map(lowering, asInput(expr::Log(expr::_1)) + expr::_2,
                 {sum, largest});
    }
    case Kind::Max:
      return reduced(x, isBool() ? Operation::LOGICAL_OR : Operation::MAX);
    case Kind::Min:
      return reduced(x, isBool() ? Operation::LOGICAL_AND : Operation::MIN);
    case Kind::Prod:
      return reduced(x, Operation::MUL);
    case Kind::Sum:
      return reduced(x, Operation::ADD);
    case Kind::SumSquare:
      return isFloatingPoint(input(0).info.type)
                 ? reduced(x, Operation::SQUARE_ADD)
                 : reduced(map(lowering, expr::Square(expr::_1), {x}),
                           Operation::ADD);
    case Kind::Mean: {
      double count = reducedCount(x, dims);
      if (isFloatingPoint(input(0).info.type))
        return reduced(x, Operation::ADD, 1 / count);
      return map(lowering, expr::_1 / expr::Const(count, x.elementType()),
                 {reduced(x, Operation::ADD)});
    }
    }
    failUnsupported("this reduction is not supported");
  }

  Kind kind;
};

const bool registered = [] {
  for (const Reduction &reduction : Table)
    RegisterOp<ReduceOp>(reduction.type, reduction.versions);
  return true;
}();

} // namespace

} // namespace populus::popir
