// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's own test data (Debian's libonnx-testdata): every case whose operators
// are supported runs on the IPU Model and on the emulator and must give ONNX's
// results, unless OnnxDataExceptions.txt names it and says why. A case that is
// named there and passes is a failure, too.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Import/ControlFlow.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Support/Error.h"
#include "test/unit/PopART/ModelBuilder.h"

#include <gtest/gtest.h>
#include <onnx/defs/schema.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace populus::popir::test {
namespace {

namespace fs = std::filesystem;

const fs::path DataFolder = "/usr/share/libonnx-testdata/data";
const fs::path ExceptionsFile =
    POPULUS_SOURCE_DIR "/test/unit/PopART/OnnxDataExceptions.txt";

/// The tensor of an input or output of the model. The files, which were NumPy
/// arrays, have the bits of bfloat16 as integers.
onnx::TensorProto readTensor(const fs::path &path,
                             const onnx::ValueInfoProto &info) {
  std::ifstream file(path, std::ios::binary);
  onnx::TensorProto tensor;
  if (!tensor.ParseFromIstream(&file))
    failInput("{} is not a tensor", path.string());
  if (info.type().tensor_type().elem_type() == onnx::TensorProto::BFLOAT16 &&
      tensor.data_type() == onnx::TensorProto::UINT16)
    tensor.set_data_type(onnx::TensorProto::BFLOAT16);
  return tensor;
}

Array toArray(const onnx::TensorProto &proto) {
  HostTensor tensor = importTensor(proto);
  return {tensor.shape(), tensor.toDoubles()};
}

/// Whether the case is about operators that are listed.
bool isListed(const onnx::ModelProto &model) {
  Opsets opsets = opsetsOf(model);
  return std::all_of(model.graph().node().begin(), model.graph().node().end(),
                     [&](const onnx::NodeProto &node) {
                       const onnx::OpSchema *schema = findSchema(opsets, node);
                       const OperatorId id = resolveOperator(opsets, node);
                       return findOp(id) || isControlFlow(id) ||
                              (schema && schema->HasFunction());
                     });
}

struct Inputs {
  std::map<std::string, Array> streams;
  onnx::ModelProto model;
};

/// Which inputs are given when the model is compiled, not when it runs.
enum class Constants { None, Parameters, AllButTheFirst, All };

bool isConstant(Constants which, int index, const onnx::TensorProto &tensor) {
  std::optional<DataType> type = fromOnnx(tensor.data_type());
  // Shapes, axes, switches.
  bool isParameter =
      (type && !isFloatingPoint(*type)) ||
      numElements({tensor.dims().begin(), tensor.dims().end()}) == 1;
  switch (which) {
  case Constants::None:
    return false;
  case Constants::Parameters:
    return index != 0 && isParameter;
  case Constants::AllButTheFirst:
    return index != 0;
  case Constants::All:
    return true;
  }
  return false;
}

Inputs readInputs(const fs::path &data, const onnx::ModelProto &model,
                  Constants constants) {
  Inputs result{{}, model};
  for (int i = 0; i != model.graph().input_size(); ++i) {
    fs::path file = data / ("input_" + std::to_string(i) + ".pb");
    if (!fs::exists(file)) // an initializer
      continue;
    onnx::TensorProto tensor = readTensor(file, model.graph().input(i));
    tensor.set_name(model.graph().input(i).name());
    if (isConstant(constants, i, tensor))
      *result.model.mutable_graph()->add_initializer() = tensor;
    else
      result.streams[tensor.name()] = toArray(tensor);
  }
  return result;
}

/// Half has 11 bits; everything else is computed in float.
double toleranceOf(const onnx::ValueInfoProto &info) {
  auto type = info.type().tensor_type().elem_type();
  return type == onnx::TensorProto::FLOAT16    ? 2e-3
         : type == onnx::TensorProto::BFLOAT16 ? 1e-2
                                               : 1e-4;
}

/// What is wrong with a result; empty if nothing is.
std::string difference(const Array &found, const Array &wanted,
                       double tolerance) {
  if (found.shape != wanted.shape)
    return fmt::format("its shape is {}, not {}", toString(found.shape),
                       toString(wanted.shape));
  for (std::size_t i = 0; i != found.values.size(); ++i) {
    double a = found.values[i], b = wanted.values[i];
    bool isSame = a == b || (std::isnan(a) && std::isnan(b));
    if (!isSame && !(std::abs(a - b) <= tolerance * (1 + std::abs(b))))
      return fmt::format("element {} is {}, not {}", i, a, b);
  }
  return "";
}

std::string runOnce(const fs::path &data, const Inputs &inputs,
                    const MachineOptions &machine) {
  std::map<std::string, Array> results =
      run(inputs.model, inputs.streams, machine);
  const auto &outputs = inputs.model.graph().output();
  for (int i = 0; i != outputs.size(); ++i) {
    fs::path file = data / ("output_" + std::to_string(i) + ".pb");
    std::string problem = difference(results.at(outputs.Get(i).name()),
                                     toArray(readTensor(file, outputs.Get(i))),
                                     toleranceOf(outputs.Get(i)));
    if (!problem.empty())
      return outputs.Get(i).name() + ": " + problem;
  }
  return "";
}

/// Why the case fails; empty if it passes. Where inputs have to be known when
/// the model is compiled, more and more of them are.
std::string runCase(const fs::path &folder, const onnx::ModelProto &model,
                    const MachineOptions &machine) {
  std::string problem;
  for (Constants constants : {Constants::None, Constants::Parameters,
                              Constants::AllButTheFirst, Constants::All}) {
    try {
      fs::path data = folder / "test_data_set_0";
      return runOnce(data, readInputs(data, model, constants), machine);
    } catch (const Error &error) {
      problem = error.what();
      if (error.kind() != ErrorKind::Unsupported)
        break;
    } catch (const std::exception &error) {
      return error.what();
    }
  }
  return problem;
}

/// The cases that may fail, with the reasons.
std::map<std::string, std::string> readExceptions() {
  std::map<std::string, std::string> result;
  std::ifstream file(ExceptionsFile);
  EXPECT_TRUE(file) << ExceptionsFile;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name, reason;
    words >> name;
    std::getline(words >> std::ws, reason);
    if (name.empty() || name[0] == '#')
      continue;
    EXPECT_FALSE(reason.empty()) << name << " has no reason";
    result[name] = reason;
  }
  return result;
}

