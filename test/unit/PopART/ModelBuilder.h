// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small ONNX models made in place, and runs of them on a device, for tests.

#ifndef POPULUS_TEST_UNIT_POPART_MODELBUILDER_H
#define POPULUS_TEST_UNIT_POPART_MODELBUILDER_H

#include "lib/PopART/Compile.h"

#include <onnx/onnx_pb.h>

#include <map>
#include <string>
#include <vector>

namespace populus::popir::test {

/// A tensor of the tests: elements in float64, for reference computations.
struct Array {
  Shape shape;
  std::vector<double> values;

  double &operator()(const std::vector<std::int64_t> &index);
  double operator()(const std::vector<std::int64_t> &index) const;
};

/// Reproducible numbers, exact in float32, in [-limit, limit].
Array randomArray(Shape shape, unsigned seed, double limit = 2);

/// An attribute of a node.
struct Attr {
  Attr(std::string name, std::int64_t value);
  Attr(std::string name, int value) : Attr(name, std::int64_t(value)) {}
  Attr(std::string name, float value);
  Attr(std::string name, const char *value);
  Attr(std::string name, std::vector<std::int64_t> values);
  onnx::AttributeProto proto;
};

class ModelBuilder {
public:
  explicit ModelBuilder(int opset = 13);

  ModelBuilder &input(const std::string &name, const Shape &shape,
                      int type = onnx::TensorProto::FLOAT);
  /// Dimensions by name: "N", "3".
  ModelBuilder &symbolicInput(const std::string &name,
                              const std::vector<std::string> &dims);
  ModelBuilder &weight(const std::string &name, const Array &value);
  ModelBuilder &ints(const std::string &name,
                     const std::vector<std::int64_t> &values);
  ModelBuilder &node(const std::string &type,
                     const std::vector<std::string> &inputs,
                     const std::vector<std::string> &outputs,
                     const std::vector<Attr> &attributes = {});
  ModelBuilder &output(const std::string &name,
                       int type = onnx::TensorProto::FLOAT);

  onnx::ModelProto model;
};

/// Compiles the model and runs it once. Returns the float outputs by name.
std::map<std::string, Array> run(const onnx::ModelProto &model,
                                 const std::map<std::string, Array> &inputs,
                                 const MachineOptions &machine = {"cpu", "cpu"},
                                 const std::string &patterns = "all",
                                 const PassOptions &outlining = {});

/// The same for what has been imported.
std::map<std::string, Array> run(Module &module,
                                 const std::map<std::string, Array> &inputs,
                                 const MachineOptions &machine,
                                 const std::string &patterns = "all",
                                 const PassOptions &outlining = {});

/// Runs one pass.
std::size_t runPass(Module &module, const std::string &name,
                    const PassOptions &options = {});

/// The types of the main graph's operators after the passes that rewrite it for
/// its own sake: not those that make functions or code.
std::vector<std::string> typesAfter(Module &module,
                                    const std::string &patterns = "all");

/// An operand of a node, which the model reads when it runs.
struct Operand {
  Operand(Array value, int type = onnx::TensorProto::FLOAT)
      : value(std::move(value)), type(type) {}
  Array value;
  int type;
};

/// Runs a model of one node of the domain ai.graphcore and returns its results,
/// which are of the given types.
std::vector<Array> runGraphcoreResults(const std::string &type,
                                       const std::vector<Operand> &operands,
                                       const std::vector<int> &resultTypes,
                                       const std::vector<Attr> &attributes = {},
                                       const MachineOptions &machine = {"cpu",
                                                                        "cpu"});
/// The same for a node with one result, of type float.
Array runGraphcore(const std::string &type,
                   const std::vector<Operand> &operands,
                   const std::vector<Attr> &attributes = {},
                   const MachineOptions &machine = {"cpu", "cpu"});

/// Expects equal shapes, and values that differ by float32's rounding only.
void expectClose(const Array &found, const Array &wanted,
                 double tolerance = 1e-5);

} // namespace populus::popir::test

#endif
