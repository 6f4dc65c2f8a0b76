// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ScatterIntoSum: x + scatter(zeros, rows) becomes scatter(x, rows). The
// gradient of a look-up is a scatter onto zeros. If the table has a second
// reader (the embedding of a language model is also a factor of its last
// product), the scatter is added to another gradient of the table's size, of
// which it changes only few rows.

#include "lib/PopART/IR/Graph.h"
#include "lib/PopART/IR/Op.h"
#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Passes/Passes.h"

#include <algorithm>

namespace populus::popir {

namespace {

bool isOf(const Op &op, std::initializer_list<std::string_view> types) {
  return op.id().domain.empty() && std::ranges::count(types, op.id().type) != 0;
}

/// The scatter onto zeros whose only reader is this sum, or null.
Op *scatterFor(const Op &sum, std::size_t operand) {
  Op *scatter = sum.input(operand).producer();
  const bool fits =
      scatter && isOf(*scatter, {"ScatterND", "ScatterElements"}) &&
      scatter->attributes().getString("reduction", "none") == "add" &&
      scatter->output().onlyUser() == &sum &&
      scatter->output().info == sum.output().info && isZeros(scatter->input(0));
  return fits ? scatter : nullptr;
}

class ScatterIntoSum {
public:
  explicit ScatterIntoSum(Graph &graph) : graph(graph) {}

  std::size_t run() {
    std::vector<Op *> sums;
    for (Op *op : graph.ops())
      if (isOf(*op, {"Add", "Sum"}) && op->inputs().size() > 1)
        sums.push_back(op);
    return static_cast<std::size_t>(
        std::ranges::count_if(sums, [&](Op *sum) { return rewrite(*sum); }));
  }

private:
  bool rewrite(Op &sum) {
    for (std::size_t i = 0; i != sum.inputs().size(); ++i)
      if (Op *scatter = scatterFor(sum, i)) {
        Value *rest = restOf(sum, i);
        if (!rest)
          return false;
        addRows(*scatter, *rest, sum);
        return true;
      }
    return false;
  }

  /// The sum of the other operands, or null if it has another size.
  Value *restOf(Op &sum, std::size_t without) {
    std::vector<Value *> others = sum.inputs();
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(without));
    if (std::ranges::none_of(others, [&](const Value *other) {
          return other->info == sum.output().info;
        }))
      return nullptr;
    if (others.size() == 1)
      return others.front();
    Value &rest = graph.addValue(graph.uniqueName(sum.output().name + "/rest"),
                                 sum.output().info);
    OpSpec spec{sum.id(),      sum.name(), sum.attributes(),
                others.size(), 1,          sum.placement()};
    graph.addOp(createOp(std::move(spec)), std::move(others), {&rest}, &sum);
    return &rest;
  }

  /// Scatters onto `rest`, and replaces the sum by the result.
  void addRows(Op &scatter, Value &rest, Op &sum) {
    graph.moveBefore(scatter, &sum);
    graph.setInput(scatter, 0, &rest);
    scatter.placement() = sum.placement();
    Value &rows = *scatter.outputs()[0];
    const std::string name = sum.output().name;
    graph.replaceUses(*sum.outputs()[0], rows);
    graph.erase(sum);
    graph.rename(rows, name);
  }

  Graph &graph;
};

} // namespace

std::size_t scatterIntoSum(Graph &graph) { return ScatterIntoSum(graph).run(); }

} // namespace populus::popir
