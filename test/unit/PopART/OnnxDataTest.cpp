// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's own test data for operators (Debian's libonnx-testdata): every case
// whose operators are supported and that computes in float32 runs on every kind
// of device and must give ONNX's results. Cases that need what is not supported
// are skipped, but only as many as expected: a lost feature fails the test.

#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Ops/Registry.h"
#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace popart::test {
namespace {

namespace fs = std::filesystem;

const fs::path DataFolder = "/usr/share/libonnx-testdata/data";

onnx::TensorProto readTensor(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto tensor;
  EXPECT_TRUE(tensor.ParseFromIstream(&file)) << path;
  return tensor;
}

Array toArray(const onnx::TensorProto &proto) {
  HostTensor tensor = importTensor(proto);
  return {tensor.shape(), tensor.toDoubles()};
}

bool allOperatorsExist(const onnx::ModelProto &model) {
  return std::all_of(model.graph().node().begin(), model.graph().node().end(),
                     [&](const onnx::NodeProto &node) {
                       return findOp(resolveOperator(opsetsOf(model), node));
                     });
}

bool isFloat(const onnx::ValueInfoProto &info) {
  return info.type().tensor_type().elem_type() == onnx::TensorProto::FLOAT;
}

bool computesInFloat(const onnx::ModelProto &model) {
  const auto &outputs = model.graph().output();
  return std::all_of(outputs.begin(), outputs.end(), isFloat) &&
         std::any_of(model.graph().input().begin(), model.graph().input().end(),
                     isFloat);
}

/// Cases that break ONNX's own rules: a type that disagrees with the model's,
/// int64 where the opset has none.
bool isInvalid(const std::string &name) {
  return name == "test_castlike_BFLOAT16_to_FLOAT_expanded" ||
         name == "test_PixelShuffle";
}

/// Reads the inputs. Those that are not float (shapes, axes, switches) become
/// initializers of the model: they have to be constants.
std::map<std::string, Array> readInputs(const fs::path &data,
                                        onnx::ModelProto &model) {
  std::map<std::string, Array> inputs;
  for (int i = 0; i != model.graph().input_size(); ++i) {
    fs::path file = data / ("input_" + std::to_string(i) + ".pb");
    if (!fs::exists(file)) // an initializer
      continue;
    onnx::TensorProto tensor = readTensor(file);
    const onnx::ValueInfoProto &info = model.graph().input(i);
    tensor.set_name(info.name());
    if (isFloat(info))
      inputs[info.name()] = toArray(tensor);
    else
      *model.mutable_graph()->add_initializer() = tensor;
  }
  return inputs;
}

enum class Outcome { Passed, Unsupported };

Outcome runCase(const fs::path &folder, onnx::ModelProto model,
                const MachineOptions &machine) {
  fs::path data = folder / "test_data_set_0";
  std::map<std::string, Array> inputs = readInputs(data, model);
  try {
    std::map<std::string, Array> results = run(model, inputs, machine);
    for (int i = 0; i != model.graph().output_size(); ++i) {
      fs::path file = data / ("output_" + std::to_string(i) + ".pb");
      expectClose(results.at(model.graph().output(i).name()),
                  toArray(readTensor(file)), 1e-4);
    }
    return Outcome::Passed;
  } catch (const Error &error) {
    EXPECT_EQ(error.kind(), ErrorKind::Unsupported) << error.what();
    return Outcome::Unsupported;
  }
}

struct Counts {
  unsigned passed = 0;
  std::vector<std::string> unsupported;
};

Counts runAll(const std::string &group, const MachineOptions &machine) {
  Counts counts;
  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(DataFolder / group))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const fs::path &folder : folders) {
    SCOPED_TRACE(folder.filename().string());
    onnx::ModelProto model = readModel((folder / "model.onnx").string());
    if (isInvalid(folder.filename().string()) || !allOperatorsExist(model) ||
        !computesInFloat(model))
      continue;
    if (runCase(folder, model, machine) == Outcome::Passed)
      ++counts.passed;
    else
      counts.unsupported.push_back(folder.filename().string());
  }
  return counts;
}

std::string join(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += name + " ";
  return text;
}

struct Machine {
  const char *name;
  MachineOptions options;
};

void PrintTo(const Machine &machine, std::ostream *out) {
  *out << machine.name;
}

class OnnxData : public testing::TestWithParam<Machine> {};

void expectCounts(const std::string &group, unsigned passed,
                  unsigned unsupported, const MachineOptions &machine) {
  Counts counts = runAll(group, machine);
  EXPECT_GE(counts.passed, passed);
  EXPECT_LE(counts.unsupported.size(), unsupported) << join(counts.unsupported);
}

TEST_P(OnnxData, Nodes) { expectCounts("node", 155, 10, GetParam().options); }

TEST_P(OnnxData, ConvertedLayers) {
  expectCounts("pytorch-converted", 48, 15, GetParam().options);
}

INSTANTIATE_TEST_SUITE_P(Devices, OnnxData,
                         testing::Values(Machine{"cpu", {"cpu", "cpu"}},
                                         Machine{"ipu-model",
                                                 {"ipu2", "ipu-model", 1, 5}},
                                         Machine{"ipu", {"ipu2", "ipu", 1, 5}}),
                         [](const testing::TestParamInfo<Machine> &info) {
                           std::string name = info.param.name;
                           std::erase(name, '-');
                           return name;
                         });

} // namespace
} // namespace popart::test
