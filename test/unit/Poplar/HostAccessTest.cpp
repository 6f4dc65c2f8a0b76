// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remote buffers, host functions, and callbacks of streams, on every kind of
// device.

#include "test/unit/Poplar/DeviceKinds.h"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>

#include <numeric>
#include <sstream>

using namespace poplar;
using program::Call;
using program::Copy;
using program::Sequence;

namespace {

class HostAccessTest : public AllDevices {
protected:
  HostAccessTest()
      : device(makeDevice(GetParam(), 4)), graph(device.getTarget()) {}

  Tensor add(const Type &type, std::vector<std::size_t> shape,
             const char *name) {
    return graph.addVariable(type, shape, VariableMappingMethod::LINEAR, name);
  }

  template <typename E, typename F>
  void expectError(F action, std::initializer_list<const char *> parts) {
    try {
      action();
      ADD_FAILURE() << "no exception";
    } catch (const E &error) {
      for (const char *part : parts)
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << "'" << part << "' is not in: " << error.what();
    }
  }

  Device device;
  Graph graph;
};

TEST_P(HostAccessTest, RemoteBuffer) {
  const RemoteBuffer buffer = graph.addRemoteBuffer("remote", FLOAT, 3, 5);
  EXPECT_EQ(buffer.handle(), "remote");
  EXPECT_EQ(buffer.numElements(), 3u);
  EXPECT_EQ(buffer.getRepeats(), 5u);
  EXPECT_EQ(buffer.elementType(), FLOAT);
  const Tensor rows = add(FLOAT, {2, 3}, "rows");
  const Tensor offsets = add(UNSIGNED_INT, {2}, "offsets");
  graph.createHostWrite("offsets", offsets);
  graph.createHostRead("rows", rows);
  const Tensor all = add(FLOAT, {5, 3}, "all");
  graph.createHostRead("all", all);
  Engine engine(graph,
                {Sequence{Copy(buffer, rows, offsets)},
                 Sequence{Copy(rows, buffer, offsets)},
                 Sequence{Copy(buffer, all)}, Sequence{Copy(rows[1], buffer)}});
  engine.load(device);

  std::vector<float> given(15), got(15);
  std::iota(given.begin(), given.end(), 1.0f);
  for (int row = 0; row != 5; ++row)
    engine.copyToRemoteBuffer(&given[3 * row], "remote", row);
  const auto setOffsets = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t values[] = {a, b};
    engine.writeTensor("offsets", values, values + 2);
  };
  setOffsets(4, 1);
  engine.run(0);
  std::vector<float> result(6);
  engine.readTensor("rows", result.data(), result.data() + 6);
  EXPECT_EQ(result, (std::vector<float>{13, 14, 15, 4, 5, 6}));

  setOffsets(0, 2);
  engine.run(1);
  engine.run(2);
  engine.readTensor("all", got.data(), got.data() + 15);
  std::vector<float> expected = given;
  std::copy_n(&given[12], 3, &expected[0]);
  std::copy_n(&given[3], 3, &expected[6]);
  EXPECT_EQ(got, expected);
  engine.run(3); // without an offset: the first row
  engine.copyFromRemoteBuffer("remote", got.data(), 0);
  EXPECT_EQ((std::vector<float>(got.begin(), got.begin() + 3)),
            (std::vector<float>{4, 5, 6}));

  setOffsets(0, 5);
  expectError<application_runtime_error>([&] { engine.run(0); },
                                         {"'remote'", "5 rows", "number 5"});
  expectError<stream_connection_error>(
      [&] { engine.copyToRemoteBuffer(given.data(), "remotes", 0); },
      {"did you mean 'remote'?"});
  expectError<stream_connection_error>(
      [&] { engine.copyToRemoteBuffer(given.data(), "remote", -1); }, {"-1"});
}

TEST_P(HostAccessTest, RemoteBufferMistakes) {
  const RemoteBuffer buffer = graph.addRemoteBuffer("remote", FLOAT, 3, 5);
  const Tensor row = add(FLOAT, {3}, "row");
  const Tensor offset = add(UNSIGNED_INT, {1}, "offset");
  expectError<poplar_error>([&] { graph.addRemoteBuffer("remote", INT, 1); },
                            {"two remote buffers 'remote'"});
  expectError<control_program_error>(
      [&] { Copy(buffer, row.slice(0, 2), offset); }, {"'remote'", "3", "2"});
  expectError<control_program_error>(
      [&] { Copy(row.reinterpret(INT), buffer, offset); }, {"float", "int"});
  expectError<control_program_error>(
      [&] { Copy(buffer, row, offset.reinterpret(FLOAT)); },
      {"offset", "UNSIGNED_INT"});
  expectError<poplar_error>([&] { Copy(RemoteBuffer(), row); },
                            {"never assigned"});
}

