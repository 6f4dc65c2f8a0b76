// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix and slim convolution units and the accumulators' permutes against
// a reference model: one loop for each rule, on the accumulators by their
// architectural numbers, with nothing in common with the emulator. Random
// programs compare every result and, at the end, every accumulator; the worked
// examples compare with plain matrix arithmetic.

#include "Assembler.h"

#include "include/poplar/TileConstants.hpp"
#include "runtime/Target/Half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

u32 bits(float value) { return std::bit_cast<u32>(value); }
float single(u32 value) { return std::bit_cast<float>(value); }
float lane(u32 word, unsigned i) {
  return halfToFloat(static_cast<u16>(word >> (16 * i)));
}
u32 twoHalves(float low, float high) {
  return floatToHalf(low) | u32(floatToHalf(high)) << 16;
}

/// Input of an instruction: up to two words of data and two of partial sums.
struct Input {
  u32 data[2] = {};
  u32 partial[2] = {};
};

// ---- The reference model ----------------------------------------------------

struct Model {
  float a[32] = {};
  u32 weights[64][2] = {};

  /// Products of four halves with a weight register, in the order of
  /// docs/machine.md.
  float dot4(const Input &in, unsigned unit, unsigned column) const {
    const u32 *w = weights[4 * unit + column];
    const float p0 = lane(in.data[0], 0) * lane(w[0], 0);
    const float p1 = lane(in.data[0], 1) * lane(w[0], 1);
    const float p2 = lane(in.data[1], 0) * lane(w[1], 0);
    const float p3 = lane(in.data[1], 1) * lane(w[1], 1);
    const float low = p0 + p1;
    const float high = p2 + p3;
    return low + high;
  }

  struct Pair {
    float first = 0, second = 0;
  };

  /// A step of the units of one set; `accumulate(value, unit)` adds the step's
  /// products.
  template <typename F>
  Pair step(unsigned set, unsigned engines, bool first, bool moves,
            Pair partial, F accumulate) {
    float *cells = a + 16 * set;
    const unsigned units = 2 * engines;
    std::vector<float> even(units), odd(units), next(units);
    for (unsigned u = 0; u != units; ++u) {
      even[u] = cells[2 * u];
      odd[u] = cells[2 * u + 1];
      next[u] = accumulate(first ? odd[u] : even[u], 8 * set + u);
    }
    const std::vector<float> &source = first ? even : odd;
    Pair out;
    std::vector<float> chain = odd;
    if (moves) {
      out = {source[0], source[1]};
      chain.assign(source.begin() + 2, source.end());
      chain.push_back(partial.first);
      chain.push_back(partial.second);
    } else if (first) {
      chain = even;
    }
    for (unsigned u = 0; u != units; ++u) {
      cells[2 * u] = next[u];
      cells[2 * u + 1] = chain[u];
    }
    return out;
  }

  Pair halfAmp(const Input &in, Pair partial, unsigned engines, unsigned phase,
               unsigned set = 0) {
    return step(set, engines, phase == 0, true, partial,
                [&](float value, unsigned unit) {
                  return value + dot4(in, unit, phase);
                });
  }

  Pair singleAmp(const Input &in, unsigned engines, unsigned phase,
                 unsigned sets) {
    Pair result;
    for (unsigned set = 0; set != sets; ++set) {
      const Pair out =
          step(set, engines, phase == 0, phase % 2 == set,
               {single(in.partial[0]), single(in.partial[1])},
               [&](float value, unsigned unit) {
                 const u32 w = weights[4 * unit + phase / 2][phase % 2];
                 return std::fma(single(in.data[0]), single(w), value);
               });
      if (phase % 2 == set)
        result = out;
    }
    return result;
  }

  Pair halfSlic(const Input &in, Pair partial, unsigned taps, unsigned window,
                unsigned set = 0) {
    float *cells = a + 16 * set;
    const Pair out{cells[0], cells[2]};
    const std::vector<float> old(cells, cells + 16);
    for (unsigned t = 0; t != taps; ++t)
      for (unsigned channel = 0; channel != 2; ++channel) {
        float value = channel == 0 ? partial.first : partial.second;
        if (t != taps - 1)
          value = old[4 * (t + 1) + 2 * channel];
        cells[4 * t + 2 * channel] =
            value + dot4(in, 8 * set + 2 * t + channel, window);
      }
    return out;
  }

