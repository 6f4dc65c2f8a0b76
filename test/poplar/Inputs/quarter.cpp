// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Codelets with edges of quarters, in one file with the program that connects
// them and moves quarters between device and host.

#ifdef __POPC__

#include <poplar/Vertex.hpp>

using namespace poplar;

/// Doubles numbers, from one format to another and in place.
class Scale : public Vertex {
public:
  Input<Vector<quarter>> in;
  Output<Vector<quarter>> out;
  InOut<Vector<quarter, VectorLayout::ONE_PTR>> same;

  bool compute() {
    const quarter_metadata from = unpackMetadata(in.getMetadata());
    const quarter_metadata to = unpackMetadata(out.getMetadata());
    const quarter_metadata own = unpackMetadata(same.getMetadata());
    for (unsigned i = 0; i != in.size(); ++i) {
      out[i] = toQuarter(half(2 * toFloat(in[i], from)), to);
      same[i] = toQuarter(2 * toFloat(same[i], own), own);
    }
    return true;
  }
};

/// The sum of a vector times a scalar, and an element of it made of its bits.
class Layouts : public Vertex {
public:
  Input<Vector<quarter, VectorLayout::SCALED_PTR64>> x;
  Input<quarter> one;
  Output<Vector<float>> out;

  bool compute() {
    const quarter_metadata metadata = unpackMetadata(*x.getMetadata());
    float sum = 0;
    for (unsigned i = 0; i != 3; ++i)
      sum += float(toHalf(x[i], metadata));
    out[0] = sum * toFloat(one, unpackMetadata(one.getMetadata()));
    out[1] = toFloat(quarter(0x7c), {quarter_metadata::f143, -1});
    return true;
  }
};

/// Metadata as it is in memory.
class Look : public Vertex {
public:
  Input<MetadataType> metadata;
  Output<unsigned> byte;
  bool compute() {
    *byte = *metadata;
    return true;
  }
};

#else

#include <poplar/Engine.hpp>

#include <iostream>
#include <vector>

using namespace poplar;
using Format = QuarterMetadata::Format;

