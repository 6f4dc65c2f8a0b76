// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms of functions that programs use beside the usual ones, and operands at
// the edge of what a function takes.

#include "Harness.h"

#include <poplin/Cholesky.hpp>
#include <poplin/ConvPreplan.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/Norms.hpp>
#include <poplin/TriangularSolve.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/InstanceNorm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popnn/Rnn.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Fill.hpp>
#include <popops/Gather.hpp>
#include <popops/Loop.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/Scatter.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/exceptions.hpp>

#include <sstream>

using namespace poplar;
using namespace test;
namespace pe = popops::expr;

POPLIBS_INSTANTIATE_ON("cpu", "model7", "ipu7");

TEST_P(OnDevices, ComparisonsOfBooleans) {
  Program p(GetParam());
  const Values a{0, 0, 1, 1, 0}, b{0, 1, 0, 1, 1};
  const Tensor ta = p.input(BOOL, {5}, a), tb = p.input(BOOL, {5}, b);
  struct Case {
    pe::Any expr;
    bool (*expected)(bool, bool);
  };
  const Case cases[] = {
      {pe::_1 < pe::_2, [](bool x, bool y) { return x < y; }},
      {pe::_1 <= pe::_2, [](bool x, bool y) { return x <= y; }},
      {pe::_1 > pe::_2, [](bool x, bool y) { return x > y; }},
      {pe::_1 >= pe::_2, [](bool x, bool y) { return x >= y; }},
      {pe::_1 == pe::_2, [](bool x, bool y) { return x == y; }},
      {pe::_1 != pe::_2, [](bool x, bool y) { return x != y; }},
      {pe::_1 == pe::Const(true), [](bool x, bool) { return x; }},
      {pe::_1 == pe::Const(0), [](bool x, bool) { return !x; }},
      {pe::Const(false) == pe::_2, [](bool, bool y) { return !y; }},
      {pe::_1 && pe::Const(true), [](bool x, bool) { return x; }},
      {pe::Const(false) || pe::_2, [](bool, bool y) { return y; }},
      {pe::_1 > pe::Const(false), [](bool x, bool) { return x; }},
      {pe::Select(pe::_2, pe::Const(true), pe::_1),
       [](bool x, bool y) { return x ? y : true; }},
      {pe::Not(pe::_1) && pe::_2, [](bool x, bool y) { return !x && y; }},
      {pe::Max(pe::_1, pe::_2), [](bool x, bool y) { return x || y; }},
      {pe::Min(pe::_1, pe::Const(true)), [](bool x, bool) { return x; }},
  };
  std::vector<std::string> outs;
  for (const Case &c : cases)
    for (const char *fused : {"true", "false"})
      outs.push_back(p.output(popops::map(p.graph, c.expr, {ta, tb}, p.prog, {},
                                          {{"enableGenerateCodelet", fused}})));
  outs.push_back(p.output(popops::lt(p.graph, ta, tb, p.prog)));
  outs.push_back(p.output(popops::gteq(p.graph, ta, true, p.prog)));
  outs.push_back(p.output(popops::eq(p.graph, false, tb, p.prog)));
  popops::mapInPlace(p.graph, pe::_1 >= pe::_2, {ta, tb}, p.prog);
  outs.push_back(p.output(ta));
  p.run();
  for (std::size_t i = 0; i != std::size(cases); ++i)
    for (std::size_t k = 0; k != a.size(); ++k)
      for (unsigned fused = 0; fused != 2; ++fused)
        EXPECT_EQ(p.result(outs[2 * i + fused])[k],
                  cases[i].expected(a[k] != 0, b[k] != 0))
            << cases[i].expr.name() << " element " << k;
  const std::size_t named = 2 * std::size(cases);
  EXPECT_EQ(p.result(outs[named]), Values({0, 1, 0, 0, 1}));
  EXPECT_EQ(p.result(outs[named + 1]), Values({0, 0, 1, 1, 0}));
  EXPECT_EQ(p.result(outs[named + 2]), Values({1, 0, 1, 0, 0}));
  EXPECT_EQ(p.result(outs[named + 3]), Values({1, 0, 1, 1, 0}));
}