  Pair singleSlic(const Input &in, unsigned taps, unsigned window,
                  bool secondWord) {
    const Pair out = secondWord ? Pair{} : Pair{a[0], a[2]};
    const std::vector<float> old(a, a + 16);
    for (unsigned t = 0; t != taps; ++t)
      for (unsigned channel = 0; channel != 2; ++channel) {
        const unsigned here = 4 * t + 2 * channel;
        float value = old[here];
        if (!secondWord)
          value = t == taps - 1 ? single(in.partial[channel])
                                : old[4 * (t + 1) + 2 * channel];
        const u32 w = weights[4 * (2 * t + channel) + window][secondWord];
        a[here] = std::fma(single(in.data[0]), single(w), value);
      }
    return out;
  }

  void moveStaging(unsigned from) {
    const std::vector<float> old(a, a + 16);
    for (unsigned j = 0; j != 6; ++j)
      a[2 * j + 1] = old[2 * j + 4 + from];
    a[13] = a[15] = 0;
  }
  Pair stacc(unsigned flag) {
    const Pair out{a[flag], a[2 + flag]};
    moveStaging(flag);
    return out;
  }
  Pair istacc(const Input &in, unsigned flag) {
    const Pair out{a[1], a[3]};
    moveStaging(1);
    for (unsigned i = 0; i != 4; ++i) {
      const u32 low = in.data[i / 2] >> (16 * (i % 2)) & 0xffff;
      const u32 high = in.partial[i / 2] >> (16 * (i % 2)) & 0xffff;
      a[4 * i + 2 * flag] = single(low | high << 16);
    }
    return out;
  }
};

// ---- Programs ---------------------------------------------------------------

struct Operation {
  const char *row;
  Input input;
  unsigned imm = 0;
};

constexpr unsigned InputsAt = 0x80000, ResultsFrom = 0x90000;

/// A supervisor that loads the weights and runs one worker, which executes
/// operations on inputs in memory and stores every result, and then all
/// accumulators.
struct EngineProgram {
  std::vector<u32> weights = std::vector<u32>(128);
  std::vector<Operation> operations;

  Executable build() const {
    Assembler code;
    const unsigned Worker = 80;
    code("SETZI_m", {1, InputsAt})("PUT", {80, 1});
    for (unsigned i = 0; i != 64; ++i)
      code("LD64PUTCS", {i});
    code("SETZI_m", {4, CodeBase + 4 * Worker})("SETZI_m", {5, 0});
    code("RUN", {4, 5, 0})("SYNC", {2})("BR", {10});
    while (code.words.size() != Worker)
      code("TRAP", {0});
    code("SETZI_m", {0, InputsAt})("ADD_rs", {0, 0, 512});
    code("SETZI_m", {1, ResultsFrom});
    code("SETZI_a", {0, 8})("UPUT", {1, 0});
    for (const Operation &operation : operations)
      addOperation(code, operation);
    for (unsigned imm = 0; imm != 4; ++imm)
      for (unsigned i = 0; i != 4; ++i)
        code("F32V2GINA", {4, 14, imm})("ST64STEP_i", {4, 15, 1, 1});
    code("EXITZ", {15});

    Executable exe = oneVertex(code, VertexKind::Supervisor);
    std::vector<u32> data = weights;
    for (const Operation &operation : operations)
      data.insert(data.end(),
                  {operation.input.data[0], operation.input.data[1],
                   operation.input.partial[0], operation.input.partial[1]});
    Payload payload{"inputs", std::vector<std::uint8_t>(4 * data.size())};
    std::memcpy(payload.bytes.data(), data.data(), payload.bytes.size());
    exe.data.push_back(
        {0, InputsAt, u32(exe.payloads.size()), u32(payload.bytes.size()), 0});
    exe.payloads.push_back(payload);
    exe.memoryEnd = {0xa0000};
    exe.segments = {{0, ResultsFrom, 8 * resultPairs()}};
    exe.tensors[0].shape = {2 * resultPairs()};
    return exe;
  }

  u32 resultPairs() const { return u32(operations.size()) + 16; }

  static void addOperation(Assembler &code, const Operation &operation) {
    code("LD64STEP_i", {0, 15, 0, 1})("LD64STEP_i", {2, 15, 0, 1});
    code("OR64", {4, 14, 14});
    const std::string row = operation.row;
    if (row == "F16V4STACC")
      code(row, {4, operation.imm});
    else
      code(row, {4, 0, 2, operation.imm});
    code("ST64STEP_i", {4, 15, 1, 1});
  }

