// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs of loop bodies; those of an operation are in its row
// (popops/UnaryOps.def). A body works on a block (codelets/Blocks.h): two
// floats, four elements where halves or bools are among the operands, one
// integer.

#include "lib/PopLibs/popops/vertices/VertexCycles.h"

#include "lib/PopLibs/popops/codelets/OpTypes.h"
#include "lib/PopLibs/popops/codelets/RowBlocks.h"
#include "lib/PopLibs/popops/vertices/VertexTypes.h"

#include <algorithm>

using namespace poplar;

namespace popops {
namespace {

using expr::BinaryOpType;
using expr::UnaryOpType;

struct UnaryCost {
  unsigned floats, halves, integer;
};

/// By UnaryOpType.
constexpr UnaryCost Unary[] = {
#define UNARY_OP(OP, CLASS, NODE, FUNCTION, NAME, TYPES, FLOAT, INTEGER,       \
                 COSTS)                                                        \
  UnaryCost COSTS,
#include <popops/UnaryOps.def>
};

/// For the forms of the second operand.
struct Forms {
  unsigned dense, runs, reversedRuns;

  unsigned of(OperandForm form) const {
    return form == OperandForm::Dense  ? dense
           : form == OperandForm::Runs ? runs
                                       : reversedRuns;
  }
};

struct BinaryCost {
  Forms floats, halves, ints, unsigneds;

  const Forms &of(const Type &type) const {
    return type == FLOAT  ? floats
           : type == HALF ? halves
           : type == INT  ? ints
                          : unsigneds;
  }
};

/// By BinaryOpType.
constexpr BinaryCost Binary[] = {
#define BINARY_OP(OP, CLASS, NAME, TYPES, FLOAT, INTEGER, FLOATS, HALVES,      \
                  INTS, UNSIGNEDS)                                             \
  {Forms FLOATS, Forms HALVES, Forms INTS, Forms UNSIGNEDS},
#include <popops/BinaryOps.def>
};

/// The body of a vertex's loop.
struct Body {
  unsigned elements;
  unsigned bundles;
  unsigned setup;
  /// Additional cost of a remainder: less by `loop` if there are no whole
  /// blocks, and by `one` if it is a single element.
  unsigned rest = 20, loop = 0, one = 0;
};

/// Setup, whole blocks, and what is left over. Of a pair of floats only one is
/// computed then.
std::uint64_t cyclesOf(const Body &body, std::size_t count) {
  const std::uint64_t cycles =
      body.setup + count / body.elements * body.bundles;
  if (count % body.elements == 0)
    return cycles;
  const unsigned operation =
      body.elements == 2 ? (body.bundles + 1) / 2 : body.bundles;
  return cycles + body.rest + operation -
         (count < body.elements ? body.loop : 0) -
         (count % body.elements == 1 ? body.one : 0);
}

unsigned blockSize(const Type &type) {
  return type == FLOAT ? 2 : type == HALF || type == BOOL ? 4 : 1;
}

Body unaryBody(UnaryOpType op, const Type &type, bool inPlace = false) {
  if (isTest(op))
    return {4, type == HALF ? 19u : 18u, 47};
  if (type == BOOL)
    return {4, 3, 40};
  const UnaryCost &cost = Unary[static_cast<unsigned>(op)];
  const unsigned setup = inPlace ? 24 : 29;
  return type == FLOAT  ? Body{2, cost.floats, setup, 4, 19}
         : type == HALF ? Body{4, cost.halves, setup, 12, 15, 8}
                        : Body{1, cost.integer, 9};
}

Forms comparisonCost(BinaryOpType op, const Type &type) {
  if (type == FLOAT)
    return {11, 9, 9};
  if (type == HALF)
    return {7, 7, 7};
  if (type == BOOL)
    return op == BinaryOpType::EQUAL ? Forms{5, 5, 5} : Forms{4, 3, 3};
  if (op == BinaryOpType::GREATER_THAN_EQUAL ||
      op == BinaryOpType::LESS_THAN_EQUAL)
    return {25, 20, 20};
  return {21, 16, 16};
}