TEST_P(OnDevices, SeveralExpressionsToOutputs) {
  Program p(GetParam());
  const Tensor a = p.input({3}, {1, 2, 3}), b = p.input({3}, {4, 5, 6});
  const Tensor sum = p.input({3}, Values(3)),
               less = p.input(BOOL, {3}, Values(3));
  popops::mapWithOutput(p.graph, {pe::_1 + pe::_2, pe::_1 < pe::Const(2.5f)},
                        {a, b}, {sum, less}, p.prog);
  // Outputs that are operands, too.
  popops::mapWithOutput(p.graph, {pe::_1 - pe::_2, pe::_1 * pe::_2}, {a, b},
                        {b, a}, p.prog);
  const auto outs = {p.output(sum), p.output(less), p.output(b), p.output(a)};
  p.run();
  const Values expected[] = {{5, 7, 9}, {1, 1, 0}, {-3, -3, -3}, {4, 10, 18}};
  for (std::size_t i = 0; i != 4; ++i)
    EXPECT_EQ(p.result(outs.begin()[i]), expected[i]) << i;
  EXPECT_THROW(popops::mapWithOutput(p.graph, {pe::_1, pe::_1}, {a},
                                     std::vector<Tensor>{b}, p.prog),
               poputil::poplibs_error);
}

