// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Einsum of one or two operands. The import reduces other forms (more operands,
// other types, extents of 1 that broadcast) to it. First, labels of only one
// operand that are not in the result are summed. The rest is a grouped matrix
// product. Example, "bij,bjk->bik": b, in both operands and the result, is the
// group; j, in both operands only, is summed; i and k are rows and columns.

#include "lib/PopART/Ops/Reduction/Reduction.h"

#include "lib/PopART/IR/Gradients.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Ops/Products/EinsumEquation.h"
#include "lib/PopART/Ops/Shape/Shapes.h"

#include <fmt/format.h>
#include <poplin/MatMul.hpp>

#include <algorithm>
#include <map>

namespace populus::popir {

namespace {

using Equation = EinsumEquation;

class Einsum final : public DeviceOp {
public:
  using DeviceOp::DeviceOp;

  std::vector<TensorInfo> infer() const override {
    checkFloat(*this);
    if (inputs().size() > 2)
      failUnsupported("more than two operands are not supported");
    checkSameTypes(*this, 0, inputs().size());
    const Equation equation = parse();
    const std::map<char, std::int64_t> extents =
        extentsOf(equation, shapes(), refuse());
    checkExtents(equation, extents);
    Shape shape;
    for (char label : equation.result)
      shape.push_back(extents.at(label));
    return {{input(0).info.type, shape}};
  }

  double codeValue() const override { return 1; }
  void lower(Lowering &lowering) const override {
    Equation equation = parse();
    std::vector<poplar::Tensor> operands;
    for (std::size_t i = 0; i != inputs().size(); ++i) {
      std::string kept = equation.result;
      for (std::size_t k = 0; k != inputs().size(); ++k)
        if (k != i)
          kept += equation.operands[k];
      operands.push_back(summed(
          lowering, diagonal(lowering.input(*this, i), equation.operands[i]),
          equation.operands[i], kept));
    }
    std::string order = equation.operands[0];
    poplar::Tensor result = operands[0];
    if (operands.size() == 2)
      result = multiplied(lowering, operands[0], operands[1], equation, order);
    lowering.setOutput(*this, permuted(result, order, equation.result));
  }

  /// The gradient of an operand is an Einsum of dy and the other operand; it is
  /// broadcast along labels that only the operand has.
  void differentiate(Gradients &g) const override {
    const Equation equation = parse();
    for (std::size_t i = 0; i != inputs().size(); ++i)
      if (g.wants(i))
        g.set(i, gradient(g, equation, i));
  }

private:
  Value &gradient(Gradients &g, const Equation &equation,
                  std::size_t index) const {
    const std::string &labels = equation.operands[index];
    std::string text = equation.result, known = text, found;
    std::vector<Value *> operands = {&g.dy()};
    for (std::size_t i = 0; i != inputs().size(); ++i)
      if (i != index) {
        text += ',' + equation.operands[i];
        known += equation.operands[i];
        operands.push_back(&g.x(i));
      }
    for (char label : labels)
      if (known.find(label) != std::string::npos &&
          found.find(label) == std::string::npos)
        found += label;
    Value &sum = g.op("Einsum", operands, {{"equation", text + "->" + found}});
    return onDiagonal(g, alongAll(g, sum, found, labels, inputShape(index)),
                      labels);
  }

  /// Broadcasts a tensor with the labels `found` to `labels`, of which `found`
  /// is a subsequence, also along repeated labels.
  static Value &alongAll(Gradients &g, Value &x, const std::string &found,
                         const std::string &labels, const Shape &shape) {
    Shape withOnes;
    for (std::size_t i = 0; i != labels.size(); ++i) {
      const bool isFirst = labels.find(labels[i]) == i;
      const bool isFound = found.find(labels[i]) != std::string::npos;
      withOnes.push_back(isFirst && isFound ? shape[i] : 1);
    }
    return g.expand(g.reshape(x, withOnes), shape);
  }

  /// Sets elements to zero if a repeated label has different indices.
  static Value &onDiagonal(Gradients &g, Value &x, const std::string &labels) {
    Value *result = &x;
    const Shape &shape = x.info.shape;
    for (std::size_t twin = 0; twin != labels.size(); ++twin) {
      const std::size_t first = labels.find(labels[twin]);
      if (first == twin)
        continue;
      Shape ones(shape.size(), 1);
      ones[first] = ones[twin] = shape[first];
      HostTensor diagonal({DataType::Double, ones});
      for (std::int64_t i = 0; i != shape[first]; ++i)
        diagonal.as<double>()[i * (shape[first] + 1)] = 1;
      result = &g.mul(*result, g.constant(diagonal.convertedTo(x.info.type)));
    }
    return *result;
  }

