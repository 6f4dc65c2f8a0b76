// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the IPU Model's cycle estimates of vertices with the cycles of an
// emulated tile, because planning and dry runs depend on the estimates.
// Vertices of the matrix unit, pools and fused expressions are compared beside
// their other tests.

#include "Harness.h"

#include "lib/PopLibs/poplin/planning/MatMulPlan.h"

#include <popnn/Loss.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Fill.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poprand/RandomGen.hpp>
#include <poprand/codelets.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <map>
#include <sstream>

using namespace poplar;
using namespace test;
namespace pe = popops::expr;

namespace {

constexpr std::size_t Count = 6 * 200;

/// On tile 0.
Tensor onTile(Program &p, const Type &type, const Values &values) {
  const Tensor t = p.graph.addVariable(type, {values.size()}, "input");
  p.graph.setTileMapping(t, 0);
  p.write(t, values);
  return t;
}

using Build = std::function<void(Program &, const std::vector<Tensor> &)>;

std::uint64_t cyclesOn(const std::string &device, const Type &type,
                       const Build &build) {
  Program p(device);
  std::vector<Tensor> operands;
  for (unsigned seed : {1, 2}) {
    Values values = randomValues(Count, 0.05, 0.95, seed);
    for (double &value : values)
      if (type == BOOL)
        value = value > 0.5;
      else if (type != FLOAT && type != HALF)
        value = std::floor(1 + 20 * value);
    operands.push_back(onTile(p, type, values));
  }
  build(p, operands);
  return p.cycles();
}

/// Expects a close estimate; operations unsupported for the type pass.
void expectNearEstimate(const std::string &name, const Type &type,
                        const Build &build, double tolerance = 0.15) {
  try {
    const double exact = cyclesOn("ipu1", type, build);
    const double estimate = cyclesOn("model1", type, build);
    EXPECT_NEAR(estimate / exact, 1, tolerance)
        << name << " of " << type.toString() << ": " << exact
        << " cycles, estimated " << estimate;
  } catch (const poputil::poplibs_error &error) {
    EXPECT_NE(std::string(error.what()).find("there is no operation"),
              std::string::npos)
        << error.what();
  }
}

template <class Op> std::string nameOf(Op op) {
  using namespace pe::ostream_ext;
  std::ostringstream text;
  text << op;
  return text.str();
}

const Type AllTypes[] = {FLOAT, HALF, INT, UNSIGNED_INT, BOOL};

} // namespace

TEST(Estimates, UnaryOperations) {
  for (int i = 0; i <= static_cast<int>(pe::UnaryOpType::TRUNC); ++i) {
    const auto op = static_cast<pe::UnaryOpType>(i);
    for (const Type &type : AllTypes)
      expectNearEstimate(nameOf(op), type, [&](Program &p, const auto &ts) {
        popops::map(p.graph, op, ts[0], p.prog);
      });
  }
}

TEST(Estimates, BinaryOperations) {
  using pe::BinaryOpType;
  for (int i = 0; i <= static_cast<int>(BinaryOpType::VARIANCE_TO_INV_STD_DEV);
       ++i) {
    const auto op = static_cast<BinaryOpType>(i);
    for (const Type &type : AllTypes) {
      expectNearEstimate(nameOf(op), type, [&](Program &p, const auto &ts) {
        popops::map(p.graph, op, ts[0], ts[1], p.prog);
      });
      // Integer division takes as long as the quotient has digits.
      if (op == BinaryOpType::REMAINDER ||
          (op == BinaryOpType::DIVIDE && type != FLOAT && type != HALF))
        continue;
      const pe::Const constant(3.0, type);
      expectNearEstimate(nameOf(op) + " with a constant", type,
                         [&](Program &p, const auto &ts) {
                           popops::map(p.graph,
                                       pe::BinaryOp(op, pe::_1, constant),
                                       {ts[0]}, p.prog);
                         });
      expectNearEstimate(nameOf(op) + " from a constant", type,
                         [&](Program &p, const auto &ts) {
                           popops::map(p.graph,
                                       pe::BinaryOp(op, constant, pe::_1),
                                       {ts[0]}, p.prog);
                         });
    }
  }
}

