// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's own test data, those of Debian's libonnx-testdata and those of PyPI's
// package onnx, which has newer opsets (utils/onnx-data makes files of them):
// every case runs on the IPU Model and on the emulator and must give ONNX's
// results, unless OnnxDataExceptions.txt names it, or an operator of it that is
// not supported, and says why. A case that is named there and passes is a
// failure, too. Inputs that have to be known when the model is compiled are
// made constants, as with popart-compile --fix-inputs.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Import/ControlFlow.h"
#include "lib/PopART/Import/Decomposition.h"
#include "lib/PopART/Import/ModelFile.h"
#include "lib/PopART/Import/TensorData.h"
#include "lib/PopART/Ops/Bounded/BoundedOp.h"
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

const fs::path OlderData = "/usr/share/libonnx-testdata/data";
const fs::path NewerData = POPULUS_BUILD_DIR "/onnx-data";
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

/// An operator of the model that is not supported, as exceptions name it:
/// "Unique", "ai.onnx.ml.TreeEnsemble"; empty if there is none.
std::string unlistedOperator(const onnx::ModelProto &model) {
  Opsets opsets = opsetsOf(model);
  for (const onnx::NodeProto &node : model.graph().node()) {
    const OperatorId id = resolveOperator(opsets, node);
    const bool isListed = findOp(id) || isControlFlow(id) ||
                          findDecomposition(id) ||
                          findFunctionSchema(opsets, node);
    if (!isListed)
      return id.domain.empty() ? id.type : id.domain + "." + id.type;
  }
  return "";
}

/// Half has 11 bits; everything else is computed in float.
double toleranceOf(const onnx::ValueInfoProto &info) {
  auto type = info.type().tensor_type().elem_type();
  return type == onnx::TensorProto::FLOAT16    ? 2e-3
         : type == onnx::TensorProto::BFLOAT16 ? 1e-2
                                               : 1e-4;
}

/// Describes the first difference of two results; empty if there is none.
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

/// The inputs that the program reads at run time.
std::map<std::string, Array> readInputs(const fs::path &data,
                                        const onnx::ModelProto &model,
                                        const Graph &ir) {
  std::map<std::string, Array> result;
  for (int i = 0; i != model.graph().input_size(); ++i) {
    const onnx::ValueInfoProto &info = model.graph().input(i);
    if (std::ranges::any_of(ir.arguments(), [&](const Value *input) {
          return input->name == info.name();
        }))
      result[info.name()] = toArray(
          readTensor(data / ("input_" + std::to_string(i) + ".pb"), info));
  }
  return result;
}

