// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Feeds mutated ONNX models to PopART's importer and transforms, and lowers
// every N-th of the small ones that they accept to a tile program. Whatever the
// bytes, a model has to be accepted or refused with an Error. Built with
// sanitizers (preset asan) and run for long it is a fuzzer; the test suite runs
// it briefly.
//
//   fuzz-models [--iterations N] [--seconds N] [--seed N] [--lower N] FILE...
//
// The files are what the mutations begin with: bytes are changed, removed and
// copied, and nodes of the parsed model are damaged, which gets further than
// bytes do. Seconds are of processor time, so that a busy machine tries as
// much. The input at hand is kept in fuzz-model.onnx.

#include "lib/PopART/Import/Importer.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Lowering/TileProgram.h"
#include "lib/PopART/Passes/Pass.h"
#include "lib/PopART/Support/Error.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <new>
#include <random>
#include <string>
#include <vector>

using namespace populus::popir;

namespace {

using Random = std::mt19937_64;

std::size_t below(Random &random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

void mutateBytes(Random &random, std::string &bytes) {
  for (std::size_t count = 1 + below(random, 4); count-- > 0;) {
    std::size_t place = below(random, bytes.size());
    switch (below(random, 4)) {
    case 0:
      bytes[place] = static_cast<char>(random());
      break;
    case 1:
      bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(random, 8)));
      break;
    case 2:
      bytes.erase(place, 1 + below(random, 16));
      break;
    default:
      bytes.insert(place, bytes.substr(below(random, bytes.size()),
                                       1 + below(random, 32)));
    }
    if (bytes.empty())
      return;
  }
}

std::int64_t strangeNumber(Random &random) {
  constexpr std::int64_t Numbers[] = {0,  1,       -1,        2,
                                      3,  7,       1 << 16,   -(1 << 20),
                                      -2, 1 << 30, INT64_MAX, INT64_MIN};
  return Numbers[below(random, std::size(Numbers))];
}

void mutateAttribute(Random &random, onnx::AttributeProto &attribute) {
  switch (below(random, 4)) {
  case 0:
    attribute.set_i(strangeNumber(random));
    break;
  case 1:
    if (attribute.ints_size() != 0)
      attribute.set_ints(static_cast<int>(below(random, attribute.ints_size())),
                         strangeNumber(random));
    break;
  case 2:
    attribute.add_ints(strangeNumber(random));
    break;
  default:
    attribute.set_s("strange");
  }
}

/// Gives an input or an initializer another rank.
void mutateRank(Random &random, onnx::GraphProto &graph) {
  const std::size_t rank = below(random, 6);
  if (graph.input_size() != 0 && below(random, 2) != 0) {
    const auto at = static_cast<int>(below(random, graph.input_size()));
    onnx::TensorShapeProto &shape = *graph.mutable_input(at)
                                         ->mutable_type()
                                         ->mutable_tensor_type()
                                         ->mutable_shape();
    shape.clear_dim();
    for (std::size_t i = 0; i != rank; ++i)
      shape.add_dim()->set_dim_value(
          static_cast<std::int64_t>(below(random, 4)));
  } else if (graph.initializer_size() != 0) {
    const auto at = static_cast<int>(below(random, graph.initializer_size()));
    onnx::TensorProto &tensor = *graph.mutable_initializer(at);
    std::int64_t all = 1;
    for (std::int64_t extent : tensor.dims())
      all = std::clamp<std::int64_t>(extent, 0, 1 << 10) *
            std::min<std::int64_t>(all, 1 << 20);
    tensor.clear_dims(); // with as many elements
    for (std::size_t i = 0; i != rank; ++i)
      tensor.add_dims(i == 0 ? all : 1);
  }
}

/// Damages the meaning: edges, attributes, extents, types.
void mutateModel(Random &random, onnx::ModelProto &model) {
  onnx::GraphProto &graph = *model.mutable_graph();
  if (graph.node_size() == 0)
    return;
  auto &node =
      *graph.mutable_node(static_cast<int>(below(random, graph.node_size())));
  auto &other = graph.node(static_cast<int>(below(random, graph.node_size())));
  switch (below(random, 8)) {
  case 0:
    if (node.attribute_size() != 0)
      mutateAttribute(random, *node.mutable_attribute(static_cast<int>(
                                  below(random, node.attribute_size()))));
    break;
  case 1:
    if (node.input_size() != 0)
      node.mutable_input()->RemoveLast();
    break;
  case 2:
    if (node.input_size() != 0 && other.output_size() != 0)
      node.set_input(static_cast<int>(below(random, node.input_size())),
                     other.output(0));
    break;
  case 3:
    node.set_op_type(other.op_type());
    break;
  case 4:
    if (graph.initializer_size() != 0) {
      auto &tensor = *graph.mutable_initializer(
          static_cast<int>(below(random, graph.initializer_size())));
      if (tensor.int64_data_size() != 0)
        tensor.set_int64_data(0, strangeNumber(random));
      else if (tensor.raw_data().size() >= 8) {
        std::int64_t number = strangeNumber(random);
        std::memcpy(tensor.mutable_raw_data()->data(), &number, sizeof(number));
      }
    }
    break;
  case 5:
    if (graph.input_size() != 0) {
      auto &type = *graph
                        .mutable_input(
                            static_cast<int>(below(random, graph.input_size())))
                        ->mutable_type()
                        ->mutable_tensor_type();
      if (type.shape().dim_size() != 0 && below(random, 2) != 0)
        type.mutable_shape()
            ->mutable_dim(
                static_cast<int>(below(random, type.shape().dim_size())))
            ->set_dim_value(strangeNumber(random));
      else
        type.set_elem_type(static_cast<int>(below(random, 18)));
    }
    break;
  case 6:
    mutateRank(random, graph);
    break;
  default:
    for (onnx::OperatorSetIdProto &import : *model.mutable_opset_import())
      import.set_version(1 + static_cast<int>(below(random, 18)));
  }
}

