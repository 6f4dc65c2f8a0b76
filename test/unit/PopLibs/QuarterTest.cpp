// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on 8-bit floats: casts, fills, products and convolutions, against
// double precision of what the bits stand for.

#include "ConvReference.h"

#include <poplar/MetadataCreation.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Zero.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using namespace test;
using Format = QuarterMetadata::Format;

namespace {

/// The values that quarters keep of some.
Values rounded(const Values &values, QuarterMetadata metadata) {
  std::vector<unsigned char> codes(values.size());
  convertToDeviceType(QUARTER, metadata, ArrayRef<double>(values),
                      codes.data());
  Values result(values.size());
  convertFromDeviceType(QUARTER, metadata, codes.data(),
                        ArrayRef<double>(result));
  return result;
}

/// Numbers of a few powers of two around that of the scale.
Values numbers(std::size_t count, QuarterMetadata metadata, unsigned seed) {
  Values values = randomValues(count, -8, 8, seed);
  for (double &value : values)
    value = std::ldexp(value, metadata.getScale());
  return rounded(values, metadata);
}

/// A tensor of quarters with such numbers; the program makes it from floats.
struct Quarters {
  Values values;
  Tensor tensor;

  Quarters(Program &p, const Shape &shape, QuarterMetadata metadata,
           bool isVariable, unsigned seed)
      : values(numbers(product(shape), metadata, seed)),
        tensor(popops::cast(p.graph, p.input(shape, values), QUARTER,
                            makeMetadata(p.graph, metadata, isVariable),
                            p.prog)) {}