struct Group {
  const char *folder;
  MachineOptions machine;
  unsigned leastPassed;
};

void PrintTo(const Group &group, std::ostream *out) {
  *out << group.folder << " on " << group.machine.device;
}

class OnnxData : public testing::TestWithParam<Group> {};

TEST_P(OnnxData, CasesOfListedOperatorsPass) {
  const std::map<std::string, std::string> exceptions = readExceptions();
  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(DataFolder / GetParam().folder))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  unsigned passed = 0;
  for (const fs::path &folder : folders) {
    const std::string name = folder.filename().string();
    onnx::ModelProto model = readModel((folder / "model.onnx").string());
    if (!isListed(model))
      continue;
    std::string problem = runCase(folder, model, GetParam().machine);
    passed += problem.empty();
    auto exception = exceptions.find(name);
    if (exception == exceptions.end())
      EXPECT_EQ(problem, "") << name;
    else
      EXPECT_NE(problem, "")
          << name << " passes; take it out of " << ExceptionsFile;
  }
  RecordProperty("passed", static_cast<int>(passed));
  EXPECT_GE(passed, GetParam().leastPassed);
}

const MachineOptions Model = {"ipu2", "ipu-model", 1, 16};
const MachineOptions Emulator = {"ipu2", "ipu", 1, 16};
const MachineOptions LargeEmulator = {"ipu2", "ipu", 1, 64};

INSTANTIATE_TEST_SUITE_P(
    Devices, OnnxData,
    testing::Values(Group{"node", Model, 743}, Group{"node", Emulator, 743},
                    Group{"pytorch-converted", LargeEmulator, 0},
                    Group{"pytorch-operator", Emulator, 0},
                    Group{"simple", Emulator, 0}),
    [](const testing::TestParamInfo<Group> &info) {
      std::string name =
          std::string(info.param.folder) + "_" + info.param.machine.device;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
} // namespace populus::popir::test