std::string mutated(Random &random, const std::string &original) {
  std::string bytes = original;
  onnx::ModelProto model;
  if (below(random, 3) != 0 && model.ParseFromString(bytes)) {
    for (std::size_t count = 1 + below(random, 3); count-- > 0;)
      mutateModel(random, model);
    return model.SerializeAsString();
  }
  mutateBytes(random, bytes);
  return bytes;
}

/// True if the tensors are small enough to be planned in moments.
bool isSmall(const Graph &graph) {
  constexpr double MostElements = 1 << 12;
  double elements = 0;
  for (const Value *input : graph.arguments())
    elements += static_cast<double>(input->info.numElements());
  for (const Op *op : graph.ops())
    for (std::size_t i = 0; i != op->outputs().size(); ++i)
      if (op->hasOutput(i))
        elements += static_cast<double>(op->output(i).info.numElements());
  return elements <= MostElements;
}

void lowerToTiles(const Module &module) {
  constexpr unsigned Tiles = 4;
  lowerModule(module, poplar::Target::createIPUTarget(1, Tiles, "ipu2"), {});
}

/// Counts the outcomes of the inputs.
struct Counts {
  std::uint64_t inputs = 0, accepted = 0, lowered = 0;
};

void tryModel(const std::string &bytes, std::uint64_t lowerEach,
              Counts &counts) {
  ++counts.inputs;
  try {
    const std::unique_ptr<Module> module =
        importModel(parseModel(bytes, "model"));
    Pipeline pipeline;
    pipeline.options.outlineThreshold = 0;
    pipeline.options.outlinePrunesByCopyCost = false;
    runPipeline(*module, pipeline);
    if (++counts.accepted % lowerEach == 0 && isSmall(module->main())) {
      lowerToTiles(*module);
      ++counts.lowered;
    }
  } catch (const Error &error) {
    if (error.kind() == ErrorKind::Internal) {
      std::fprintf(stderr, "internal error: %s\n", error.what());
      std::abort();
    }
  } catch (const std::bad_alloc &) {
    // Shapes that no computer can hold.
  }
}

std::string contentOf(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> originals;
  std::uint64_t iterations = 1000, seconds = 0, seed = 1, lowerEach = 16;
  for (int i = 1; i != argc; ++i) {
    std::string argument = argv[i];
    auto number = [&] {
      return i + 1 == argc ? 0 : std::strtoull(argv[++i], nullptr, 10);
    };
    if (argument == "--iterations")
      iterations = number();
    else if (argument == "--seconds")
      seconds = number();
    else if (argument == "--seed")
      seed = number();
    else if (argument == "--lower")
      lowerEach = std::max<std::uint64_t>(number(), 1);
    else
      originals.push_back(contentOf(argv[i]));
  }
  if (originals.empty()) {
    std::fprintf(stderr, "fuzz-models: no files\n");
    return 2;
  }
  const std::clock_t start = std::clock();
  Random random(seed);
  Counts counts;
  auto goesOn = [&] {
    if (seconds == 0)
      return counts.inputs < iterations;
    const auto elapsed =
        static_cast<std::uint64_t>((std::clock() - start) / CLOCKS_PER_SEC);
    return elapsed < seconds;
  };
  while (goesOn()) {
    std::string bytes =
        mutated(random, originals[below(random, originals.size())]);
    std::ofstream("fuzz-model.onnx", std::ios::binary) << bytes;
    tryModel(bytes, lowerEach, counts);
  }
  std::remove("fuzz-model.onnx");
  std::printf("%llu inputs, %llu accepted, %llu lowered\n",
              static_cast<unsigned long long>(counts.inputs),
              static_cast<unsigned long long>(counts.accepted),
              static_cast<unsigned long long>(counts.lowered));
  return 0;
}
