// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparisons, logic, and selection.

#include "lib/PopART/Ops/Elementwise/Elementwise.h"

namespace populus::popir {

namespace {

using expr::Any;

constexpr unsigned Numbers = Reals | Integers;
constexpr auto Bool = ElementwiseFunction::Bool;

const std::vector<ElementwiseFunction> Table = {
    {.type = "Equal",
     .versions = {1, 7, 11, 13, 19},
     .operandTypes = Numbers | Booleans,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return x[0] == x[1]; },
     .onReals = [](Real x) -> double { return x[0] == x[1]; },
     .onIntegers = [](Int x) -> std::int64_t { return x[0] == x[1]; }},
    {.type = "Greater",
     .versions = {1, 7, 9, 13},
     .operandTypes = Numbers,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return x[0] > x[1]; },
     .onReals = [](Real x) -> double { return x[0] > x[1]; },
     .onIntegers = [](Int x) -> std::int64_t { return x[0] > x[1]; }},
    {.type = "GreaterOrEqual",
     .versions = {12, 16},
     .operandTypes = Numbers,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return x[0] >= x[1]; },
     .onReals = [](Real x) -> double { return x[0] >= x[1]; },
     .onIntegers = [](Int x) -> std::int64_t { return x[0] >= x[1]; }},
    {.type = "Less",
     .versions = {1, 7, 9, 13},
     .operandTypes = Numbers,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return x[0] < x[1]; },
     .onReals = [](Real x) -> double { return x[0] < x[1]; },
     .onIntegers = [](Int x) -> std::int64_t { return x[0] < x[1]; }},
    {.type = "LessOrEqual",
     .versions = {12, 16},
     .operandTypes = Numbers,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return x[0] <= x[1]; },
     .onReals = [](Real x) -> double { return x[0] <= x[1]; },
     .onIntegers = [](Int x) -> std::int64_t { return x[0] <= x[1]; }},
    {.type = "And",
     .versions = {1, 7},
     .operandTypes = Booleans,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return x[0] && x[1]; },
     .onIntegers = [](Int x) -> std::int64_t { return x[0] && x[1]; }},
    {.type = "Or",
     .versions = {1, 7},
     .operandTypes = Booleans,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return x[0] || x[1]; },
     .onIntegers = [](Int x) -> std::int64_t { return x[0] || x[1]; }},
    {.type = "Xor",
     .versions = {1, 7},
     .operandTypes = Booleans,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return x[0] != x[1]; },
     .onIntegers = [](Int x) -> std::int64_t { return x[0] != x[1]; }},
    {.type = "Not",
     .versions = {1},
     .operandTypes = Booleans,
     .resultType = Bool,
     .onDevice = [](Device x) -> Any { return !x[0]; },
     .onIntegers = [](Int x) -> std::int64_t { return !x[0]; }},
    {.type = "Where",
     .versions = {9, 16},
     .operandTypes = Numbers | Booleans,
     .typeOperand = 1,
     .otherOperand = 0,
     .otherTypes = Booleans,
     .onDevice = [](Device x) -> Any { return expr::Select(x[1], x[2], x[0]); },
     .onReals = [](Real x) { return x[0] != 0 ? x[1] : x[2]; },
     .onIntegers = [](Int x) { return x[0] != 0 ? x[1] : x[2]; },
     .gradient =
         [](Gradients &g) {
           Value &none = g.scalar(g.dy().info.type, 0);
           if (g.wants(1))
             g.set(1, g.where(g.x(0), g.dy()));
           if (g.wants(2))
             g.set(2, g.select(g.x(0), none, g.dy()));
         }},
};

const RegisterElementwise registration(Table);

} // namespace

} // namespace populus::popir