Device getDevice(const std::string &kind) {
  if (kind == "cpu")
    return Device::createCPUDevice();
  if (kind == "model") {
    IPUModel model("ipu21");
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  return Device::createSimulatorDevice(
      Target::createIPUTarget(1, 4, kind == "ipu2" ? "ipu2" : "ipu21"));
}

typedef std::vector<unsigned char> Bytes;

Bytes encode(const std::vector<float> &values, QuarterMetadata metadata) {
  Bytes bytes(values.size());
  convertToDeviceType(QUARTER, metadata, ArrayRef<float>(values), bytes.data());
  return bytes;
}

void print(const char *what, const Bytes &bytes, QuarterMetadata metadata) {
  std::vector<float> values(bytes.size());
  convertFromDeviceType(QUARTER, metadata, bytes.data(),
                        ArrayRef<float>(values));
  std::cout << what;
  for (float value : values)
    if (value != value)
      std::cout << " nan";
    else
      std::cout << ' ' << value;
  std::cout << '\n';
}

int run(const std::string &kind, const char *codelets) {
  const Device device = getDevice(kind);
  Graph graph(device.getTarget());
  graph.addCodelets(codelets);
  program::Sequence prog;
  const bool isCpu = kind == "cpu";
  const auto tile = [&](unsigned t) { return isCpu ? 0 : t; };

  // Two variables with metadata of their own, and a clone that shares them.
  const Tensor metadata =
      createVariableMetadataTensor(graph, Format::F143, 0, "my metadata");
  const Tensor in = graph.addVariable(QUARTER, metadata, {5}, "in");
  const Tensor fixed =
      createConstantMetadataTensor(graph, Format::F143, 2, "fixed");
  const Tensor out = graph.addVariable(QUARTER, fixed, {5}, "out");
  graph.setTileMapping(in, tile(1));
  graph.setTileMapping(out, tile(2));
  const Tensor same = graph.clone(in, "same");
  prog.add(program::Copy(in, same));
  const ComputeSet cs = graph.addComputeSet("scale");
  const VertexRef v = graph.addVertex(
      cs, "Scale",
      {{"in", in},
       {"out",
        concat(out.slice(0, 2), out.reshape({5, 1}).slice(2, 5).flatten())},
       {"same", same}});
  graph.setTileMapping(v, tile(3));
  prog.add(program::Execute(cs));

  // Constants, scalars and layouts.
  const Tensor plain =
      createConstantMetadataTensor(graph, Format::F152, -1, "plain");
  const Tensor half = graph.addConstant(QUARTER, plain, {3}, 0.5f, "constant");
  const Tensor numbers = graph.addConstant(
      QUARTER, plain, {3}, std::vector<float>{8, 16, 32}, "numbers");
  const Tensor result = graph.addVariable(FLOAT, {2}, "result");
  const Tensor byte = graph.addVariable(UNSIGNED_INT, {}, "byte");
  for (const Tensor &t : {half, numbers, result, byte})
    graph.setTileMapping(t, tile(1));
  const ComputeSet more = graph.addComputeSet("more");
  const Tensor two = graph.addConstant(QUARTER, fixed, {}, 2.0f, "two");
  graph.setTileMapping(two, tile(2));
  graph.setTileMapping(
      graph.addVertex(more, "Layouts",
                      {{"x", numbers}, {"one", two}, {"out", result}}),
      tile(1));
  graph.setTileMapping(
      graph.addVertex(more, "Look", {{"metadata", fixed}, {"byte", byte}}),
      tile(2));
  prog.add(program::Execute(more));

  // Through streams: in with metadata, out with the same.
  const Tensor streamed =
      createVariableMetadataTensor(graph, Format::F152, 9, "streamed");
  const Tensor data = graph.addVariable(QUARTER, streamed, {4}, "data");
  graph.setTileMapping(data, tile(1));
  const DataStream from = graph.addHostToDeviceFIFO("from", QUARTER, 4);
  const DataStream to = graph.addDeviceToHostFIFO("to", QUARTER, 4);
  prog.add(program::Copy(from, data));
  prog.add(program::Copy(data, to));

  // Metadata that the program makes.
  const Tensor scale = graph.addConstant(INT, {}, 5, "scale");
  graph.setTileMapping(scale, tile(1));
  const Tensor made =
      createVariableMetadataTensor(graph, Format::F152, scale, prog, "made");
  const Tensor late = graph.addVariable(QUARTER, made, {1}, "late");
  graph.setTileMapping(late, tile(3));

  const Tensor other = graph.addVariable(
      QUARTER, createConstantMetadataTensor(graph, Format::F143, 1), {2},
      "other");
  graph.setTileMapping(other, tile(1));
  graph.createHostWrite("in", in);
  graph.createHostRead("in", in);
  graph.createHostRead("out", out);
  graph.createHostRead("same", same);
  graph.createHostRead("half", half);
  graph.createHostRead("result", result);
  graph.createHostRead("byte", byte);
  graph.createHostRead("late", late);
  graph.createHostWrite("fixed", other);

  Engine engine(graph, prog);
  engine.load(device);
  const QuarterMetadata written(Format::F152, -3);
  const Bytes values = encode(
      {1.5f, -3, 28, 0, std::numeric_limits<float>::quiet_NaN()}, written);
  engine.writeTensor("in", written, values.data(), values.data() + 5);
  QuarterMetadata arrived;
  Bytes sent = encode({2, 4, 8, 16}, QuarterMetadata(Format::F143, 1)), got(4);
  const QuarterMetadata one(Format::F143, 1);
  engine.connectStream("from", one, sent.data(), sent.data() + 4);
  engine.connectStream("to", arrived, got.data(), got.data() + 4);
  engine.run();

  QuarterMetadata read;
  Bytes bytes(5);
  engine.readTensor("in", read, bytes.data(), bytes.data() + 5);
  print(("read: " + read.toString() + ':').c_str(), bytes, read);
  engine.readTensor("out", read, bytes.data(), bytes.data() + 5);
  print(("scaled: " + read.toString() + ':').c_str(), bytes, read);
  engine.readTensor("same", written, bytes.data(), bytes.data() + 5);
  print("in place:", bytes, written);
  float floats[2];
  engine.readTensor("result", floats, floats + 2);
  std::cout << "layouts: " << floats[0] << ' ' << floats[1] << '\n';
  unsigned number = 0;
  engine.readTensor("byte", &number, &number + 1);
  std::cout << "byte of metadata: " << number << '\n';
  print(("stream: " + arrived.toString() + ':').c_str(), got, arrived);
  bytes.resize(3);
  engine.readTensor("half", read, bytes.data(), bytes.data() + 3);
  print("constant:", bytes, read);
  try {
    engine.writeTensor("fixed", QuarterMetadata(Format::F152, 0), bytes.data(),
                       bytes.data() + 2);
  } catch (const tensor_io_state_error &error) {
    std::cout << "other metadata: " << error.what() << '\n';
  }
  engine.readTensor("late", read, bytes.data(), bytes.data() + 1);
  std::cout << "run time scale: " << read << '\n';
  return 0;
}

int main(int, char **argv) {
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}

#endif
