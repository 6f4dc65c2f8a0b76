// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs: compiled modules on a device. Buffers of streams are arrays that
// hold all transfers of a run, one after the other; what moves them needs no
// interpreter, so others run meanwhile.

#include "lib/Bindings/Python/popxl/Bindings.h"

#include "lib/Bindings/Python/Interrupt.h"
#include "lib/Bindings/Python/Numpy.h"
#include "lib/PopART/Lowering/Lowering.h"
#include "lib/PopART/ModuleProgram.h"
#include "lib/PopART/Passes/Stages.h"
#include "lib/PopART/Support/Error.h"

#include <poplar/Engine.hpp>

#include <cstring>

namespace py = pybind11;

namespace populus::python {

using namespace popir;

namespace {

/// Position of a stream in its buffer.
struct Cursor {
  char *next = nullptr;
  std::size_t left = 0;
};

std::vector<Cursor> cursorsOf(const std::vector<py::array> &arrays,
                              bool written) {
  std::vector<Cursor> cursors;
  for (py::array array : arrays) {
    if (!(array.flags() & py::array::c_style))
      failInput("a buffer of a stream is not contiguous");
    void *data =
        written ? array.mutable_data() : const_cast<void *>(array.data());
    cursors.push_back({static_cast<char *>(data), bytesOf(array)});
  }
  return cursors;
}

/// The place of the next transfer; past the end is an Error that names the
/// stream.
char *advance(Cursor &cursor, std::size_t bytes, const StreamInfo &stream) {
  if (bytes > cursor.left)
    failInput("the stream '{}' moves more tensors in a run than its buffer "
              "has; num_host_transfers has to be the number of times that its "
              "operator runs",
              stream.name);
  char *place = cursor.next;
  cursor.next += bytes;
  cursor.left -= bytes;
  return place;
}

void run(ModuleProgram &program, const std::vector<py::array> &inputs,
         const std::vector<py::array> &outputs) {
  std::vector<Cursor> from = cursorsOf(inputs, false);
  std::vector<Cursor> to = cursorsOf(outputs, true);
  InterruptCheck check;
  py::gil_scoped_release others;
  program.run(
      [&](std::size_t i, void *buffer, std::size_t bytes) {
        check();
        std::memcpy(buffer, advance(from.at(i), bytes, program.inputs()[i]),
                    bytes);
      },
      [&](std::size_t i, void *buffer, std::size_t bytes) {
        check();
        std::memcpy(advance(to.at(i), bytes, program.outputs()[i]), buffer,
                    bytes);
      });
}

/// Name, type, type of the buffer's elements, shape.
py::list describe(const std::vector<StreamInfo> &streams) {
  py::list list;
  for (const StreamInfo &stream : streams)
    list.append(
        py::make_tuple(stream.name, std::string(name(stream.info.type)),
                       std::string(name(deviceDataType(stream.info.type))),
                       py::tuple(py::cast(stream.info.shape))));
  return list;
}

/// Lets the stages of the main graph overlap.
void pipeline(Module &module, Request &request) {
  fillStages(module.main());
  const std::string problem = whyNotOverlapped(module.main());
  if (!problem.empty())
    failInput("the stages of a pipeline depend on each other: {}", problem);
  request.program.pipelined = true;
  request.pipeline.demanded = {"OrderStages", "StashStages"};
}

std::unique_ptr<ModuleProgram>
compile(Module &module, const std::string &target, const std::string &device,
        unsigned numIpus, unsigned tilesPerIpu, unsigned replicas,
        unsigned firstReplica, unsigned ownReplicas,
        const std::map<std::string, std::string> &engineOptions,
        const std::map<std::string, std::string> &convolutionOptions,
        const std::map<std::string, std::string> &matmulOptions,
        const std::string &patterns, const std::string &dotDirectory,
        const std::set<std::string> &dotChecks,
        const std::string &cacheDirectory, bool roundsStochastically,
        unsigned numIoTiles, unsigned microBatches, unsigned batches,
        bool isPipelined) {
  Request request;
  request.machine = {target, device, numIpus, tilesPerIpu};
  request.program.replicas = replicas;
  request.firstReplica = firstReplica;
  request.numOwnReplicas = ownReplicas;
  request.program.convolutionOptions = convolutionOptions;
  request.program.matmulOptions = matmulOptions;
  request.program.roundsStochastically = roundsStochastically;
  request.program.numIoTiles = numIoTiles;
  request.pipeline.patterns.apply(patterns);
  request.program.microBatches = microBatches;
  request.program.batchesPerStep = batches;
  if (isPipelined)
    pipeline(module, request);
  request.engineOptions = engineOptions;
  request.drawings = {dotDirectory, dotChecks, {}};
  request.cacheDirectory = cacheDirectory;
  InterruptCheck check;
  request.check = [&] { check(); };
  py::gil_scoped_release others;
  return std::make_unique<ModuleProgram>(module, request);
}

void readVariable(const ModuleProgram &program, const std::string &name,
                  py::array &array, bool ofAll) {
  const HostTensor value = [&] {
    py::gil_scoped_release others;
    return program.readVariable(name, ofAll);
  }();
  if (bytesOf(array) != value.bytes().size() ||
      !(array.flags() & py::array::c_style))
    failInput("the array for '{}' has not the size of {}", name,
              toString(value.info()));
  std::memcpy(array.mutable_data(), value.bytes().data(), value.bytes().size());
}

} // namespace

void bindPrograms(py::module_ &module) {
  py::class_<ModuleProgram>(module, "Program")
      .def(py::init(&compile), py::arg("module"), py::arg("target"),
           py::arg("device"), py::arg("num_ipus"), py::arg("tiles_per_ipu"),
           py::arg("replicas"), py::arg("first_replica"),
           py::arg("own_replicas"), py::arg("engine_options"),
           py::arg("convolution_options"), py::arg("matmul_options"),
           py::arg("patterns"), py::arg("dot_directory"), py::arg("dot_checks"),
           py::arg("cache_directory"), py::arg("rounds_stochastically"),
           py::arg("num_io_tiles") = 0, py::arg("micro_batches") = 1,
           py::arg("batches") = 1, py::arg("pipelined") = false)
      .def("load", &ModuleProgram::load,
           py::call_guard<py::gil_scoped_release>())
      .def_property_readonly(
          "inputs", [](const ModuleProgram &p) { return describe(p.inputs()); })
      .def_property_readonly(
          "outputs",
          [](const ModuleProgram &p) { return describe(p.outputs()); })
      .def("run", &run, py::arg("inputs"), py::arg("outputs"))
      .def("has_variable", &ModuleProgram::hasVariable)
      .def("write_variable",
           [](ModuleProgram &p, const std::string &name,
              const std::string &type, const py::array &value) {
             p.writeVariable(name, tensorOf(type, value));
           })
      .def("read_variable", &readVariable, py::arg("name"), py::arg("array"),
           py::arg("of_all"));
}

} // namespace populus::python