TEST_P(HostAccessTest, HostFunction) {
  const HostFunction function = graph.addHostFunction(
      "scale", {{FLOAT, 4}, {INT, 1}}, {{FLOAT, 4}, {INT, 1}});
  const Tensor in = add(FLOAT, {4}, "in"), out = add(FLOAT, {2, 2}, "out");
  const Tensor factor = add(INT, {}, "factor"), count = add(INT, {}, "count");
  graph.setInitialValue<float>(in, {1, 2, 3, 4});
  graph.setInitialValue(factor, 10);
  graph.createHostRead("out", out);
  graph.createHostRead("count", count);
  Engine engine(graph, Call(function, {in, factor}, {out, count}));
  engine.load(device);
  expectError<application_runtime_error>([&] { engine.run(); },
                                         {"'scale'", "not connected"});
  int calls = 0;
  engine.connectHostFunction(
      "scale", [&](ArrayRef<const void *> inputs, ArrayRef<void *> outputs) {
        const float *values = static_cast<const float *>(inputs[0]);
        for (int i = 0; i != 4; ++i)
          static_cast<float *>(outputs[0])[i] =
              values[i] * *static_cast<const std::int32_t *>(inputs[1]);
        *static_cast<std::int32_t *>(outputs[1]) = ++calls;
      });
  engine.run();
  engine.run();
  std::vector<float> result(4);
  std::int32_t counted = 0;
  engine.readTensor("out", result.data(), result.data() + 4);
  engine.readTensor("count", &counted, &counted + 1);
  EXPECT_EQ(result, (std::vector<float>{10, 20, 30, 40}));
  EXPECT_EQ(counted, 2);
  expectError<stream_connection_error>(
      [&] {
        engine.connectHostFunction(
            "scale", 1, [](ArrayRef<const void *>, ArrayRef<void *>) {});
      },
      {"'scale'", "replica 1"});
}

TEST_P(HostAccessTest, HostFunctionMistakes) {
  const HostFunction function =
      graph.addHostFunction("f", {{FLOAT, 4}}, {{FLOAT, 4}});
  const Tensor a = add(FLOAT, {4}, "a"), b = add(FLOAT, {3}, "b");
  expectError<control_program_error>([&] { Call(function, {a}, {}); },
                                     {"'f'", "outputs"});
  expectError<control_program_error>([&] { Call(function, {b}, {a}); },
                                     {"'f'", "input 0", "'b'", "4 elements"});
  expectError<control_program_error>(
      [&] { Call(function, {a}, {graph.addConstant(FLOAT, {4}, 0.0f)}); },
      {"constants"});
  expectError<poplar_error>([&] { Call(HostFunction(), {}, {}); },
                            {"never assigned"});
}

/// Counts up; each element is given out once, by prefetch or by fetch.
class Counter : public StreamCallback {
public:
  explicit Counter(std::string &trace, bool hasNext)
      : trace(trace), hasNext(hasNext) {}

  Result prefetch(void *buffer) override {
    if (!hasNext)
      return Result::NotAvailable;
    trace += 'p';
    *static_cast<std::int32_t *>(buffer) = next++;
    return Result::Success;
  }
  void fetch(void *buffer) override {
    trace += 'f';
    *static_cast<std::int32_t *>(buffer) = next++;
  }
  void complete() override { trace += 'c'; }
  void invalidatePrefetched() override { trace += 'i'; }

private:
  std::string &trace;
  bool hasNext;
  std::int32_t next = 1;
};

TEST_P(HostAccessTest, Prefetch) {
  const Tensor value = add(INT, {1}, "value");
  graph.createHostRead("value", value);
  const DataStream stream = graph.addHostToDeviceFIFO("numbers", INT, 1);
  std::string trace;
  const auto run = [&](bool hasNext, const OptionFlags &options) {
    trace.clear();
    std::vector<std::int32_t> got;
    Engine engine(graph, Copy(stream, value), options);
    engine.load(device);
    engine.connectStreamToCallback(
        "numbers", std::unique_ptr<Counter>(new Counter(trace, hasNext)));
    for (int i = 0; i != 3; ++i) {
      engine.run();
      got.push_back(0);
      engine.readTensor("value", &got.back(), &got.back() + 1);
    }
    EXPECT_EQ(got, (std::vector<std::int32_t>{1, 2, 3}));
  };
  run(true, {});
  EXPECT_EQ(trace, "fcpcpcpi");
  run(false, {});
  EXPECT_EQ(trace, "fcfcfc");
  run(true, {{"exchange.enablePrefetch", "false"}});
  EXPECT_EQ(trace, "fcfcfc");
}

TEST_P(HostAccessTest, SavedAndLoadedAgain) {
  const RemoteBuffer buffer = graph.addRemoteBuffer("remote", INT, 2, 2);
  const HostFunction function =
      graph.addHostFunction("f", {{INT, 2}}, {{INT, 2}});
  const Tensor value = add(INT, {2}, "value");
  std::stringstream file;
  compileGraph(graph,
               {Sequence{Copy(buffer, value), Call(function, {value}, {value}),
                         Copy(value, buffer)}})
      .serialize(file);
  Engine engine(Executable::deserialize(file));
  engine.load(device);
  engine.connectHostFunction(
      "f", 0, [](ArrayRef<const void *> in, ArrayRef<void *> out) {
        for (int i = 0; i != 2; ++i)
          static_cast<std::int32_t *>(out[0])[i] =
              static_cast<const std::int32_t *>(in[0])[i] + 5;
      });
  engine.run();
  engine.run();
  std::int32_t row[2] = {};
  engine.copyFromRemoteBuffer("remote", row, 0);
  EXPECT_EQ(row[0], 10);
  EXPECT_EQ(row[1], 10);
}

TEST(StreamOptions, Misspelt) {
  Graph graph(Target::createIPUTarget(1, 2, "ipu2"));
  graph.addHostToDeviceFIFO("a", INT, 1, ReplicatedStreamMode::REPLICATE,
                            {{"bufferingDepth", "2"}});
  EXPECT_THROW(graph.addDeviceToHostFIFO("b", INT, 1, {{"bufferDepth", "2"}}),
               invalid_option);
}

INSTANTIATE_TEST_SUITE_P(Devices, HostAccessTest, allDeviceKinds(),
                         deviceKindName);

} // namespace