  static Tensor makeMetadata(Graph &graph, QuarterMetadata metadata,
                             bool isVariable) {
    return isVariable
               ? createVariableMetadataTensor(graph, metadata.getFormat(),
                                              metadata.getScale())
               : createConstantMetadataTensor(graph, metadata.getFormat(),
                                              metadata.getScale());
  }
};

const QuarterMetadata Plain143(Format::F143, 0), Plain152(Format::F152, 0),
    Small143(Format::F143, -9), Large152(Format::F152, 4);

TEST_P(OnDevices, Casts) {
  Program p(GetParam());
  struct Case {
    QuarterMetadata metadata;
    std::string asHalf, asFloat, asInt, asOther;
    Values expected;
  };
  std::vector<Case> cases;
  Values given = randomValues(37, -300, 300);
  for (double &value : given) // a half holds it, too
    value = std::round(value * 4) / 4;
  const Tensor source = p.input({37}, given);
  const Tensor halves = popops::cast(p.graph, source, HALF, p.prog);
  const Tensor other = createConstantMetadataTensor(p.graph, Format::F152, 1);
  for (QuarterMetadata metadata : {Plain143, Plain152, Small143, Large152}) {
    const Tensor m =
        Quarters::makeMetadata(p.graph, metadata, metadata == Large152);
    const Tensor quarters = popops::cast(
        p.graph, metadata == Plain152 ? halves : source, QUARTER, m, p.prog);
    EXPECT_EQ(quarters.getMetadata(), m);
    cases.push_back(
        {metadata, p.output(popops::cast(p.graph, quarters, HALF, p.prog)),
         p.output(popops::cast(p.graph, quarters, FLOAT, p.prog)),
         p.output(popops::cast(p.graph, quarters, INT, p.prog)),
         p.output(popops::cast(
             p.graph, popops::cast(p.graph, quarters, QUARTER, other, p.prog),
             FLOAT, p.prog)),
         rounded(given, metadata)});
  }
  p.run();
  for (const Case &c : cases) {
    SCOPED_TRACE(c.metadata.toString());
    expectNear(p.result(c.asHalf), c.expected, 0, 0);
    expectNear(p.result(c.asFloat), c.expected, 0, 0);
    Values whole = c.expected;
    for (double &value : whole)
      value = std::trunc(value);
    expectNear(p.result(c.asInt), whole, 0, 0);
    expectNear(p.result(c.asOther),
               rounded(c.expected, QuarterMetadata(Format::F152, 1)), 0, 0);
  }
}
TEST_P(OnDevices, FillsAndCopies) {
  Program p(GetParam());
  const Tensor m = createVariableMetadataTensor(p.graph, Format::F143, 1);
  const Tensor t =
      p.graph.addVariable(QUARTER, m, {5, 7}, VariableMappingMethod::LINEAR);
  popops::fill(p.graph, t, p.prog, 3.25f);
  popops::zero(p.graph, t.slice(1, 3), p.prog);
  const Tensor copy = p.graph.clone(t);
  p.prog.add(program::Copy(t, copy));
  popops::castWithOutput(p.graph, p.input({7}, Values(7, 100.0)), copy[4],
                         p.prog);
  Values expected(35, rounded({3.25}, QuarterMetadata(Format::F143, 1))[0]);
  std::fill(expected.begin() + 7, expected.begin() + 21, 0);
  std::fill(expected.begin() + 28, expected.end(),
            rounded({100}, QuarterMetadata(Format::F143, 1))[0]);
  expectNear(p.valuesOf(popops::cast(p.graph, copy, FLOAT, p.prog)), expected,
             0, 0);
}

Values multiply(const Values &a, const Values &b, std::size_t m, std::size_t k,
                std::size_t n) {
  Values c(m * n);
  for (std::size_t i = 0; i != m; ++i)
    for (std::size_t j = 0; j != n; ++j)
      for (std::size_t x = 0; x != k; ++x)
        c[i * n + j] += a[i * k + x] * b[x * n + j];
  return c;
}

TEST_P(OnDevices, Products) {
  struct Case {
    QuarterMetadata a, b;
    std::size_t m, k, n;
    std::string out;
    Values expected;
  };
  std::vector<Case> cases = {
      {Plain143, Plain143, 4, 5, 6, "", {}},
      {Plain152, Plain143, 16, 33, 8, "", {}},
      {Small143, Large152, 16, 32, 16, "", {}},
      // Neither operand is a half with its scale, but the products are.
      {QuarterMetadata(Format::F143, 20),
       QuarterMetadata(Format::F143, -24),
       3,
       8,
       5,
       "",
       {}},
  };
  Program p(GetParam());
  for (Case &c : cases) {
    const Quarters a(p, {c.m, c.k}, c.a, true, 1);
    const Quarters b(p, {c.k, c.n}, c.b, false, 2);
    const Tensor out = poplin::matMul(p.graph, a.tensor, b.tensor, p.prog);
    EXPECT_EQ(out.elementType(), HALF);
    c.out = p.output(out);
    c.expected = multiply(a.values, b.values, c.m, c.k, c.n);
  }
  p.run();
  for (const Case &c : cases) {
    SCOPED_TRACE(c.a.toString() + " x " + c.b.toString());
    double most = 0;
    for (double value : c.expected)
      most = std::max(most, std::abs(value));
    expectNear(p.result(c.out), c.expected, 1e-3, most * 1e-5);
  }
}

TEST_P(OnDevices, Convolutions) {
  Program p(GetParam());
  const ConvParams params(QUARTER, HALF, 2, {5, 6}, {3, 3}, 4, 8, 2);
  const Quarters in(p, {2, 8, 5, 6}, Small143, true, 3);
  const Quarters weights(p, {2, 8, 4, 3, 3}, Plain152, false, 4);
  const Values expected = reference(params, in.values, weights.values);
  const std::string out = p.output(poplin::convolution(
      p.graph, in.tensor, weights.tensor, params, false, p.prog));
  const Values biases = randomIntegers(16, -4, 4);
  const std::string biased = p.output(
      poplin::convolutionWithBias(p.graph, in.tensor, weights.tensor,
                                  p.input(HALF, {16}, biases), params, p.prog));
  p.run();
  expectNear(p.result(out), expected, 1e-3, 1e-3);
  Values withBias = expected;
  for (std::size_t i = 0; i != withBias.size(); ++i)
    withBias[i] += biases[i / 12 % 16];
  expectNear(p.result(biased), withBias, 1e-3, 4e-3);
}

/// Created tensors have no metadata; a clone gets it.
TEST_P(OnDevices, CreatedOperands) {
  Program p(GetParam());
  const Tensor m = createConstantMetadataTensor(p.graph, Format::F143, 2);
  const Tensor like = poplin::createMatMulInputRHS(p.graph, QUARTER, HALF,
                                                   {6, 16}, {16, 8}, "b");
  EXPECT_FALSE(like.hasMetadata());
  const Tensor b = p.graph.clone(m, like);
  const Values values = numbers(128, QuarterMetadata(Format::F143, 2), 5);
  popops::castWithOutput(p.graph, p.input({16, 8}, values), b, p.prog);
  const Quarters a(p, {6, 16}, Plain143, false, 6);
  expectNear(p.valuesOf(poplin::matMul(p.graph, a.tensor, b, p.prog, HALF)),
             multiply(a.values, values, 6, 16, 8), 1e-3, 1e-2);
}

TEST(Quarter, Refused) {
  Program p("cpu");
  const Quarters a(p, {4, 4}, Plain143, false, 1);
  const Tensor half = popops::cast(p.graph, a.tensor, HALF, p.prog);
  const auto message = [](auto &&call) -> std::string {
    try {
      call();
    } catch (const poputil::poplibs_error &error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message([&] {
              popops::add(p.graph, a.tensor, a.tensor, p.prog);
            }).find("do not take elements of type quarter"),
            std::string::npos);
  EXPECT_NE(message([&] {
              popops::cast(p.graph, half, QUARTER, p.prog);
            }).find("need metadata"),
            std::string::npos);
  EXPECT_NE(message([&] {
              poplin::matMul(p.graph, a.tensor, half, p.prog, HALF);
            }).find("quarter and half"),
            std::string::npos);
  EXPECT_NE(message([&] {
              poplin::matMul(p.graph, a.tensor, a.tensor, p.prog, FLOAT);
            }).find("result of type float"),
            std::string::npos);
}

/// The cycles of casting many elements on a tile through a list of types.
double cyclesOfCasts(const char *device, const std::vector<Type> &types) {
  constexpr std::size_t Count = 6 * 200;
  Program p(device);
  Tensor t = p.input(types.front(), {Count}, randomValues(Count));
  const Tensor metadata =
      createConstantMetadataTensor(p.graph, Format::F143, 0);
  for (std::size_t i = 1; i != types.size(); ++i)
    t = popops::cast(p.graph, t, types[i],
                     types[i] == QUARTER ? metadata : Tensor(), p.prog);
  return static_cast<double>(p.cycles());
}

TEST(Quarter, Estimates) {
  for (const std::vector<Type> &types :
       {std::vector<Type>{FLOAT, QUARTER}, std::vector<Type>{HALF, QUARTER},
        std::vector<Type>{FLOAT, QUARTER, FLOAT},
        std::vector<Type>{HALF, QUARTER, HALF}}) {
    const double exact = cyclesOfCasts("ipu1of21", types);
    const double estimate = cyclesOfCasts("model1of21", types);
    EXPECT_NEAR(estimate / exact, 1, 0.15)
        << types.front() << ", " << types.size() << " types: " << exact
        << " cycles, estimated " << estimate;
  }
}

POPLIBS_INSTANTIATE_ON("cpu", "model1of21", "model7of21", "ipu1of21",
                       "ipu7of21");

} // namespace
