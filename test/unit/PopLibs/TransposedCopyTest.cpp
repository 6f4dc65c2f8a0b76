// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between tensors that lie in memory along different dimensions: the
// values, and that they are not exchanges of single elements.

#include "Harness.h"

#include "lib/PopLibs/popops/movement/TransposedCopy.h"

using namespace poplar;
using namespace test;

namespace {

constexpr double Plenty = 1 << 20;

/// A copy of [groups, rows, columns] to a tensor of which columns are
/// contiguous in memory, in groups of rows that are \p width long.
struct Regrouping {
  std::size_t groups, rows, columns, width;

  std::size_t elements() const { return groups * rows * columns; }

  Tensor source(Program &p, const Type &type, const Values &values) const {
    return p.input(type, {groups, rows, columns}, values, 1);
  }
  Tensor destination(Program &p, const Type &type) const {
    const std::size_t blocks = rows / width;
    const Tensor t =
        p.graph.addVariable(type, {groups, blocks, columns, width}, "to");
    poputil::mapTensorLinearly(p.graph, t, width, width);
    return t.dimShuffle({0, 1, 3, 2}).reshape({groups, rows, columns});
  }
};

/// Pieces that tiles receive in all exchanges of a program.
std::uint64_t piecesOf(const Program &p) {
  Engine engine(p.graph, p.prog);
  std::uint64_t pieces = 0;
  const ProfileValue profile = engine.getGraphProfile();
  for (const ProfileValue &program : profile["programs"].asVector())
    if (const ProfileValue *code = program.getOrNull("memoryByInstruction"))
      pieces += (*code)["receiveMux"].asUint() / 4; // a word for each
  return pieces;
}

} // namespace

TEST_P(OnDevices, TransposedCopy) {
  const Regrouping cases[] = {{1, 64, 96, 16}, {3, 48, 50, 8},
                              {2, 4, 200, 4},  {1, 80, 7, 16},
                              {2, 33, 129, 1}, {1, 1000, 64, 8}};
  for (const Type &type : {FLOAT, HALF, INT})
    for (const Regrouping &c : cases) {
      Program p(GetParam());
      const Values x = randomIntegers(c.elements(), -1000, 1000);
      const Tensor from = c.source(p, type, x);
      const Tensor to = c.destination(p, type);
      popops::addTransposedCopy(p.graph, from, to, Plenty, p.prog, "copy");
      EXPECT_EQ(p.valuesOf(to), x) << type << " " << c.rows << "x" << c.columns;
    }
}

// Rows go as a whole, and results stay where they are written. Of floats that
// costs a few cycles, for the sake of the pieces.
TEST(TransposedCopy, MovesGroups) {
  const Regrouping c = {1, 1024, 512, 16};
  for (const Type &type : {FLOAT, HALF}) {
    Program transposed("ipu64"), plain("ipu64");
    popops::addTransposedCopy(
        transposed.graph, c.source(transposed, type, Values(c.elements())),
        c.destination(transposed, type), Plenty, transposed.prog, "copy");
    plain.prog.add(program::Copy(c.source(plain, type, Values(c.elements())),
                                 c.destination(plain, type), false, "copy"));
    EXPECT_EQ(piecesOf(plain), c.elements()) << type;
    EXPECT_LE(piecesOf(transposed), c.elements() / 16) << type;
    EXPECT_LT(static_cast<double>(transposed.cycles()),
              (type == FLOAT ? 1.05 : 1) * plain.cycles())
        << type;
  }
}

/// Compute sets of a copy of floats that has so many bytes of a tile to spare.
static unsigned stepsWithSpare(const Regrouping &c, double spare) {
  Program p("ipu64");
  const Values x = randomIntegers(c.elements(), -1000, 1000);
  const Tensor to = c.destination(p, FLOAT);
  const Tensor from = c.source(p, FLOAT, x);
  const ComputeSet before = p.graph.addComputeSet("before");
  popops::addTransposedCopy(p.graph, from, to, spare, p.prog, "copy");
  const unsigned steps =
      p.graph.addComputeSet("behind").getId() - before.getId() - 1;
  EXPECT_EQ(p.valuesOf(to), x);
  return steps;
}

// Buffers have 32 KB a tile here, or 64.
TEST(TransposedCopy, KeepsToTheMemoryThatIsSpare) {
  EXPECT_EQ(stepsWithSpare({1, 1024, 512, 16}, Plenty), 1u);
  EXPECT_EQ(stepsWithSpare({1, 1024, 512, 16}, 20000), 0u);
  EXPECT_EQ(stepsWithSpare({1, 1024, 512, 16}, 0), 0u);
  EXPECT_EQ(stepsWithSpare({1, 1024, 1024, 16}, Plenty), 2u);
  EXPECT_EQ(stepsWithSpare({1, 2048, 2048, 16}, Plenty), 0u);
}

// The dimension along which elements lie side by side is the same here.
TEST(TransposedCopy, CopiesWhatIsNotTransposed) {
  Program p("ipu64");
  const Regrouping c = {1, 1024, 512, 16};
  const Tensor to = c.destination(p, HALF);
  const Tensor from = p.graph.clone(to, "from");
  const ComputeSet before = p.graph.addComputeSet("before");
  popops::addTransposedCopy(p.graph, from, to, Plenty, p.prog, "copy");
  EXPECT_EQ(p.graph.addComputeSet("behind").getId(), before.getId() + 1);
}

POPLIBS_INSTANTIATE();
