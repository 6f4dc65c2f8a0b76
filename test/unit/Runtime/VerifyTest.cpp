// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every kind of damage that verify() must find, one change at a time to a
// program that is right.

#include "TestPrograms.h"

#include "runtime/Format/Verify.h"

#include <gtest/gtest.h>

#include <functional>

using namespace populus::runtime;
using namespace populus::runtime::test;

namespace {

struct Damage {
  const char *name;
  std::function<void(Executable &)> apply;
};

void PrintTo(const Damage &damage, std::ostream *out) { *out << damage.name; }

/// Makes the only copy (of 16 bytes) one to several places.
void broadcast(Executable &exe, std::vector<Receiver> receivers) {
  exe.broadcasts = {{0, static_cast<std::uint32_t>(receivers.size())}};
  exe.receivers = std::move(receivers);
  exe.copyPieces[0].dstTile = CopyPiece::BroadcastFlag;
  exe.copyPieces[0].dst = 4;
}

/// Makes the only copy one with a pattern, from tile 0 to 1.
void pattern(Executable &exe, const CopyPattern &pattern) {
  exe.copyPatterns = {pattern};
  exe.copyPieces = {{0, 64, 1, 128, CopyPiece::PatternFlag}};
}

/// Adds more of the same than any program has.
template <typename Entry>
void shareLargely(std::vector<Entry> &entries, Entry entry) {
  entries.resize(entries.size() + 70000, entry);
}

const Damage Damages[] = {
    {"unknown target", [](Executable &e) { e.target = "ipu9"; }},
    {"wrong target", [](Executable &e) { e.target = "cpu"; }},
    {"no tiles", [](Executable &e) { e.tilesPerIpu = 0; }},
    {"huge", [](Executable &e) { e.numIpus = ~0u, e.tilesPerIpu = ~0u; }},
    {"memoryEnd missing", [](Executable &e) { e.memoryEnd.pop_back(); }},
    {"memoryEnd small", [](Executable &e) { e.memoryEnd[0] = 10; }},
    {"native image", [](Executable &e) { e.images.emplace_back(); }},
    {"payload index", [](Executable &e) { e.data[0].payload = 99; }},
    {"payload offset", [](Executable &e) { e.data[0].offset = ~0ull; }},
    {"payload bytes", [](Executable &e) { e.data[0].bytes += 1; }},
    {"data tile", [](Executable &e) { e.data[0].tile = 2; }},
    {"data address", [](Executable &e) { e.data[0].address = ~0u - 4; }},
    {"entry object", [](Executable &e) { e.hostEntries[0].object = 1; }},
    {"pointer slot", [](Executable &e) { e.pointerSlots[0].slot = 249; }},
    {"vertex kind",
     [](Executable &e) { e.vertexTypes[0].kind = VertexKind(3); }},
    {"vertex type", [](Executable &e) { e.vertices[0].type = 2; }},
    {"vertex entry", [](Executable &e) { e.vertices[0].entry = 2; }},
    {"vertex state", [](Executable &e) { e.vertices[0].state = 250; }},
    {"vertex list", [](Executable &e) { e.tileVertices[0].vertices = {1, 2}; }},
    {"vertex list wraps",
     [](Executable &e) { e.tileVertices[0].vertices = {~0u, 2}; }},
    {"vertex tile", [](Executable &e) { e.tileVertices[0].tile = 2; }},
    {"tile twice", [](Executable &e) { e.computeSets[0].tiles = {0, 2}; }},
    {"compute set", [](Executable &e) { e.computeSets[0].tiles = {2, 1}; }},
    {"copy source", [](Executable &e) { e.copyPieces[0].srcTile = 2; }},
    {"copy address", [](Executable &e) { e.copyPieces[0].dst = 241; }},
    {"copies overlap",
     [](Executable &e) {
       e.copyPieces.push_back({0, 64, 1, 79, 8});
       e.exchanges[0].pieces = {0, 2};
     }},
    {"copy overwrites a source",
     [](Executable &e) {
       e.copyPieces.push_back({1, 128, 0, 95, 8});
       e.exchanges[0].pieces = {0, 2};
     }},
    {"exchange", [](Executable &e) { e.exchanges[0].pieces = {0, 2}; }},
    {"exchanges of the same copies",
     [](Executable &e) { shareLargely(e.exchanges, e.exchanges[0]); }},
    {"compute sets of the same tiles",
     [](Executable &e) { shareLargely(e.computeSets, e.computeSets[0]); }},
    {"tensors of the same segments",
     [](Executable &e) { shareLargely(e.tensors, e.tensors[0]); }},
    {"broadcasts of the same receivers",
     [](Executable &e) {
       broadcast(e, {{1, 64}});
       shareLargely(e.broadcasts, e.broadcasts[0]);
     }},
    {"copy to an unknown broadcast",
     [](Executable &e) { e.copyPieces[0].dstTile = CopyPiece::BroadcastFlag; }},
    {"broadcast", [](Executable &e) { e.broadcasts = {{0, 1}}; }},
    {"broadcast tile", [](Executable &e) { broadcast(e, {{2, 64}}); }},
    {"broadcast address", [](Executable &e) { broadcast(e, {{1, 240}}); }},
    {"broadcast of nothing",
     [](Executable &e) {
       broadcast(e, {{0, ~0u - 2}});
       e.copyPieces[0].bytes = 0;
     }},
    {"receivers not in order",
     [](Executable &e) { broadcast(e, {{1, 64}, {0, 128}}); }},
    {"receivers overlap",
     [](Executable &e) { broadcast(e, {{0, 128}, {1, 64}, {1, 72}}); }},
    {"broadcast pieces overlap",
     [](Executable &e) {
       broadcast(e, {{0, 128}, {1, 64}});
       e.copyPieces.push_back({1, 0, CopyPiece::BroadcastFlag, 16, 8});
       e.exchanges[0].pieces = {0, 2};
     }},
    {"broadcast overlaps a copy",
     [](Executable &e) {
       broadcast(e, {{0, 128}, {1, 64}});
       e.copyPieces.push_back({1, 0, 1, 80, 8});
       e.exchanges[0].pieces = {0, 2};
     }},
    {"broadcast overwrites a source",
     [](Executable &e) { broadcast(e, {{0, 76}, {1, 64}}); }},
    {"copy with an unknown pattern",
     [](Executable &e) { e.copyPieces[0].bytes = CopyPiece::PatternFlag; }},
    {"pattern that leaves its tile",
     [](Executable &e) { pattern(e, {4, 1000, 4, 4}); }},
    {"pattern with too many parts",
     [](Executable &e) { pattern(e, {0, ~0u, 0, 0}); }},
    {"pattern that overlaps itself",
     [](Executable &e) { pattern(e, {8, 2, 8, 4}); }},
    {"pattern that overwrites a source",
     [](Executable &e) {
       pattern(e, {4, 2, 64, 64});
       e.copyPieces[0].srcTile = 1;
     }},
    {"broadcast with a pattern",
     [](Executable &e) {
       broadcast(e, {{0, 128}, {1, 64}});
       e.copyPatterns = {{4, 2, 8, 8}};
       e.copyPieces[0].bytes = CopyPiece::PatternFlag;
     }},
    {"segment", [](Executable &e) { e.segments[0].bytes = 1000; }},
    {"tensor type",
     [](Executable &e) {
       e.tensors[0].type = ElementType(ElementTypes.size());
     }},
    {"tensor shape", [](Executable &e) { e.tensors[0].shape = {5}; }},
    {"tensor overflow",
     [](Executable &e) { e.tensors[0].shape = {1ull << 40, 1ull << 40}; }},
    {"tensor segments", [](Executable &e) { e.tensors[0].segments = {9, 1}; }},
    {"host tensor", [](Executable &e) { e.hostTensors[0].tensor = 4; }},
    {"stream direction",
     [](Executable &e) { e.streams[0].direction = StreamDirection(2); }},
    {"stream swapped",
     [](Executable &e) {
       e.streams[0].direction = StreamDirection::DeviceToHost;
     }},
    {"stream size", [](Executable &e) { e.streams[1].numElements = 5; }},
    {"stream shape", [](Executable &e) { e.streams[0].shape = {5}; }},
    {"step kind", [](Executable &e) { e.steps[0].kind = StepKind(22); }},
    {"stream without replicas",
     [](Executable &e) { e.streams[0].replicas = 0; }},
    {"stream with more replicas than data",
     [](Executable &e) { e.streams[0].replicas = 2; }},
    {"remote buffer too large",
     [](Executable &e) {
       e.remoteBuffers = {{"r", ElementType::Float, 1ull << 40, 1ull << 40, 1}};
     }},
    {"remote buffer without replicas",
     [](Executable &e) {
       e.remoteBuffers = {{"r", ElementType::Float, 1, 1, 0}};
     }},
    {"step remote buffer",
     [](Executable &e) { e.steps[0].kind = StepKind::RemoteToDevice; }},
    {"step remote rows",
     [](Executable &e) {
       e.remoteBuffers = {{"r", ElementType::Float, 3, 1, 1}};
       e.steps[0].kind = StepKind::DeviceToRemote;
       e.steps[0].index = 0;
     }},
    {"step offset",
     [](Executable &e) {
       e.remoteBuffers = {{"r", ElementType::Float, 1, 9, 1}};
       e.steps[0].kind = StepKind::DeviceToRemote;
       e.steps[0].index = 0;
       e.steps[0].tensors = {99};
     }},
    {"host function type",
     [](Executable &e) {
       e.hostFunctions = {
           {"f", {{ElementType(ElementTypes.size()), 1}}, {}, 1}};
     }},
    {"step host function",
     [](Executable &e) { e.steps[0].kind = StepKind::HostCall; }},
    {"step arguments",
     [](Executable &e) {
       e.hostFunctions = {{"f", {{ElementType::Float, 1}}, {}, 1}};
       e.steps[0].kind = StepKind::HostCall;
       e.steps[0].index = 0;
     }},
    {"step compute set", [](Executable &e) { e.steps[1].index = 2; }},
    {"step exchange", [](Executable &e) { e.steps[2].index = 1; }},
    {"step stream", [](Executable &e) { e.steps[0].index = 2; }},
    {"step tensor", [](Executable &e) { e.steps[0].tensor = None; }},
    {"step child", [](Executable &e) { e.steps[5].children[0] = 99; }},
    {"step children",
     [](Executable &e) { e.steps.back().children.pop_back(); }},
    {"step calls itself",
     [](Executable &e) { e.steps[5].children.push_back(5); }},
    {"step too deep",
     [](Executable &e) {
       for (unsigned i = 0; i != 5000; ++i)
         addStep(e, {StepKind::Call,
                     std::uint32_t(e.steps.size() - 1),
                     None,
                     "",
                     {},
                     {}});
       e.programs[0] = e.steps.size() - 1;
     }},
    {"program", [](Executable &e) { e.programs[0] = 99; }},
    {"memory report", [](Executable &e) { e.memory = {{2, {}, 0}}; }},
};

const Damage CodeDamages[] = {
    {"line file", [](Executable &e) { e.images[0].lines = {{0, 1, 1}}; }},
    {"line order",
     [](Executable &e) {
       e.images[0].lines = {{0x4c010, None, 0}, {0x4c00c, None, 0}};
     }},
    {"field access",
     [](Executable &e) { e.vertexTypes[0].fields[0].access = FieldAccess(4); }},
    {"regions missing", [](Executable &e) { e.firstRegion.clear(); }},
    {"regions before", [](Executable &e) { e.firstRegion[0] = 3; }},
    {"region field", [](Executable &e) { e.regions[0].fieldAndFlag = 2; }},
};

class VerifyTest : public testing::TestWithParam<Damage> {};

INSTANTIATE_TEST_SUITE_P(Each, VerifyTest, testing::ValuesIn(Damages));

TEST_P(VerifyTest, DamageIsFound) {
  Executable exe = scaleProgram(DeviceKind::IpuModel);
  ASSERT_NO_THROW(verify(exe));
  GetParam().apply(exe);
  EXPECT_THROW(verify(exe), FormatError);
}

TEST(VerifyBroadcastTest, NeighboursAreNoOverlap) {
  Executable exe = scaleProgram(DeviceKind::IpuModel);
  broadcast(exe, {{0, 128}, {1, 64}, {1, 96}});
  exe.copyPieces.push_back({1, 0, CopyPiece::BroadcastFlag, 20, 4});
  exe.copyPieces.push_back({1, 0, 1, 88, 12});
  exe.exchanges[0].pieces = {0, 3};
  EXPECT_NO_THROW(verify(exe));
}

TEST(VerifyPatternTest, DistancesMayBeNegative) {
  Executable exe = scaleProgram(DeviceKind::IpuModel);
  pattern(exe, {4, 3, 0u - 8, 0u - 4});
  EXPECT_NO_THROW(verify(exe));
}

class VerifyCodeTest : public testing::TestWithParam<Damage> {};

INSTANTIATE_TEST_SUITE_P(Each, VerifyCodeTest, testing::ValuesIn(CodeDamages));

TEST_P(VerifyCodeTest, DamageIsFound) {
  Executable exe = emulatedScaleProgram();
  ASSERT_NO_THROW(verify(exe));
  GetParam().apply(exe);
  EXPECT_THROW(verify(exe), FormatError);
}

} // namespace
