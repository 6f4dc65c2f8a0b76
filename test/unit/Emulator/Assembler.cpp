// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Encoding by the table, and the smallest program around a vertex.

#include "Assembler.h"

#include "runtime/Emulator/Code/DecodeTable.h"

#include <cstring>
#include <stdexcept>

namespace populus::runtime::test {

namespace {

using namespace emulator;

std::uint32_t encode(const std::string &name,
                     const std::vector<std::int64_t> &operands) {
  for (const RowInfo &row : rows()) {
    if (row.name != name)
      continue;
    std::uint32_t word = row.value;
    std::size_t next = 0;
    for (unsigned i = 0; i != row.numOperands; ++i) {
      const OperandInfo &info = row.operands[i];
      // The second mention of a register that is read and written.
      const bool twin = i != 0 && info.low == row.operands[i - 1].low;
      if (twin)
        continue;
      if (next == operands.size())
        throw std::logic_error(name + ": too few operands");
      const std::uint32_t mask = (1u << info.width) - 1;
      word |= (static_cast<std::uint32_t>(operands[next++]) & mask) << info.low;
    }
    if (next != operands.size())
      throw std::logic_error(name + ": too many operands");
    return word;
  }
  throw std::logic_error("no instruction " + name);
}

void addResultTensor(Executable &exe) {
  exe.segments = {{0, ResultAt, 4 * ResultWords}};
  exe.tensors = {{ElementType::UnsignedInt, {ResultWords}, {0, 1}}};
  exe.hostTensors = {{"results", 0, true, true}};
}

} // namespace

Assembler &Assembler::operator()(const std::string &row,
                                 const std::vector<std::int64_t> &operands) {
  return word(encode(row, operands));
}

Assembler &Assembler::bundle(const std::string &main,
                             std::initializer_list<std::int64_t> mainOperands,
                             const std::string &aux,
                             std::initializer_list<std::int64_t> auxOperands) {
  return word(encode(main, mainOperands) | 0x80000000)
      .word(encode(aux, auxOperands));
}

Assembler &Assembler::align8() {
  if (here() % 8 != 0)
    (*this)("OR_m_rz", {15, 15, 0});
  return *this;
}

Executable oneVertex(const Assembler &code, VertexKind kind) {
  Executable exe;
  exe.target = "ipu2";
  exe.tilesPerIpu = 1;
  CodeImage image;
  image.base = CodeBase;
  image.bytes.resize(4 * code.words.size());
  std::memcpy(image.bytes.data(), code.words.data(), image.bytes.size());
  image.textBytes = image.bytes.size();
  image.symbols = {{"entry", CodeBase, image.textBytes}};
  exe.images = {image};
  TileSetup setup;
  setup.image = 0;
  setup.stackBegin = DataBase + 0x800;
  for (unsigned i = 0; i != 6; ++i)
    setup.workerBase[i] = DataBase + 0x1000 * (i + 1);
  setup.supervisorStack = DataBase + 0x8000;
  exe.tileSetups = {setup};
  exe.tileSetup = {0};
  exe.memoryEnd = {DataBase + 0x8000};

  Payload state{"state", std::vector<std::uint8_t>(4)};
  const std::uint32_t results = ResultAt;
  std::memcpy(state.bytes.data(), &results, 4);
  exe.payloads = {state};
  exe.data = {{0, StateAt, 0, 4, 0}};

  exe.vertexTypes = {{"Test", kind, 4, {}}};
  exe.vertices = {{0, CodeBase, StateAt, 0}};
  exe.tileVertices = {{0, {0, 1}}};
  exe.computeSets = {{"cs", {0, 1}}};
  exe.steps.push_back({StepKind::Execute, 0, None, "", {}, {}});
  exe.programs = {0};
  addResultTensor(exe);
  return exe;
}

Outcome runOnce(const Executable &executable, const SessionOptions &options) {
  Outcome outcome;
  auto session =
      Session::create(std::make_shared<Executable>(executable), options);
  try {
    session->run(0);
  } catch (const RunError &error) {
    outcome.fault = error.what();
  }
  outcome.results.resize(ResultWords);
  session->readTensor(0, outcome.results.data());
  outcome.cycles = session->stats().cycles.compute;
  outcome.bundles = session->stats().bundles;
  outcome.engine = session->stats().engine;
  return outcome;
}

} // namespace populus::runtime::test