TEST(Estimates, RunsAndOtherVertices) {
  for (const Type &type : AllTypes) {
    for (const Type &to : AllTypes)
      if (!(to == type))
        expectNearEstimate("cast to " + to.toString(), type,
                           [&](Program &p, const auto &ts) {
                             popops::cast(p.graph, ts[0], to, p.prog);
                           });
    expectNearEstimate("select", type, [&](Program &p, const auto &ts) {
      const Tensor condition = onTile(p, BOOL, Values(Count, 1));
      popops::select(p.graph, ts[0], ts[1], condition, p.prog);
    });
  }
  for (const Type &type : {FLOAT, HALF}) {
    expectNearEstimate("fill", type, [&](Program &p, const auto &ts) {
      popops::fill<float>(p.graph, ts[0], p.prog, 1.0f);
    });
    expectNearEstimate("scaledAdd", type, [&](Program &p, const auto &ts) {
      popops::scaledAddTo(p.graph, ts[0], ts[1], 0.5f, p.prog);
    });
    for (std::size_t run : {5, 8, 50})
      expectNearEstimate("runs of " + std::to_string(run), type,
                         [&](Program &p, const auto &ts) {
                           popops::addInPlace(
                               p.graph, ts[0].reshape({Count / run, run}),
                               ts[1].slice(0, Count / run).expand({1}), p.prog);
                         });
  }
}

TEST(Estimates, Reductions) {
  using popops::Operation;
  for (const Type &type : {FLOAT, HALF, INT})
    for (Operation op : {Operation::ADD, Operation::SQUARE_ADD, Operation::MUL,
                         Operation::MAX})
      for (std::size_t depth : {20, 100, 200})
        for (unsigned dim : {0, 1})
          expectNearEstimate("reduction " + std::to_string(int(op)) + " over " +
                                 std::to_string(depth) + " of dimension " +
                                 std::to_string(dim),
                             type, [&](Program &p, const auto &ts) {
                               const Tensor t =
                                   dim == 1
                                       ? ts[0].reshape({Count / depth, depth})
                                       : ts[0].reshape({depth, Count / depth});
                               popops::reduce(p.graph, t, {dim}, op, p.prog);
                             });
}

namespace {

using Fields = std::map<std::string, unsigned>;

/// A vertex of the direct methods of poplin, on tile 0.
void addProductVertex(Program &p, const std::string &name,
                      const std::map<std::string, Tensor> &inputs,
                      std::size_t results, const Fields &fields,
                      double bundles) {
  const ComputeSet cs = p.graph.addComputeSet("products");
  const VertexRef v = p.graph.addVertex(cs, name);
  for (const auto &[field, input] : inputs)
    p.graph.connect(v[field], input);
  const Tensor out = p.graph.addVariable(FLOAT, {results}, "out");
  p.graph.setTileMapping(out, 0);
  p.graph.connect(v["out"], out);
  for (const auto &[field, value] : fields)
    p.graph.setInitialValue(v[field], value);
  p.graph.setPerfEstimate(v, static_cast<std::uint64_t>(bundles));
  p.graph.setTileMapping(v, 0);
  p.prog.add(program::Execute(cs));
}

} // namespace