  std::vector<u32> run() const {
    auto session = Session::create(std::make_shared<Executable>(build()), {});
    std::string fault;
    try {
      session->run(0);
    } catch (const RunError &error) {
      fault = error.what();
    }
    EXPECT_EQ(fault, "");
    std::vector<u32> results(2 * resultPairs());
    session->readTensor(0, results.data());
    return results;
  }

  Model model() const {
    Model model;
    std::memcpy(model.weights, weights.data(), sizeof(model.weights));
    return model;
  }
};

using Numbers = std::mt19937;

/// A half or float of moderate size; halves have short significands so that
/// sums of them differ in their last bits when the order is another.
u32 randomHalves(Numbers &numbers) {
  std::uniform_real_distribution<float> values(-4, 4);
  const float low = values(numbers);
  return twoHalves(low, values(numbers));
}
u32 randomSingle(Numbers &numbers) {
  return bits(std::uniform_real_distribution<float>(-4, 4)(numbers));
}

u32 narrowPair(Model::Pair pair) { return twoHalves(pair.first, pair.second); }

/// The model's result of an operation, as two words.
struct Expected {
  u32 low = 0, high = 0;
};
Expected singles(Model::Pair pair) {
  return {bits(pair.first), bits(pair.second)};
}
/// Runs random operations of one kind and compares with the model.
template <typename MakeImm, typename Apply>
void compareRandom(unsigned seed, const std::string &row, bool singlePrecision,
                   MakeImm makeImm, Apply apply) {
  Numbers numbers(seed);
  const auto word = [&] {
    return singlePrecision ? randomSingle(numbers) : randomHalves(numbers);
  };
  EngineProgram program;
  for (u32 &weight : program.weights)
    weight = word();
  for (unsigned i = 0; i != 100; ++i) {
    Operation operation{row.c_str(), {}, makeImm(numbers)};
    operation.input.data[0] = word();
    operation.input.data[1] = word();
    const bool halfSums = row.find("HIHO") != std::string::npos;
    for (u32 &partial : operation.input.partial)
      partial = halfSums ? randomHalves(numbers) : randomSingle(numbers);
    program.operations.push_back(operation);
  }
  const std::vector<u32> results = program.run();
  Model model = program.model();
  for (unsigned i = 0; i != program.operations.size(); ++i) {
    const Expected expected = apply(model, program.operations[i]);
    ASSERT_EQ(results[2 * i], expected.low) << row << " " << i;
    ASSERT_EQ(results[2 * i + 1], expected.high) << row << " " << i;
  }
  const u32 *drained = &results[2 * program.operations.size()];
  for (unsigned imm = 0; imm != 4; ++imm)
    for (unsigned unit = 0; unit != 8; ++unit) {
      const unsigned number = 16 * (imm / 2) + 2 * unit + imm % 2;
      EXPECT_EQ(drained[8 * imm + unit], bits(model.a[number]))
          << row << ": accumulator " << number;
    }
}

// ---- Random programs --------------------------------------------------------

struct AmpImm {
  unsigned engines, phase;
  explicit AmpImm(unsigned imm) : engines(4u >> (imm >> 3)), phase(imm & 7) {}
};
unsigned randomAmpImm(Numbers &numbers, unsigned phases) {
  return numbers() % phases | numbers() % 3 << 3;
}

TEST(EngineTest, HalfMatrixUnit) {
  const auto imm = [](Numbers &n) { return randomAmpImm(n, 4); };
  const auto step = [](Model &model, const Operation &op, Model::Pair partial,
                       unsigned set = 0) {
    const AmpImm flags(op.imm);
    return model.halfAmp(op.input, partial, flags.engines, flags.phase, set);
  };
  const auto asSingles = [](const Input &in) {
    return Model::Pair{single(in.partial[0]), single(in.partial[1])};
  };
  const auto asHalves = [](const Input &in, unsigned word = 0) {
    return Model::Pair{lane(in.partial[word], 0), lane(in.partial[word], 1)};
  };
  compareRandom(1, "F16V4SISOAMP", false, imm,
                [&](Model &model, const Operation &op) {
                  return singles(step(model, op, asSingles(op.input)));
                });
  compareRandom(2, "F16V4SIHOAMP", false, imm,
                [&](Model &model, const Operation &op) -> Expected {
                  return {narrowPair(step(model, op, asSingles(op.input))), 0};
                });
  compareRandom(3, "F16V4HIHOAMP", false, imm,
                [&](Model &model, const Operation &op) -> Expected {
                  return {narrowPair(step(model, op, asHalves(op.input))), 0};
                });
  compareRandom(
      4, "F16V4HIHOV4AMP", false, imm,
      [&](Model &model, const Operation &op) -> Expected {
        const u32 low = narrowPair(step(model, op, asHalves(op.input)));
        return {low, narrowPair(step(model, op, asHalves(op.input, 1), 1))};
      });
}

