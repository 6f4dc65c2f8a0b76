// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The executables of TestPrograms.h, field by field.

#include "TestPrograms.h"

#include "test/unit/Emulator/Assembler.h"

#include <cstring>
#include <fstream>
#include <iterator>

namespace populus::runtime::test {

namespace {

// Addresses on both tiles.
constexpr Address InAt = 64;
constexpr Address OutAt = 80;
constexpr Address ScaleStateAt = 128;
constexpr Address CounterAt = 192;
constexpr Address CounterStateAt = 200;
constexpr Address End = 256;

std::vector<std::uint8_t> readCodelets() {
  std::ifstream file(TEST_CODELETS, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void addData(Executable &executable, const char *name, Address address,
             const void *bytes, std::uint32_t count) {
  Payload payload{name, std::vector<std::uint8_t>(count)};
  std::memcpy(payload.bytes.data(), bytes, count);
  executable.payloads.push_back(std::move(payload));
  executable.data.push_back(
      {0, address, std::uint32_t(executable.payloads.size() - 1), count, 0});
}

void addTensor(Executable &executable, ElementType type, std::uint64_t count,
               std::uint32_t tile, Address address) {
  executable.segments.push_back(
      {tile, address, std::uint32_t(count * sizeOf(type))});
  executable.tensors.push_back(
      {type,
       count == 1 ? std::vector<std::uint64_t>{}
                  : std::vector<std::uint64_t>{count},
       {std::uint32_t(executable.segments.size() - 1), 1}});
}

void addVertices(Executable &executable) {
  struct {
    std::uint64_t in = InAt, count = 4, out = OutAt, outCount = 4;
    float scale = 2.5f;
  } scale;
  addData(executable, "scale state", ScaleStateAt, &scale, sizeof(scale));
  const std::uint64_t counter = CounterAt;
  addData(executable, "counter state", CounterStateAt, &counter, 8);
  const std::int32_t three = 3;
  addData(executable, "counter", CounterAt, &three, 4);
  executable.pointerSlots = {
      {0, ScaleStateAt}, {0, ScaleStateAt + 16}, {0, CounterStateAt}};

  executable.hostObjects.push_back(readCodelets());
  executable.hostEntries = {{0, "__runCodelet_Scale"},
                            {0, "__runCodelet_Decrement"}};
  executable.vertexTypes = {
      {"Scale", VertexKind::Worker, 36, {{"in", 0, 16}, {"out", 16, 16}}},
      {"Decrement", VertexKind::Worker, 8, {}}};
  executable.vertices = {{0, 0, ScaleStateAt, 120}, {1, 1, CounterStateAt, 18}};
  executable.tileVertices = {{0, {0, 1}}, {0, {1, 1}}};
  executable.computeSets = {{"scale", {0, 1}}, {"count", {1, 1}}};
}

} // namespace

std::uint32_t addStep(Executable &executable, Step step) {
  executable.steps.push_back(std::move(step));
  return executable.steps.size() - 1;
}

Executable scaleProgram(DeviceKind device) {
  Executable exe;
  exe.device = device;
  exe.target = device == DeviceKind::Cpu ? "cpu" : "ipu2";
  exe.tilesPerIpu = 2;
  exe.memoryEnd = {End, End};
  addVertices(exe);

  addTensor(exe, ElementType::Float, 4, 0, InAt);
  addTensor(exe, ElementType::Float, 4, 0, OutAt);
  addTensor(exe, ElementType::Float, 4, 1, InAt);
  addTensor(exe, ElementType::Int, 1, 0, CounterAt);
  exe.hostTensors = {{"result", Result, true, true},
                     {"counter", Counter, true, true}};
  exe.streams = {
      {"in", StreamDirection::HostToDevice, ElementType::Float, 4, {2, 2}},
      {"out", StreamDirection::DeviceToHost, ElementType::Float, 4, {}}};
  exe.copyPieces = {{0, OutAt, 1, InAt, 16}};
  exe.exchanges = {{"move", {0, 1}}};

  std::vector<std::uint32_t> steps = {
      addStep(exe, {StepKind::StreamToDevice, 0, In, "", {}, {}}),
      addStep(exe, {StepKind::Execute, 0, None, "", {}, {}}),
      addStep(exe, {StepKind::Exchange, 0, None, "", {}, {}}),
      addStep(exe, {StepKind::Print, 0, Result, "result", {}, {}}),
      addStep(exe, {StepKind::DeviceToStream, 1, Result, "", {}, {}})};
  exe.programs.push_back(
      addStep(exe, {StepKind::Sequence, 0, None, "", steps, {}}));

  const std::uint32_t nothing =
      addStep(exe, {StepKind::Sequence, 0, None, "", {}, {}});
  const std::uint32_t count =
      addStep(exe, {StepKind::Execute, 1, None, "", {}, {}});
  exe.programs.push_back(addStep(
      exe, {StepKind::RepeatWhile, 1, Counter, "", {nothing, count}, {}}));
  return exe;
}

// The tests' vertex state has the address of its data, which are four floats in
// and, behind them, four floats out.
Executable emulatedScaleProgram() {
  Assembler code;
  code("LD32_m_bdi", {0, 13, 15, 0});
  code("SETZI_a", {2, 0})("OR_a_rh", {2, 2, 0x402}); // 2.5
  code("SETZI_m", {1, 3})("ADD_rs", {2, 0, 16});
  const std::int64_t loop = code.hereWord();
  code("LD32STEP_a_i", {0, 15, 0, 1});
  code("F32MUL", {0, 0, 2})("ST32STEP_a_i", {0, 15, 2, 1});
  code("BRNZDEC", {1, loop})("EXITZ", {15});
  Executable exe = oneVertex(code);
  exe.vertexTypes[0].fields = {{"in", 0, 4, FieldAccess::Input, 4, 4, false},
                               {"out", 0, 4, FieldAccess::Output, 4, 4, false}};
  exe.regions = {{ResultAt, 16, 0}, {ResultAt + 16, 16, 1}};
  exe.firstRegion = {0};
  exe.tilesPerIpu = 2;
  exe.tileSetup = {0, None};
  exe.memoryEnd = {DataBase + 0x8000, DataBase + 0x8000};
  exe.segments.clear();
  exe.tensors.clear();
  exe.hostTensors.clear();
  addTensor(exe, ElementType::Float, 4, 0, ResultAt);
  addTensor(exe, ElementType::Float, 4, 1, ResultAt);
  exe.streams = {
      {"in", StreamDirection::HostToDevice, ElementType::Float, 4, {2, 2}},
      {"out", StreamDirection::DeviceToHost, ElementType::Float, 4, {}}};
  exe.copyPieces = {{0, ResultAt + 16, 1, ResultAt, 16}};
  exe.exchanges = {{"move", {0, 1}}};
  std::vector<std::uint32_t> steps = {
      addStep(exe, {StepKind::StreamToDevice, 0, 0, "", {}, {}}), 0,
      addStep(exe, {StepKind::Exchange, 0, None, "", {}, {}}),
      addStep(exe, {StepKind::DeviceToStream, 1, 1, "", {}, {}})};
  exe.programs = {addStep(exe, {StepKind::Sequence, 0, None, "", steps, {}})};
  exe.metadata["producer"] = "test";
  return exe;
}

} // namespace populus::runtime::test
