// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forms of Einsum that its class lacks: more than two operands, extents of
// 1 that broadcast, and integers. Operands are multiplied in pairs, the
// cheapest product first:
//
//     ij,jk,kl->il      becomes      ij,jk->ik      ik,kl->il
//
// A product keeps the labels that the result or another operand has.

#include "lib/PopART/Import/Decomposition.h"
#include "lib/PopART/Ops/Products/EinsumEquation.h"

#include <fmt/format.h>

#include <algorithm>

namespace populus::popir {

namespace {

struct Operand {
  Value *value;
  std::string labels;
};

class EinsumExpansion {
public:
  explicit EinsumExpansion(Expansion &e) : e(e) {
    const Refuse refuse = [&](const std::string &text) { e.failInput(text); };
    std::vector<Shape> shapes;
    for (std::size_t i = 0; i != e.numInputs(); ++i)
      shapes.push_back(e.shape(i));
    equation =
        readEquation(e.attributes().getString("equation", ""), shapes, refuse);
    extents = extentsOf(equation, shapes, refuse);
    for (std::size_t i = 0; i != e.numInputs(); ++i) {
      if (e.type(i) != e.type(0))
        e.failInput(fmt::format("its operands have types {} and {}; cast one "
                                "of them",
                                name(e.type(0)), name(e.type(i))));
      operands.push_back({&e.input(i), equation.operands[i]});
    }
  }

  bool isOfClass() const {
    return isFloat() && operands.size() <= 2 &&
           std::ranges::none_of(operands, [&](const Operand &operand) {
             return repeats(operand);
           });
  }

  Value &run() {
    for (Operand &operand : operands)
      operand = withoutRepeats(operand);
    while (operands.size() > 2)
      multiplyCheapest();
    return product(operands, equation.result);
  }

private:
  bool isFloat() const { return isFloatingPoint(e.type(0)); }

  /// True if a dimension of extent 1 is broadcast.
  bool repeats(const Operand &operand) const {
    const Shape &shape = operand.value->info.shape;
    for (std::size_t dim = 0; dim != shape.size(); ++dim)
      if (shape[dim] != extents.at(operand.labels[dim]))
        return true;
    return false;
  }

  /// The operand without broadcast dimensions.
  Operand withoutRepeats(const Operand &operand) const {
    const Shape &shape = operand.value->info.shape;
    Shape left;
    std::string labels;
    for (std::size_t dim = 0; dim != shape.size(); ++dim)
      if (shape[dim] == extents.at(operand.labels[dim])) {
        left.push_back(shape[dim]);
        labels += operand.labels[dim];
      }
    return {&e.reshape(*operand.value, left), labels};
  }

  double size(const std::string &labels) const {
    double product = 1;
    for (std::size_t i = 0; i != labels.size(); ++i)
      if (labels.find(labels[i]) == i)
        product *= static_cast<double>(extents.at(labels[i]));
    return product;
  }

  void multiplyCheapest() {
    std::size_t left = 0, right = 1;
    double least = -1;
    for (std::size_t i = 0; i != operands.size(); ++i)
      for (std::size_t k = i + 1; k != operands.size(); ++k) {
        const double work = size(operands[i].labels + operands[k].labels);
        if (least < 0 || work < least) {
          least = work;
          left = i;
          right = k;
        }
      }
    const std::vector<Operand> pair = {operands[left], operands[right]};
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(right));
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(left));
    std::string needed = equation.result, kept;
    for (const Operand &operand : operands)
      needed += operand.labels;
    for (const Operand &operand : pair)
      for (char label : operand.labels)
        if (needed.find(label) != std::string::npos &&
            kept.find(label) == std::string::npos)
          kept += label;
    operands.push_back({&product(pair, kept), kept});
  }

  /// The product of one or two operands, summed over labels that are not in
  /// `result`.
  Value &product(const std::vector<Operand> &factors,
                 const std::string &result) const {
    if (!isFloat())
      return integerProduct(factors, result);
    std::vector<Value *> values;
    std::string text;
    for (const Operand &factor : factors) {
      text += (values.empty() ? "" : ",") + factor.labels;
      values.push_back(factor.value);
    }
    return e.op("Einsum", values, {{"equation", text + "->" + result}});
  }

  Value &integerProduct(const std::vector<Operand> &factors,
                        const std::string &result) const {
    std::string all = result;
    for (const Operand &factor : factors)
      for (char label : factor.labels)
        if (all.find(label) == std::string::npos)
          all += label;
    Value *value = nullptr;
    for (const Operand &factor : factors) {
      Value &part = aligned(factor, all);
      value = value ? &e.mul(*value, part) : &part;
    }
    if (all.size() == result.size())
      return *value;
    std::vector<std::int64_t> axes;
    for (std::size_t i = result.size(); i != all.size(); ++i)
      axes.push_back(static_cast<std::int64_t>(i));
    Shape shape;
    for (char label : result)
      shape.push_back(extents.at(label));
    return e.reshape(e.reduce("ReduceSum", *value, axes), shape);
  }

  /// Reshapes the operand to a dimension for each label of `all`, of extent 1
  /// for missing labels. Repeated labels select the diagonal.
  Value &aligned(const Operand &operand, const std::string &all) const {
    const Shape &from = operand.value->info.shape;
    Shape shape, steps;
    for (char label : all) {
      std::int64_t step = 0;
      for (std::size_t dim = 0, stride = 1; dim != from.size(); ++dim) {
        const std::size_t at = from.size() - 1 - dim;
        if (operand.labels[at] == label)
          step += static_cast<std::int64_t>(stride);
        stride *= static_cast<std::size_t>(from[at]);
      }
      const bool has = operand.labels.find(label) != std::string::npos;
      shape.push_back(has ? extents.at(label) : 1);
      steps.push_back(step);
    }
    std::vector<std::int64_t> places(numElements(shape));
    for (std::size_t i = 0; i != places.size(); ++i) {
      std::int64_t rest = static_cast<std::int64_t>(i);
      for (std::size_t dim = shape.size(); dim-- > 0;) {
        places[i] += rest % shape[dim] * steps[dim];
        rest /= shape[dim];
      }
    }
    Value &flat = e.reshape(*operand.value, {numElements(from)});
    return e.op(
        "Gather",
        {&flat, &e.constant(HostTensor::ofInts(places).reshaped(shape))},
        {{"axis", std::int64_t(0)}});
  }

  Expansion &e;
  EinsumEquation equation;
  std::map<char, std::int64_t> extents;
  std::vector<Operand> operands;
};

std::vector<Value *> einsum(Expansion &e) {
  EinsumExpansion expansion(e);
  if (expansion.isOfClass())
    return {};
  return {&expansion.run()};
}

const RegisterDecomposition decompositions[] = {{"Einsum", {12, 28}, einsum}};

} // namespace

} // namespace populus::popir