Body binaryBody(BinaryOpType op, const Type &type, OperandForm form,
                bool inPlace = false) {
  const bool dense = form == OperandForm::Dense;
  if (isComparison(op))
    return {4, comparisonCost(op, type).of(form), dense ? 62u : 50u};
  if (type == BOOL)
    return {4, dense ? 4u : 3u, dense ? 54u : 62u};
  const unsigned bundles = Binary[static_cast<unsigned>(op)].of(type).of(form);
  if (type != FLOAT && type != HALF)
    return {1, bundles, 11};
  if (dense && type == FLOAT)
    return inPlace ? Body{2, bundles, 34, 4, 23} : Body{2, bundles, 44, 4, 28};
  if (dense)
    return inPlace ? Body{4, bundles, 40, 16, 18, 10}
                   : Body{4, bundles, 55, 16, 27, 13};
  if (type == FLOAT)
    return inPlace ? Body{2, bundles, 10, 4, 15} : Body{2, bundles, 32, 4, 25};
  return inPlace ? Body{4, bundles, 30, 13, 13} : Body{4, bundles, 46, 13, 20};
}

/// From one run to the next, and for a block that two of them share.
std::uint64_t runCycles(const RunLengths &runs, unsigned elements,
                        const Type &type) {
  const unsigned each = type == HALF ? 31 : 25;
  const unsigned shared = type == FLOAT ? 4 : 22;
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i != runs.size(); ++i)
    cycles +=
        each + (i + 1 == runs.size() || runs[i] % elements == 0 ? 0 : shared);
  return cycles;
}

} // namespace

std::uint64_t unaryCycles(UnaryOpType op, const Type &type, bool inPlace,
                          std::size_t count) {
  return cyclesOf(unaryBody(op, type, inPlace), count);
}

std::uint64_t binaryCycles(BinaryOpType op, const Type &type, OperandForm form,
                           bool inPlace, std::size_t count,
                           const RunLengths &runs) {
  Body body = binaryBody(op, type, form, inPlace);
  // One half goes a shorter way (codelets/Blocks.h).
  if (type == HALF && form != OperandForm::Dense && count == 1)
    return 38 + body.bundles;
  // Two loads and stores of the same memory do not go together.
  if (inPlace && type == FLOAT)
    body.bundles = std::max(body.bundles, 2u);
  return cyclesOf(body, count) + runCycles(runs, body.elements, type);
}

namespace {

Body selectBody(const Type &type) {
  const unsigned bundles = type == FLOAT  ? 22
                           : type == HALF ? 20
                           : type == BOOL ? 8
                                          : 25;
  return {4, bundles, 48};
}

Body castBody(const Type &from, const Type &to) {
  const bool fromInteger = from == INT || from == UNSIGNED_INT;
  const bool toInteger = to == INT || to == UNSIGNED_INT;
  if (from == QUARTER)
    return {1, to == FLOAT ? 25u : 39u, 30};
  if (to == QUARTER)
    return {1, from == FLOAT ? 63u : 65u, 30};
  if (to == HALF && from == FLOAT)
    return {4, 3, 28, 12, 12};
  if (to == HALF)
    return {4, fromInteger ? 12u : 22u, 26};
  if (from == HALF && to == FLOAT)
    return {4, 4, 29, 9, 12};
  if (from == HALF)
    return {4, toInteger ? 14u : to == BOOL ? 18u : 23u, 30};
  if (to == BOOL)
    return {4, from == FLOAT ? 18u : 16u, 42};
  if (from == BOOL)
    return {4, to == FLOAT ? 23u : 13u, 33};
  return {1, 2, to == FLOAT ? 11u : 10u};
}

/// For an element; without the loads and stores that do not go beside the
/// operation, as they do in blocks of floats and halves.
double inRegisters(const Body &body, bool isFloating) {
  const unsigned accesses = isFloating ? 0 : 2;
  const double bundles = std::max(body.bundles, accesses + 1) - accesses;
  return bundles / body.elements;
}

bool isFloating(const Type &type) { return type == FLOAT || type == HALF; }

} // namespace

std::uint64_t selectCycles(const Type &type, std::size_t count) {
  return cyclesOf(selectBody(type), count);
}

std::uint64_t castCycles(const Type &from, const Type &to, std::size_t count) {
  return cyclesOf(castBody(from, to), count);
}

double unaryBundles(UnaryOpType op, const Type &type) {
  return inRegisters(unaryBody(op, type), isFloating(resultType(op, type)));
}

double binaryBundles(BinaryOpType op, const Type &type) {
  const auto bundles = [&](OperandForm form) {
    return inRegisters(binaryBody(op, type, form),
                       isFloating(resultType(op, type)));
  };
  // The operands are in registers, as the repeated one is in a run.
  return std::min(bundles(OperandForm::Runs),
                  bundles(OperandForm::ReversedRuns));
}