TEST_P(OnDevices, UpdatesAtKnownOffsets) {
  Program p(GetParam());
  const Tensor t = p.input({4, 3}, Values(12, 1));
  const std::vector<unsigned> offsets{2, 0, 2};
  popops::multiUpdateAdd(p.graph, t,
                         p.input({3, 1, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                         offsets, p.input({}, {10}), 0, p.prog);
  const Tensor u = p.input(INT, {2, 3}, {1, 2, 3, 4, 5, 6});
  popops::multiUpdateAdd(p.graph, u, p.input(INT, {1, 2, 1}, {7, 8}), {1},
                         p.input(INT, {}, {2}), 1, p.prog);
  const auto rows = p.output(t), columns = p.output(u);
  p.run();
  EXPECT_EQ(p.result(rows),
            Values({41, 51, 61, 1, 1, 1, 81, 101, 121, 1, 1, 1}));
  EXPECT_EQ(p.result(columns), Values({1, 16, 3, 4, 21, 6}));
  EXPECT_THROW(popops::multiUpdateAdd(p.graph, t, p.input({1, 1, 3}, {1, 1, 1}),
                                      {4}, p.input({}, {1}), 0, p.prog),
               poputil::poplibs_error);
}

// There is one window, and all of its dimensions are those of the updates.
TEST_P(OnDevices, ScatterOfOneWindow) {
  Program p(GetParam());
  const Tensor a = p.input({4, 5}, Values(20));
  popops::scatter(p.graph, a, p.input(UNSIGNED_INT, {2}, {1, 2}),
                  p.input({2, 3}, {1, 2, 3, 4, 5, 6}), 0, {0, 1}, {}, {0, 1},
                  p.prog);
  const Tensor b = p.input(INT, {6}, Values(6));
  popops::scatter(p.graph, b, p.input(INT, {1}, {3}), p.input(INT, {2}, {7, 8}),
                  0, {0}, {}, {0}, p.prog);
  popops::UpdateComputationFunc sum =
      [](Graph &graph, Tensor &held, Tensor &update, program::Sequence &prog) {
        return popops::add(graph, held, update, prog);
      };
  const Tensor c = p.input({4, 5}, Values(20, 1));
  popops::scatter(p.graph, c, p.input(UNSIGNED_INT, {2}, {0, 4}),
                  p.input({4, 1}, {1, 2, 3, 4}), 0, {0, 1}, {}, {0, 1}, sum,
                  p.prog);
  const auto first = p.output(a), second = p.output(b), third = p.output(c);
  p.run();
  Values expected(20);
  for (int i = 0; i != 3; ++i) {
    expected[5 + 2 + i] = 1 + i;
    expected[10 + 2 + i] = 4 + i;
  }
  EXPECT_EQ(p.result(first), expected);
  EXPECT_EQ(p.result(second), Values({0, 0, 0, 7, 8, 0}));
  Values sums(20, 1);
  for (int i = 0; i != 4; ++i)
    sums[i * 5 + 4] += 1 + i;
  EXPECT_EQ(p.result(third), sums);
}

TEST_P(OnDevices, ReductionsOverOnes) {
  using popops::Operation;
  Program p(GetParam());
  const Values in = randomIntegers(12);
  const Tensor t = p.input({3, 1, 4, 1}, in);
  std::vector<std::string> outs;
  for (const Operation op : {Operation::ADD, Operation::MUL, Operation::MIN,
                             Operation::MAX, Operation::LOG_ADD})
    outs.push_back(p.output(popops::reduce(p.graph, t, {1, 3}, op, p.prog)));
  outs.push_back(
      p.output(popops::reduce(p.graph, t, HALF, {1}, Operation::ADD, p.prog)));
  const Tensor out = p.input({3, 4}, Values(12, 3));
  popops::reduceWithOutput(p.graph, t, out, {3, 1}, Operation::MAX, p.prog);
  outs.push_back(p.output(out));
  const unsigned before = p.graph.numComputeSets();
  const Tensor copy = popops::reduce(p.graph, t, {1}, Operation::ADD, p.prog);
  EXPECT_EQ(p.graph.numComputeSets(), before);
  EXPECT_FALSE(copy.intersectsWith(t));
  outs.push_back(p.output(copy));
  const auto squares =
      p.output(popops::reduce(p.graph, t, {1}, Operation::SQUARE_ADD, p.prog));
  p.run();
  for (const std::string &handle : outs)
    EXPECT_EQ(p.result(handle), in) << handle;
  for (std::size_t i = 0; i != in.size(); ++i)
    EXPECT_EQ(p.result(squares)[i], in[i] * in[i]);
}

TEST_P(OnDevices, StatisticsOfNothingAndOfOne) {
  for (const bool unbiased : {false, true})
    for (const bool stable : {false, true}) {
      Program p(GetParam());
      const Tensor none = p.graph.addVariable(FLOAT, {0, 2, 3});
      const Tensor one = p.input({1, 2}, {3, -4});
      std::vector<std::string> outs;
      for (const Tensor &t : {none, one}) {
        const auto [mean, deviation] =
            poplin::normStatistics(p.graph, t, 0.25f, p.prog, unbiased, stable);
        outs.push_back(p.output(mean));
        outs.push_back(p.output(deviation));
      }
      p.run();
      expectNear(p.result(outs[0]), {0, 0});
      expectNear(p.result(outs[1]), {2, 2});
      expectNear(p.result(outs[2]), {3, -4});
      expectNear(p.result(outs[3]), {2, 2});
    }
}

TEST(Overloads, PreplansOfFactorisations) {
  Program p("model7");
  const Target &target = p.graph.getTarget();
  const std::vector<std::size_t> shape{2, 12, 12};
  std::set<poplin::MatMulPlanParams> plans;
  const auto cholesky =
      poplin::getCholeskyMatMulPrePlanParameters(FLOAT, shape, true, {});
  const auto solve = poplin::getTriangularSolveMatMulPrePlanParameters(
      FLOAT, FLOAT, shape, {2, 5, 12}, false, true, {});
  ASSERT_FALSE(cholesky.empty());
  ASSERT_FALSE(solve.empty());
  // The plans point to the options of the lists.
  for (const auto *list : {&cholesky, &solve})
    for (const auto &entry : *list)
      plans.emplace(&target, entry.first, &entry.second);
  poplin::matmul::PlanningCache cache;
  poplin::preplanMatMuls(plans, cache);
  const std::size_t planned = cache.size();
  EXPECT_GT(planned, 0u);
  const Tensor a = p.input(shape, Values(288, 1));
  poplin::cholesky(p.graph, a, true, p.prog, {}, {}, &cache);
  poplin::triangularSolve(p.graph, a, p.input({2, 5, 12}, Values(120, 1)),
                          false, true, false, p.prog, {}, {}, &cache);
  // Nothing was left to plan.
  EXPECT_EQ(cache.size(), planned);
  EXPECT_THROW(
      poplin::getCholeskyMatMulPrePlanParameters(FLOAT, {3, 4}, true, {}),
      poputil::poplibs_error);
}

TEST(Overloads, ExpressionsAsText) {
  std::ostringstream plain, tree;
  const auto expr =
      pe::Select(pe::_1 + pe::Const(2.5f), -pe::_2, pe::_3 == pe::Const(7u));
  plain << expr;
  EXPECT_EQ(plain.str(), expr.name());
  expr.print(tree, 1, true);
  EXPECT_EQ(tree.str(), " SELECT\n"
                        "   ADD\n"
                        "     _1\n"
                        "     Const(2.5,float)\n"
                        "   NEGATE\n"
                        "     _2\n"
                        "   EQUAL\n"
                        "     _3\n"
                        "     Const(7,unsigned int)\n");
  EXPECT_EQ(pe::Const(2.5f).printValue(), "2.5");
  EXPECT_EQ(pe::Const(-3).printValue(), "-3");
  EXPECT_EQ(pe::Const(true).printValue(), "true");
  EXPECT_EQ(pe::Const(~0ull).printValue(), "18446744073709551615");
  EXPECT_EQ(pe::ConstHalf(0.5f).printValue(), "0.5");
}

TEST(Overloads, SmallQuestions) {
  EXPECT_STREQ(popnn::pooling::asString(popnn::PoolingType::MAX), "max");
  EXPECT_STREQ(popnn::pooling::asString(popnn::PoolingType::AVG), "avg");
  EXPECT_STREQ(popnn::pooling::asString(popnn::PoolingType::SUM), "sum");
  Program p("model64");
  const popnn::rnn::RnnParams params(HALF, 4, 10, {16, 32});
  EXPECT_EQ(params.getInputBytesPerTile(p.graph), 20u);
  EXPECT_EQ(params.getOutputBytesPerTile(p.graph), 40u);
  EXPECT_EQ(params.getMaxShards(p.graph), 1u);
  EXPECT_EQ(popnn::rnn::RnnParams(HALF, 1, 5, {16, 8}).getMaxShards(p.graph),
            5u);
}

TEST_P(OnDevices, ConstantsAndOutputs) {
  Program p(GetParam());
  const Values x = randomValues(7, -2, 2, 1);
  const Values yes{1, 0, 1, 1, 0, 0, 1};
  const Tensor t = p.input({7}, x), predicate = p.input(BOOL, {7}, yes);
  const auto clone = [&] { return p.graph.clone(t); };
  const Tensor a = clone(), b = clone(), c = clone();
  popops::selectWithOutput(p.graph, t, 5.0f, predicate, a, p.prog);
  popops::selectWithOutput(p.graph, 5.0f, t, predicate, b, p.prog);
  popops::selectWithOutput(p.graph, 5.0f, 6.0f, predicate, c, p.prog);
  const Tensor odd = p.input({3}, {1, INFINITY, NAN});
  const Tensor finite =
      p.graph.addVariable(BOOL, {3}, VariableMappingMethod::LINEAR, "finite");
  popops::isFiniteWithOutput(p.graph, odd, finite, p.prog);
  const Tensor positive = clone();
  p.prog.add(program::Copy(t, positive));
  ComputeSet set = p.graph.addComputeSet("relu");
  float scaling = 0;
  popnn::nonLinearityInPlace(p.graph, popnn::NonLinearityType::RELU, positive,
                             scaling, set);
  p.prog.add(program::Execute(set));
  EXPECT_EQ(scaling, 1);
  const auto ha = p.output(a), hb = p.output(b), hc = p.output(c);
  const auto hf = p.output(finite), hp = p.output(positive);
  p.run();
  for (std::size_t i = 0; i != 7; ++i) {
    EXPECT_EQ(p.result(ha)[i], yes[i] ? x[i] : 5);
    EXPECT_EQ(p.result(hb)[i], yes[i] ? 5 : x[i]);
    EXPECT_EQ(p.result(hc)[i], yes[i] ? 5 : 6);
    EXPECT_EQ(p.result(hp)[i], std::max(x[i], 0.0));
  }
  EXPECT_EQ(p.result(hf), (Values{1, 0, 0}));
}

TEST_P(OnDevices, AccuracyOfCasts) {
  Program p(GetParam());
  // The last two are too large, and too small, for halves.
  const Tensor exact = p.input({3}, {0, 1.5, -1024});
  const Tensor close = p.input({2}, {0.1f, 1.5});
  const Tensor large = p.input({2}, {1, 1e6});
  const Tensor small = p.input({2}, {1, 1e-9});
  std::vector<std::string> outs;
  for (const Tensor &t : {exact, close, large, small})
    for (double tolerance : {1e-6, 1e-3})
      outs.push_back(p.output(
          popops::checkAccuracyWhenCast(p.graph, t, HALF, tolerance, p.prog)));
  p.run();
  Values got;
  for (const std::string &out : outs)
    got.push_back(p.result(out)[0]);
  EXPECT_EQ(got, (Values{1, 1, 0, 1, 0, 0, 0, 0}));
}

TEST_P(OnDevices, LoopCounters) {
  Program p(GetParam());
  const Tensor count = p.input(INT, {}, {0}), limit = p.input(INT, {}, {6});
  const Tensor rounds = p.input(INT, {}, {0});
  program::Sequence condition, body;
  const Tensor goesOn =
      popops::addForLoopCounterVertex(p.graph, count, limit, 2, 0, condition);
  popops::addInPlace(p.graph, rounds, 1, body);
  p.prog.add(program::RepeatWhileTrue(condition, goesOn, body));
  const auto counted = p.output(count), done = p.output(rounds);
  EXPECT_THROW(popops::addForLoopCounterVertex(p.graph, count, p.input({}, {6}),
                                               2, 0, condition),
               poputil::poplibs_error);
  p.run();
  EXPECT_EQ(p.result(counted)[0], 6);
  // The counter is 2 and 4, and then at its limit.
  EXPECT_EQ(p.result(done)[0], 2);
}

TEST_P(OnDevices, InputsOfWindowGathers) {
  Program p(GetParam());
  const Tensor in =
      popops::createGatherInput(p.graph, FLOAT, {5, 4}, {2, 4}, {0}, "in");
  ASSERT_EQ(in.shape(), (Shape{5, 4}));
  const Values x = randomIntegers(20);
  p.write(in, x);
  const Tensor indices = p.input(UNSIGNED_INT, {2, 1}, {3, 1});
  const Values got = p.valuesOf(
      popops::gather(p.graph, in, indices, 1, {1, 2}, {2, 4}, {}, {0}, p.prog));
  Values expected(x.begin() + 12, x.begin() + 20);
  expected.insert(expected.end(), x.begin() + 4, x.begin() + 12);
  EXPECT_EQ(got, expected);
  EXPECT_THROW(
      popops::createGatherInput(p.graph, FLOAT, {5, 4}, {2, 4}, {2}, "in"),
      poputil::poplibs_error);
}

TEST(Overloads, ExpandedAliases) {
  Program p("model7");
  const Tensor t = p.input({3}, {1, 2, 3});
  const auto same = poputil::cloneAndExpandAliasing(p.graph, t, 4);
  EXPECT_EQ(same.second, 4u);
  EXPECT_EQ(p.graph.getTileMapping(same.first), p.graph.getTileMapping(t));
  const Tensor twice = concat(t, t);
  const auto expanded = poputil::cloneAndExpandAliasing(p.graph, twice, 4);
  EXPECT_EQ(expanded.first.shape(), twice.shape());
  EXPECT_FALSE(expanded.first.containsAliases());
  EXPECT_FALSE(p.graph.getTileMapping(expanded.first)[4].empty());
  EXPECT_NE(expanded.second, 4u);
}

TEST(Overloads, NamesInBraces) {
  enum class Kind { A, B };
  Kind kind = Kind::A;
  const auto handler = poplibs::OptionHandler::createWithEnum(
      kind, {{"a", Kind::A}, {"b", Kind::B}});
  handler("b");
  EXPECT_EQ(kind, Kind::B);
  EXPECT_ANY_THROW(handler("c"));
}

TEST(Overloads, CostsOfPoolingAndNorms) {
  using popnn::PoolingType;
  using popnn::pooling::PoolParams;
  // 3 results each way; the first window has an element of padding.
  const PoolParams max(PoolingType::MAX, {5, 5}, {2, 2}, {2, 2}, {1, 1}, {0, 0},
                       3, 2, HALF);
  EXPECT_EQ(popnn::pooling::getFwdFlops(max), 6u * 5 * 5);
  EXPECT_EQ(popnn::pooling::getBwdFlops(max), 2 * 6u * 5 * 5);
  PoolParams mean = max;
  mean.poolingType = PoolingType::AVG;
  EXPECT_EQ(popnn::pooling::getFwdFlops(mean), 6u * (5 * 5 + 3 * 3));
  // Truncated elements do not count.
  const PoolParams cut(PoolingType::SUM, {5}, {2}, {1}, {-1}, {-2}, 1, 1,
                       FLOAT);
  EXPECT_EQ(popnn::pooling::getFwdFlops(cut), 2u);
  Program p("model64");
  EXPECT_DOUBLE_EQ(popnn::pooling::getFwdPerfectCycleCount(p.graph, max),
                   150.0 / (64 * 4));
  EXPECT_EQ(popnn::getNormFwdFlops(3, 100, false), 400u);
  EXPECT_EQ(popnn::getNormFwdFlops(3, 100), 715u);
  EXPECT_EQ(popnn::in::getWuFlops(4, 25), popnn::getNormWuFlops(4, 100));
}

TEST_P(OnDevices, TransposedByVertices) {
  for (const Type &type : {FLOAT, HALF, INT}) {
    Program p(GetParam());
    const Values x = randomIntegers(2 * 3 * 5);
    const Tensor in = p.input(type, {2, 3, 5}, x);
    const ComputeSet cs = p.graph.addComputeSet("transpose");
    const Tensor out = popops::rearrange::partialTranspose(p.graph, in, cs);
    ASSERT_EQ(out.shape(), (Shape{2, 5, 3}));
    // The second matrix alone.
    const Tensor one = p.graph.addVariable(type, {5, 3});
    p.graph.setTileMapping(one, 0);
    popops::rearrange::addTransposeVertices(
        p.graph, cs, type, 3, 5, {{{1, 2}}}, [&](std::size_t i) {
          return std::pair<const Tensor, const Tensor>(in[i].flatten(),
                                                       one.flatten());
        });
    p.prog.add(program::Execute(cs));
    const auto both = p.output(out), single = p.output(one);
    p.run();
    Values expected;
    forEachIndex({2, 5, 3}, [&](const Shape &i) {
      expected.push_back(x[(i[0] * 3 + i[2]) * 5 + i[1]]);
    });
    EXPECT_EQ(p.result(both), expected);
    EXPECT_EQ(p.result(single), Values(expected.begin() + 15, expected.end()));
  }
  Program p(GetParam());
  EXPECT_THROW(popops::rearrange::partialTranspose(
                   p.graph, p.input(BOOL, {2, 2}, {0, 1, 1, 0}),
                   p.graph.addComputeSet("transpose")),
               poputil::poplibs_error);
}