/// Runs a case. Returns the reason if it fails; empty if it passes.
std::string runCase(const fs::path &folder, const onnx::ModelProto &model,
                    const MachineOptions &machine) {
  const fs::path data = folder / "test_data_set_0";
  try {
    ImportOptions options;
    options.fixed.folder = data.string();
    const std::unique_ptr<Module> module = importModel(model, options);
    const std::map<std::string, Array> inputs =
        readInputs(data, model, module->main());
    std::map<std::string, Array> results = run(*module, inputs, machine);
    const auto &outputs = model.graph().output();
    for (int i = 0; i != outputs.size(); ++i) {
      fs::path file = data / ("output_" + std::to_string(i) + ".pb");
      std::string problem =
          difference(results.at(outputs.Get(i).name()),
                     toArray(readTensor(file, outputs.Get(i))),
                     toleranceOf(outputs.Get(i)));
      if (!problem.empty())
        return outputs.Get(i).name() + ": " + problem;
    }
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

/// The first `count` along an axis.
Array firstOf(const Array &x, std::size_t axis, std::int64_t count) {
  Array result = x;
  result.shape[axis] = count;
  std::int64_t inner = 1;
  for (std::size_t i = axis + 1; i != x.shape.size(); ++i)
    inner *= x.shape[i];
  result.values.clear();
  for (std::int64_t i = 0; i != numElements(x.shape); ++i)
    if (i / inner % x.shape[axis] < count)
      result.values.push_back(x.values[i]);
  return result;
}

/// Runs a case with bounds. Returns the reason if it fails; empty if it passes,
/// or if no result has a bound.
std::string runBounded(const fs::path &folder, const onnx::ModelProto &model,
                       const MachineOptions &machine, unsigned &padded) {
  const fs::path data = folder / "test_data_set_0";
  ImportOptions options;
  options.bounds.boundsAll = true;
  std::map<std::string, PaddedResult> bounds;
  options.padded = [&](const PaddedResult &result) {
    bounds[result.name] = result;
  };
  try {
    const std::unique_ptr<Module> module = importModel(model, options);
    if (bounds.empty())
      return "";
    std::map<std::string, Array> results =
        run(*module, readInputs(data, model, module->main()), machine);
    for (int i = 0; i != model.graph().output_size(); ++i) {
      const onnx::ValueInfoProto &output = model.graph().output(i);
      Array found = results.at(output.name());
      if (const auto bound = bounds.find(output.name());
          bound != bounds.end()) {
        const Array &count = results.at(bound->second.count);
        found = firstOf(found, bound->second.axis,
                        static_cast<std::int64_t>(count.values.at(0)));
      }
      const fs::path file = data / ("output_" + std::to_string(i) + ".pb");
      const std::string problem =
          difference(found, toArray(readTensor(file, output)), 0);
      if (!problem.empty())
        return output.name() + ": " + problem;
    }
    ++padded;
  } catch (const std::exception &error) {
    return error.what();
  }
  return "";
}

/// Names of exceptions in one group of cases: "newer/test_x" for the newer
/// data, "operator NAME" for all cases with an operator.
std::string exceptionName(const fs::path &folder, bool isNewer) {
  return (isNewer ? "newer/" : "") + folder.filename().string();
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
    if (std::string type; name == "operator" && words >> type)
      name += " " + type;
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
  /// The least number of cases that pass with a bound.
  unsigned leastPadded = 0;
  bool isNewer = false;

  fs::path path() const { return (isNewer ? NewerData : OlderData) / folder; }
};

void PrintTo(const Group &group, std::ostream *out) {
  *out << group.path() << " on " << group.machine.device;
}

std::vector<fs::path> casesOf(const Group &group) {
  std::vector<fs::path> folders;
  for (const fs::directory_entry &entry : fs::directory_iterator(group.path()))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

class OnnxData : public testing::TestWithParam<Group> {};

TEST_P(OnnxData, CasesPassOrAreNamed) {
  const Group &group = GetParam();
  ASSERT_TRUE(fs::exists(group.path()))
      << group.path() << " is missing; utils/onnx-data makes it";
  const std::map<std::string, std::string> exceptions = readExceptions();
  unsigned passed = 0;
  for (const fs::path &folder : casesOf(group)) {
    const std::string name = exceptionName(folder, group.isNewer);
    onnx::ModelProto model = readModel((folder / "model.onnx").string());
    const std::string unlisted = unlistedOperator(model);
    if (!unlisted.empty()) {
      EXPECT_EQ(exceptions.count("operator " + unlisted), 1U)
          << name << ": operator " << unlisted << " is not supported";
      continue;
    }
    std::string problem = runCase(folder, model, group.machine);
    passed += problem.empty();
    if (exceptions.count(name) == 0)
      EXPECT_EQ(problem, "") << name;
    else
      EXPECT_NE(problem, "")
          << name << " passes; take it out of " << ExceptionsFile;
  }
  RecordProperty("passed", static_cast<int>(passed));
  EXPECT_GE(passed, group.leastPassed);
}

/// Cases of operators with bounds, with all inputs known only at run time.
TEST_P(OnnxData, CasesPassWithABound) {
  const Group &group = GetParam();
  const std::vector<std::string> types = boundedTypes();
  unsigned padded = 0;
  for (const fs::path &folder : casesOf(group)) {
    const onnx::ModelProto model = readModel((folder / "model.onnx").string());
    if (std::ranges::any_of(model.graph().node(), [&](const auto &node) {
          return std::ranges::count(types, node.op_type()) != 0;
        })) {
      EXPECT_EQ(runBounded(folder, model, group.machine, padded), "") << folder;
    }
  }
  EXPECT_GE(padded, group.leastPadded);
}

const MachineOptions Model = {"ipu2", "ipu-model", 1, 16};
const MachineOptions Emulator = {"ipu2", "ipu", 1, 16};
const MachineOptions LargeEmulator = {"ipu2", "ipu", 1, 64};

INSTANTIATE_TEST_SUITE_P(
    Devices, OnnxData,
    testing::Values(Group{"node", Model, 866, 19},
                    Group{"node", Emulator, 866, 19},
                    Group{"node", Emulator, 1281, 13, true},
                    Group{"pytorch-converted", LargeEmulator, 0},
                    Group{"pytorch-operator", Emulator, 0},
                    Group{"simple", Emulator, 0}),
    [](const testing::TestParamInfo<Group> &info) {
      std::string name = std::string(info.param.isNewer ? "newer_" : "") +
                         info.param.folder + "_" + info.param.machine.device;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

} // namespace
} // namespace populus::popir::test
