// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, logic, and selection.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

namespace populus::popir {

namespace {

using expr::Any;

constexpr unsigned Numbers = Reals | Integers;
constexpr auto Bool = ElementwiseFunction::Bool;

// clang-format off: a table
const std::vector<ElementwiseFunction> Table = {
    {"Equal", {1, 7, 11, 13, 19}, Numbers | Booleans,
     [](Device x) -> Any { return x[0] == x[1]; },
     [](Real x) -> double { return x[0] == x[1]; },
     [](Int x) -> std::int64_t { return x[0] == x[1]; }, Bool},
    {"Greater", {1, 7, 9, 13}, Numbers,
     [](Device x) -> Any { return x[0] > x[1]; },
     [](Real x) -> double { return x[0] > x[1]; },
     [](Int x) -> std::int64_t { return x[0] > x[1]; }, Bool},
    {"GreaterOrEqual", {12, 16}, Numbers,
     [](Device x) -> Any { return x[0] >= x[1]; },
     [](Real x) -> double { return x[0] >= x[1]; },
     [](Int x) -> std::int64_t { return x[0] >= x[1]; }, Bool},
    {"Less", {1, 7, 9, 13}, Numbers,
     [](Device x) -> Any { return x[0] < x[1]; },
     [](Real x) -> double { return x[0] < x[1]; },
     [](Int x) -> std::int64_t { return x[0] < x[1]; }, Bool},
    {"LessOrEqual", {12, 16}, Numbers,
     [](Device x) -> Any { return x[0] <= x[1]; },
     [](Real x) -> double { return x[0] <= x[1]; },
     [](Int x) -> std::int64_t { return x[0] <= x[1]; }, Bool},
    {"And", {1, 7}, Booleans, [](Device x) -> Any { return x[0] && x[1]; },
     nullptr, [](Int x) -> std::int64_t { return x[0] && x[1]; }, Bool},
    {"Or", {1, 7}, Booleans, [](Device x) -> Any { return x[0] || x[1]; },
     nullptr, [](Int x) -> std::int64_t { return x[0] || x[1]; }, Bool},
    {"Xor", {1, 7}, Booleans, [](Device x) -> Any { return x[0] != x[1]; },
     nullptr, [](Int x) -> std::int64_t { return x[0] != x[1]; }, Bool},
    {"Not", {1}, Booleans, [](Device x) -> Any { return !x[0]; },
     nullptr, [](Int x) -> std::int64_t { return !x[0]; }, Bool},
    {.type = "Where", .versions = {9, 16}, .operandTypes = Numbers | Booleans,
     .onDevice = [](Device x) -> Any { return expr::Select(x[1], x[2], x[0]); },
     .onReals = [](Real x) { return x[0] != 0 ? x[1] : x[2]; },
     .onIntegers = [](Int x) { return x[0] != 0 ? x[1] : x[2]; },
     .typeOperand = 1, .otherOperand = 0, .otherTypes = Booleans},
};
// clang-format on

const ElementwiseGradients Rules = {
    {"Where",
     [](Gradients &g) {
       Value &none = g.scalar(g.dy().info.type, 0);
       if (g.wants(1))
         g.set(1, g.where(g.x(0), g.dy()));
       if (g.wants(2))
         g.set(2, g.select(g.x(0), none, g.dy()));
     }},
};

const RegisterElementwise registration(Table, Rules);

} // namespace

} // namespace populus::popir