TEST(EngineTest, SingleMatrixUnit) {
  const auto imm = [](Numbers &n) { return randomAmpImm(n, 8); };
  for (unsigned sets : {1, 2})
    compareRandom(5, sets == 1 ? "F32SISOAMP" : "F32SISOV2AMP", true, imm,
                  [&](Model &model, const Operation &op) {
                    const AmpImm flags(op.imm);
                    return singles(model.singleAmp(op.input, flags.engines,
                                                   flags.phase, sets));
                  });
}

TEST(EngineTest, HalfSlimConvolution) {
  const auto imm = [](Numbers &n) -> unsigned { return n() % 8; };
  const auto step = [](Model &model, const Operation &op, Model::Pair partial,
                       unsigned set = 0) {
    return model.halfSlic(op.input, partial, op.imm & 4 ? 3 : 4, op.imm & 3,
                          set);
  };
  const auto asSingles = [](const Input &in) {
    return Model::Pair{single(in.partial[0]), single(in.partial[1])};
  };
  const auto asHalves = [](const Input &in, unsigned word = 0) {
    return Model::Pair{lane(in.partial[word], 0), lane(in.partial[word], 1)};
  };
  compareRandom(6, "F16V4SISOSLIC", false, imm,
                [&](Model &model, const Operation &op) {
                  return singles(step(model, op, asSingles(op.input)));
                });
  compareRandom(7, "F16V4SIHOSLIC", false, imm,
                [&](Model &model, const Operation &op) -> Expected {
                  return {narrowPair(step(model, op, asSingles(op.input))), 0};
                });
  compareRandom(8, "F16V4HIHOSLIC", false, imm,
                [&](Model &model, const Operation &op) -> Expected {
                  return {narrowPair(step(model, op, asHalves(op.input))), 0};
                });
  compareRandom(
      9, "F16V4HIHOV4SLIC", false, imm,
      [&](Model &model, const Operation &op) -> Expected {
        const u32 low = narrowPair(step(model, op, asHalves(op.input)));
        return {low, narrowPair(step(model, op, asHalves(op.input, 1), 1))};
      });
}

TEST(EngineTest, SingleSlimConvolution) {
  compareRandom(
      10, "F32SISOSLIC", true, [](Numbers &n) -> unsigned { return n() % 16; },
      [](Model &model, const Operation &op) {
        return singles(model.singleSlic(op.input, op.imm & 4 ? 3 : 4,
                                        op.imm & 3, op.imm & 8));
      });
}

TEST(EngineTest, AccumulatorPermutes) {
  // Bits of small halves, so that the accumulators that are read at the end are
  // ordinary numbers.
  const auto flag = [](Numbers &n) -> unsigned { return n() % 2; };
  compareRandom(11, "F16V4ISTACC", false, flag,
                [](Model &model, const Operation &op) {
                  return singles(model.istacc(op.input, op.imm));
                });
  compareRandom(12, "F16V4STACC", false, flag,
                [](Model &model, const Operation &op) {
                  return singles(model.stacc(op.imm));
                });
}

TEST(EngineTest, TransposesBlocksOfHalves) {
  // Three blocks of four rows; columns come out of the steady state.
  EngineProgram program;
  const auto row = [](unsigned block, unsigned r, unsigned word) {
    const float first = 100 * block + 10 * r + 2 * word;
    return twoHalves(first, first + 1);
  };
  const auto insert = [&](unsigned block, unsigned flag) {
    Operation op{"F16V4ISTACC", {}, flag};
    for (unsigned word = 0; word != 2; ++word) {
      op.input.data[word] = row(block, 2 * flag, word);
      op.input.partial[word] = row(block, 2 * flag + 1, word);
    }
    program.operations.push_back(op);
  };
  insert(1, TISTACC_P0);
  insert(1, TISTACC_P1);
  for (unsigned block = 2; block != 5; ++block) {
    program.operations.push_back({"F16V4STACC", {}, TSTACC_P0});
    program.operations.push_back({"F16V4STACC", {}, TSTACC_P1});
    insert(block, TISTACC_P0);
    insert(block, TISTACC_P1);
  }
  const std::vector<u32> results = program.run();
  for (unsigned block = 1; block != 4; ++block)
    for (unsigned column = 0; column != 4; ++column)
      for (unsigned r = 0; r != 4; ++r)
        EXPECT_EQ(
            lane(results[2 * (2 + 4 * (block - 1) + column) + r / 2], r % 2),
            100 * block + 10 * r + column);
}