  std::vector<Shape> shapes() const {
    std::vector<Shape> result;
    for (std::size_t i = 0; i != inputs().size(); ++i)
      result.push_back(inputShape(i));
    return result;
  }
  Refuse refuse() const {
    return [this](const std::string &text) { failInput(text); };
  }
  Equation parse() const {
    return readEquation(attributes().getString("equation", ""), shapes(),
                        refuse());
  }

  void checkExtents(const Equation &equation,
                    const std::map<char, std::int64_t> &extents) const {
    for (std::size_t i = 0; i != equation.operands.size(); ++i)
      for (std::size_t dim = 0; dim != equation.operands[i].size(); ++dim) {
        const char label = equation.operands[i][dim];
        if (inputShape(i)[dim] != extents.at(label))
          failUnsupported(fmt::format("label {} stands for {} and {} elements",
                                      label, inputShape(i)[dim],
                                      extents.at(label)));
      }
  }

  /// The diagonal over dimensions with the same label, of which one stays.
  static poplar::Tensor diagonal(poplar::Tensor x, std::string &labels) {
    for (std::size_t i = 0; i < labels.size(); ++i)
      while (labels.find(labels[i], i + 1) != std::string::npos) {
        auto last = static_cast<unsigned>(labels.size() - 1);
        auto twin = static_cast<unsigned>(labels.find(labels[i], i + 1));
        // Move both to the end and flatten them: the diagonal is every
        // (extent + 1)-th element.
        std::size_t extent = x.dim(twin);
        x = x.dimRoll(twin, last).dimRoll(static_cast<unsigned>(i), last - 1);
        std::vector<std::size_t> shape = x.shape();
        shape.resize(last - 1);
        shape.push_back(extent * extent);
        x = x.reshape(shape);
        if (extent > 1)
          x = x.subSample(static_cast<unsigned>(extent + 1), last - 1);
        x = x.dimRoll(last - 1, static_cast<unsigned>(i));
        labels.erase(twin, 1);
      }
    return x;
  }

  /// Sums the dimensions whose labels occur nowhere else, and removes them from
  /// `labels`.
  poplar::Tensor summed(Lowering &lowering, const poplar::Tensor &x,
                        std::string &labels, const std::string &kept) const {
    std::vector<std::size_t> dims, shape;
    std::string left;
    for (std::size_t i = 0; i != labels.size(); ++i) {
      if (kept.find(labels[i]) == std::string::npos) {
        dims.push_back(i);
        continue;
      }
      left += labels[i];
      shape.push_back(x.dim(i));
    }
    labels = left;
    if (dims.empty())
      return x;
    return reduceKeepingDims(lowering, *this, x, dims, popops::Operation::ADD)
        .reshape(shape);
  }

  static poplar::Tensor permuted(const poplar::Tensor &x,
                                 const std::string &from,
                                 const std::string &to) {
    std::vector<unsigned> order;
    for (char label : to)
      order.push_back(static_cast<unsigned>(from.find(label)));
    return x.dimShuffle(order);
  }

  poplar::Tensor multiplied(Lowering &lowering, const poplar::Tensor &a,
                            const poplar::Tensor &b, const Equation &equation,
                            std::string &order) const {
    const std::string &left = equation.operands[0],
                      &right = equation.operands[1];
    std::string groups, sums, rows, columns;
    for (char label : left) {
      bool inRight = right.find(label) != std::string::npos;
      bool inResult = equation.result.find(label) != std::string::npos;
      (inRight ? (inResult ? groups : sums) : rows) += label;
    }
    for (char label : right)
      if (left.find(label) == std::string::npos)
        columns += label;
    std::map<char, std::size_t> sizes;
    for (std::size_t i = 0; i != left.size(); ++i)
      sizes[left[i]] = a.dim(i);
    for (std::size_t i = 0; i != right.size(); ++i)
      sizes[right[i]] = b.dim(i);
    auto count = [&](const std::string &labels) {
      std::size_t product = 1;
      for (char label : labels)
        product *= sizes[label];
      return product;
    };
    poplar::Tensor product = poplin::matMulGrouped(
        lowering.graph(),
        permuted(a, left, groups + rows + sums)
            .reshape({count(groups), count(rows), count(sums)}),
        permuted(b, right, groups + sums + columns)
            .reshape({count(groups), count(sums), count(columns)}),
        lowering.program(), a.elementType(), lowering.debug(*this));
    order = groups + rows + columns;
    std::vector<std::size_t> shape;
    for (char label : order)
      shape.push_back(sizes[label]);
    return product.reshape(shape);
  }
};

const RegisterOp<Einsum> registration("Einsum", {12, 28});

} // namespace

} // namespace populus::popir