// Sums are blocks of 2 by 2; those at edges have fewer, which the estimate
// leaves out.
TEST(Estimates, DirectConvolutions) {
  struct Case {
    unsigned in, out, field, kernel, stride;
  };
  for (const Type &type : {FLOAT, HALF})
    for (const Case &c : {Case{1, 1, 12, 3, 1},
                          {1, 2, 13, 5, 1},
                          {2, 1, 9, 3, 2},
                          {3, 5, 14, 2, 1},
                          {9, 4, 8, 3, 1},
                          {2, 2, 17, 4, 2}}) {
      poplin::ConvShape shape{1, 1, c.in, c.out, {}, {}};
      shape.y.input = shape.x.input = c.field;
      shape.y.kernel = shape.x.kernel = c.kernel;
      shape.y.stride = shape.x.stride = c.stride;
      const unsigned results = (c.field - c.kernel) / c.stride + 1;
      shape.y.output = shape.x.output = results;
      const Fields fields{{"inChannels", c.in},     {"inRows", c.field},
                          {"inColumns", c.field},   {"outChannels", c.out},
                          {"outRows", results},     {"outColumns", results},
                          {"kernelRows", c.kernel}, {"kernelColumns", c.kernel},
                          {"dilationY", 1},         {"dilationX", 1},
                          {"strideY", c.stride},    {"strideX", c.stride},
                          {"originY", 0},           {"originX", 0}};
      expectNearEstimate(
          "convolution of " + std::to_string(c.in) + " to " +
              std::to_string(c.out),
          type,
          [&](Program &p, const auto &ts) {
            addProductVertex(
                p, "poplin::ConvPartial<" + type.toString() + ">",
                {{"in", ts[0].slice(0, c.in * c.field * c.field)},
                 {"weights",
                  ts[1].slice(0, c.in * c.out * c.kernel * c.kernel)}},
                c.out * results * results, fields,
                poplin::directBundles(shape, type == HALF, c.in, c.out,
                                      results));
          },
          0.25);
    }
}

// Most vertices of small models have few elements: only a remainder behind
// whole blocks, or less than a block.
TEST(Estimates, FewElements) {
  const std::pair<const char *, Build> operations[] = {
      {"relu",
       [](Program &p, const auto &ts) {
         popops::map(p.graph, pe::UnaryOpType::RELU, ts[0], p.prog);
       }},
      {"sigmoid in place",
       [](Program &p, const auto &ts) {
         popops::mapInPlace(p.graph, pe::UnaryOpType::SIGMOID, ts[0], p.prog);
       }},
      {"sum",
       [](Program &p, const auto &ts) {
         popops::add(p.graph, ts[0], ts[1], p.prog);
       }},
      {"sum in place",
       [](Program &p, const auto &ts) {
         popops::addInPlace(p.graph, ts[0], ts[1], p.prog);
       }},
      {"sum with a constant",
       [](Program &p, const auto &ts) {
         popops::add(p.graph, ts[0], 3.0f, p.prog);
       }},
      {"sum with a constant in place",
       [](Program &p, const auto &ts) {
         popops::addInPlace(p.graph, ts[0], 3.0f, p.prog);
       }},
      {"expression", [](Program &p, const auto &ts) {
         popops::map(p.graph, pe::_1 * pe::_2 + pe::Const(1.0f), {ts[0], ts[1]},
                     p.prog);
       }}};
  for (const Type &type : {FLOAT, HALF})
    for (const auto &[name, build] : operations)
      for (std::size_t count : {1, 2, 3, 4, 5, 8, 10, 13}) {
        const auto few = [&](Program &p, const std::vector<Tensor> &ts) {
          build(p, {ts[0].slice(0, count), ts[1].slice(0, count)});
        };
        const double exact = cyclesOn("ipu1", type, few);
        EXPECT_NEAR(cyclesOn("model1", type, few), exact,
                    std::max(65.0, exact / 5))
            << name << " of " << count << " " << type.toString();
      }
}

TEST(Estimates, DirectProducts) {
  struct Case {
    unsigned rows, columns, depth;
  };
  for (const Type &type : {FLOAT, HALF})
    for (const Case &c : {Case{1, 1, 100},
                          {1, 8, 60},
                          {4, 6, 60},
                          {3, 5, 20},
                          {6, 1, 150},
                          {8, 8, 9}})
      for (const char *order : {"false,false", "false,true", "true,true"}) {
        const Fields fields{{"rows", c.rows},
                            {"columns", c.columns},
                            {"depth", c.depth},
                            {"strideA", c.depth},
                            {"strideB", c.columns}};
        expectNearEstimate(
            std::to_string(c.rows) + " by " + std::to_string(c.columns) +
                " over " + std::to_string(c.depth) + " " + order,
            type,
            [&](Program &p, const auto &ts) {
              addProductVertex(p,
                               "poplin::MatMulPartial<" + type.toString() +
                                   "," + order + ">",
                               {{"a", ts[0]}, {"b", ts[1]}}, c.rows * c.columns,
                               fields,
                               poplin::matMulBundles(
                                   type == HALF, c.rows, c.columns, c.depth,
                                   order == std::string("false,true")));
            },
            0.25);
      }
}