// ---- Worked examples: y = p + W x -------------------------------------------

/// Small integers: every order of sums gives the same.
float smallInteger(Numbers &numbers) {
  return static_cast<float>(static_cast<int>(numbers() % 17) - 8);
}

TEST(EngineTest, ExampleHalfMatrixTimesVector) {
  Numbers numbers(20);
  float w[8][16], x[16], p[8];
  for (auto &rowOf : w)
    for (float &value : rowOf)
      value = smallInteger(numbers);
  for (float &value : x)
    value = smallInteger(numbers);
  for (float &value : p)
    value = smallInteger(numbers);
  EngineProgram program;
  for (unsigned m = 0; m != 8; ++m)
    for (unsigned n = 0; n != 8; ++n)
      program.weights[8 * m + n] = twoHalves(w[m][2 * n], w[m][2 * n + 1]);
  const unsigned phases[] = {TAMP_F16V4_E4_P0, TAMP_F16V4_E4_P1,
                             TAMP_F16V4_E4_P2, TAMP_F16V4_E4_P3};
  for (unsigned group = 0; group != 3; ++group)
    for (unsigned k = 0; k != 4; ++k) {
      Operation op{"F16V4SISOAMP", {}, phases[k]};
      for (unsigned i = 0; i != 2 && group == 0; ++i)
        op.input.partial[i] = bits(p[2 * k + i]);
      for (unsigned i = 0; i != 2 && group == 1; ++i)
        op.input.data[i] = twoHalves(x[4 * k + 2 * i], x[4 * k + 2 * i + 1]);
      program.operations.push_back(op);
    }
  const std::vector<u32> results = program.run();
  for (unsigned m = 0; m != 8; ++m) {
    float expected = p[m];
    for (unsigned i = 0; i != 16; ++i)
      expected += w[m][i] * x[i];
    EXPECT_EQ(single(results[2 * 8 + m]), expected) << m;
  }
}

TEST(EngineTest, ExampleSingleMatrixTimesVector) {
  Numbers numbers(21);
  float w[8][8], x[8], p[8];
  for (auto &rowOf : w)
    for (float &value : rowOf)
      value = smallInteger(numbers);
  for (float &value : x)
    value = smallInteger(numbers);
  for (float &value : p)
    value = smallInteger(numbers);
  EngineProgram program;
  for (unsigned m = 0; m != 8; ++m)
    for (unsigned n = 0; n != 8; ++n)
      program.weights[8 * m + n] = bits(w[m][n]);
  const unsigned phases[] = {TAMP_F32_E4_P0, TAMP_F32_E4_P1, TAMP_F32_E4_P2,
                             TAMP_F32_E4_P3, TAMP_F32_E4_P4, TAMP_F32_E4_P5,
                             TAMP_F32_E4_P6, TAMP_F32_E4_P7};
  const auto add = [&](unsigned q, float data, unsigned pair) {
    Operation op{"F32SISOAMP", {}, phases[q]};
    op.input.data[0] = bits(data);
    if (pair < 4) {
      op.input.partial[0] = bits(p[2 * pair]);
      op.input.partial[1] = bits(p[2 * pair + 1]);
    }
    program.operations.push_back(op);
  };
  for (unsigned q = 0; q != 8; q += 2) // partial sums in
    add(q, 0, q / 2);
  for (unsigned q = 0; q != 8; ++q)
    add(q, x[q], 4);
  for (unsigned q = 0; q != 8; q += 2) // results out
    add(q, 0, 4);
  const std::vector<u32> results = program.run();
  for (unsigned m = 0; m != 8; ++m) {
    float expected = p[m];
    for (unsigned i = 0; i != 8; ++i)
      expected += w[m][i] * x[i];
    EXPECT_EQ(single(results[2 * 12 + m]), expected) << m;
  }
}