double selectBundles(const Type &type) {
  return inRegisters(selectBody(type), isFloating(type));
}

double castBundles(const Type &from, const Type &to) {
  return inRegisters(castBody(from, to), isFloating(from) && isFloating(to));
}

std::uint64_t fusedCycles(bool isOfBooleans, unsigned blockSize,
                          unsigned bundles, unsigned operands,
                          unsigned accesses, std::size_t count) {
  constexpr unsigned Setup = 60;
  const unsigned pointers = 4 * operands;
  // Booleans have the main unit for operations, too. Of one operand and a
  // result two blocks go together.
  if (isOfBooleans && blockSize != 1 && accesses == 2)
    return cyclesOf({2 * blockSize, 2 * bundles + 1, Setup}, count);
  // Blocks are loaded and stored beside the operations of the auxiliary unit,
  // the store and one of the loads by the same instruction.
  const unsigned body = std::max(bundles, accesses - 1);
  if (blockSize == 2)
    return cyclesOf({2, body, 26 + pointers, 22, 26}, count);
  if (blockSize == 4 && !isOfBooleans)
    return cyclesOf({4, body, 42 + pointers, 36, 30}, count);
  return cyclesOf({blockSize, bundles + accesses, Setup}, count);
}

std::uint64_t fillCycles(const Type &type, std::size_t count) {
  const unsigned elements = blockSize(type);
  return cyclesOf({elements, 1, elements == 1 ? 9u : 20u}, count);
}

std::uint64_t scaledAddCycles(const Type &type, std::size_t count) {
  return type == FLOAT ? cyclesOf({2, 1, 45}, count)
                       : cyclesOf({4, 13, 32}, count);
}

std::uint64_t transposeCycles(std::size_t elementBytes, std::size_t rows,
                              std::size_t columns, std::size_t matrices) {
  const std::size_t ofBlock = elementBytes == 2 ? 9 : 6;
  const std::size_t rowBlocks = rows * elementBytes / 8;
  return 40 + matrices * (15 + rowBlocks * (13 + columns / 2 * ofBlock));
}

namespace {

/// A row of elements.
double rowCycles(Operation op, const Type &type, std::size_t depth) {
  const auto row = [&](double each, double ofElement) {
    return each + ofElement * static_cast<double>(depth);
  };
  const bool square = op == Operation::SQUARE_ADD;
  if (type != FLOAT && type != HALF)
    return row(10, square ? 3 : 2);
  if (depth <= RowWorthBlocks)
    return type == FLOAT ? row(6, 1) : row(14, 2);
  if (type == FLOAT)
    return row(32, square ? 1 : 0.5);
  if (op == Operation::MAX || op == Operation::MIN)
    return row(53, 0.25);
  if (op == Operation::ADD)
    return row(46, 0.5);
  return row(33, square ? 2.5 : 2);
}

/// Bundles of a loop step over a column, or over a block of columns.
unsigned columnStep(Operation op, const Type &type, bool block, bool aligned) {
  const bool square = op == Operation::SQUARE_ADD;
  const bool order = op == Operation::MAX || op == Operation::MIN;
  if (type == HALF && block)
    return aligned ? (order    ? 1
                      : square ? 6
                               : 4)
                   : (order    ? 5
                      : square ? 12
                               : 10);
  if (type == HALF)
    return square ? 3 : 2;
  if (type == FLOAT)
    return block && !aligned ? 3 : square ? 2 : 1;
  return square ? 3 : 2;
}

} // namespace

std::uint64_t reduceCycles(Operation op, const Type &type, std::size_t rows,
                           std::size_t depth, std::size_t width,
                           std::size_t stride) {
  if (width == 1 && stride == 1)
    return 43 + static_cast<std::uint64_t>(static_cast<double>(rows) *
                                           rowCycles(op, type, depth));
  const unsigned elements = type == FLOAT ? 2 : type == HALF ? 4 : 1;
  const bool aligned = stride % elements == 0;
  const std::size_t blocks = elements == 1 ? 0 : width / elements;
  const std::size_t rest = width - blocks * elements;
  const std::uint64_t ofBlocks =
      blocks * (14 + depth * columnStep(op, type, true, aligned));
  const std::uint64_t ofRest =
      rest * (14 + depth * columnStep(op, type, false, aligned));
  return (elements == 1 ? 36 : 72) + rows * (12 + ofBlocks + ofRest);
}

} // namespace popops