// Planning chooses the width of a vertex's rows by their estimates.
TEST(Estimates, Tables) {
  for (const Type &type : {FLOAT, HALF})
    for (std::size_t width : {1, 8, 40})
      for (std::size_t count : {6, 30}) {
        const std::size_t rows = Count / width;
        const auto check = [&](const std::string &what, auto build) {
          expectNearEstimate(
              std::to_string(count) + " of " + std::to_string(rows) + " rows " +
                  what,
              type,
              [&](Program &p, const auto &ts) {
                const Tensor indices =
                    onTile(p, UNSIGNED_INT,
                           randomIntegers(count, 0, static_cast<int>(rows) - 1))
                        .reshape({count, 1});
                build(p, ts[0].reshape({rows, width}), indices,
                      ts[1].slice(0, count * width).reshape({count, 1, width}));
              },
              0.3);
        };
        check("read", [](Program &p, const Tensor &table, const Tensor &indices,
                         const Tensor &) {
          popops::multiSlice(p.graph, table, indices, {0}, {1}, p.prog,
                             popops::SlicePlan(), {});
        });
        check("set", [](Program &p, const Tensor &table, const Tensor &indices,
                        const Tensor &rows) {
          popops::multiUpdate(p.graph, table, rows, indices, {0}, {1}, p.prog,
                              popops::SlicePlan(), {});
        });
        check("raised", [](Program &p, const Tensor &table,
                           const Tensor &indices, const Tensor &rows) {
          popops::multiUpdateMax(p.graph, table, rows, indices, {0}, {1},
                                 p.prog, popops::SlicePlan(), {});
        });
      }
}

TEST(Estimates, SearchesAndSorts) {
  for (const Type &type : {FLOAT, HALF, INT})
    for (std::size_t width : {20, 200}) {
      const Shape shape{Count / width, width};
      const std::string name = "rows of " + std::to_string(width);
      expectNearEstimate("argMax, " + name, type,
                         [&](Program &p, const auto &ts) {
                           popnn::argMax(p.graph, ts[0].reshape(shape), p.prog);
                         });
      expectNearEstimate(
          "sort, " + name, type, [&](Program &p, const auto &ts) {
            popops::sort(p.graph, ts[0].reshape(shape), 1, p.prog);
          });
      expectNearEstimate("topK, " + name, type,
                         [&](Program &p, const auto &ts) {
                           popops::topKWithPermutation(
                               p.graph, p.prog, ts[0].reshape(shape),
                               {5, true, popops::SortOrder::DESCENDING});
                         });
    }
}

TEST(Estimates, NumbersFromNothing) {
  for (const Type &type : {FLOAT, HALF}) {
    expectNearEstimate(
        "uniform", type,
        [&](Program &p, const auto &ts) {
          poprand::addCodelets(p.graph);
          poprand::uniform(p.graph, nullptr, 0, ts[0], type, 0, 1, p.prog);
        },
        0.2);
    expectNearEstimate("normal", type, [&](Program &p, const auto &ts) {
      poprand::addCodelets(p.graph);
      poprand::normal(p.graph, nullptr, 0, ts[0], type, 0, 1, p.prog);
    });
  }
  for (const Type &type : {INT, UNSIGNED_INT})
    expectNearEstimate("iota", type, [&](Program &p, const auto &ts) {
      popops::iota(p.graph, ts[0], 1u, p.prog);
    });
}