TEST(EngineTest, ExampleSlimConvolution) {
  // out[i][c] = p[i][c] + sum over taps and channels of x[i + t] w[t][c].
  constexpr unsigned Taps = 4, Outputs = 5;
  Numbers numbers(22);
  float w[Taps][2][4], x[Outputs + Taps][4], p[Outputs + Taps][2];
  for (auto &tap : w)
    for (auto &channel : tap)
      for (float &value : channel)
        value = smallInteger(numbers);
  for (auto &position : x)
    for (float &value : position)
      value = smallInteger(numbers);
  for (auto &position : p)
    for (float &value : position)
      value = smallInteger(numbers);
  EngineProgram program;
  for (unsigned t = 0; t != Taps; ++t)
    for (unsigned c = 0; c != 2; ++c)
      for (unsigned i = 0; i != 2; ++i)
        program.weights[2 * (4 * (2 * (Taps - 1 - t) + c) + 1) + i] =
            twoHalves(w[t][c][2 * i], w[t][c][2 * i + 1]);
  for (unsigned i = 0; i != Outputs + Taps; ++i) {
    Operation op{"F16V4SISOSLIC", {}, TSLIC_F16V4_1x4_W1};
    for (unsigned j = 0; j != 2; ++j) {
      op.input.data[j] = twoHalves(x[i][2 * j], x[i][2 * j + 1]);
      op.input.partial[j] = bits(p[i][j]);
    }
    program.operations.push_back(op);
  }
  const std::vector<u32> results = program.run();
  for (unsigned i = 0; i != Outputs; ++i)
    for (unsigned c = 0; c != 2; ++c) {
      float expected = p[i][c];
      for (unsigned t = 0; t != Taps; ++t)
        for (unsigned channel = 0; channel != 4; ++channel)
          expected += x[i + t][channel] * w[t][c][channel];
      EXPECT_EQ(single(results[2 * (i + Taps) + c]), expected) << i;
    }
}

// ---- Edges ------------------------------------------------------------------

TEST(EngineTest, ImmediatesWithoutMeaningStop) {
  for (const auto &[row, imm] :
       {std::pair("F16V4SISOAMP", 4), std::pair("F16V4SISOAMP", 24),
        std::pair("F32SISOAMP", 32), std::pair("F16V4HIHOSLIC", 8),
        std::pair("F32SISOSLIC", 16), std::pair("F16V4ISTACC", 2)}) {
    Assembler code;
    code(row, {4, 0, 2, imm});
    EXPECT_NE(runWorkerCode(code).fault.find("immediate operand " +
                                             std::to_string(imm)),
              std::string::npos)
        << row;
  }
  Assembler code;
  code("F32V2AOP", {0, 2, 1});
  EXPECT_NE(runWorkerCode(code).fault.find("immediate operand 1"),
            std::string::npos);
}

TEST(EngineTest, OuterProduct) {
  Assembler code;
  unsigned reg = 0;
  for (float value : {2.0f, 3.0f, 5.0f, 7.0f})
    code("OR_a_rh", {reg++, 15, bits(value) >> 20});
  code("F32V2AOP", {0, 2, 0})("F32V2AOP", {0, 2, 0});
  for (unsigned i = 0; i != 2; ++i)
    code("F32V2GINA", {4, 14, 0})("ST64_bdi", {4, 0, 15, i});
  const Outcome outcome = runWorkerCode(code);
  EXPECT_EQ(outcome.fault, "");
  const float expected[] = {20, 30, 28, 42};
  for (unsigned i = 0; i != 4; ++i)
    EXPECT_EQ(single(outcome.results[i]), expected[i]);
}

TEST(EngineTest, ClearingTheWeightsLeavesPartialSums) {
  EngineProgram program;
  for (u32 &weight : program.weights)
    weight = twoHalves(1, 1);
  for (unsigned k = 0; k != 4; ++k)
    program.operations.push_back(
        {"F16V4SISOAMP", {{twoHalves(1, 1), 0}, {bits(3), bits(4)}}, 0});
  Executable exe = program.build();
  // The supervisor's first instruction after the loads: clear them instead.
  Assembler clear;
  clear("SETZI_m", {4, 4})("PUT", {2, 4});
  std::memcpy(exe.images[0].bytes.data() + 4 * 64, clear.words.data(), 8);
  auto session = Session::create(std::make_shared<Executable>(exe), {});
  session->run(0);
  std::vector<u32> results(2 * program.resultPairs());
  session->readTensor(0, results.data());
  const u32 *drained = &results[2 * program.operations.size()];
  for (unsigned unit = 0; unit != 8; ++unit) {
    const float value = single(drained[unit]);
    EXPECT_TRUE(value == 0 || value == 3 || value == 4) << value;
  }
}

} // namespace
