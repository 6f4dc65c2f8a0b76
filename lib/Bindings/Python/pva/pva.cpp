// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports for Python: what is a method without arguments in C++ is a property
// here. Objects keep their report alive, as in C++.

#include <pva/pva.hpp>

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace {

/// A property by the name of a method.
#define PVA_PROPERTY(CLASS, NAME)                                              \
  .def_property_readonly(#NAME, [](const CLASS &self) { return self.NAME(); })

/// A visitor that Python classes derive from. A method that they do not have is
/// visitProgram, or nothing.
class PyVisitor : public pva::ProgramVisitor {
public:
  void visitProgram(const pva::Program &program) override {
    PYBIND11_OVERRIDE(void, pva::ProgramVisitor, visitProgram, program);
  }
#define PVA_VISIT(NAME)                                                        \
  void visit##NAME(const pva::NAME##Program &program) override {               \
    PYBIND11_OVERRIDE(void, pva::ProgramVisitor, visit##NAME, program);        \
  }
  PVA_PROGRAM_TYPES(PVA_VISIT)
#undef PVA_VISIT
};

void bindPrograms(py::module_ &module) {
  using pva::ComputeSet;
  using pva::VertexCount;
  py::class_<VertexCount>(module, "VertexCount")
      .def_readonly("type", &VertexCount::type)
      .def_readonly("count", &VertexCount::count);
  py::class_<ComputeSet>(module, "ComputeSet") PVA_PROPERTY(ComputeSet, name)
      PVA_PROPERTY(ComputeSet, vertices) PVA_PROPERTY(ComputeSet, cyclesByTile)
          PVA_PROPERTY(ComputeSet, estimatedCyclesByTile);
  py::class_<pva::ProgramVisitor, PyVisitor>(
      module, "ProgramVisitor",
      "Derive from it and define visitOnTileExecute, visitDoExchange, …; "
      "Program.accept calls what fits the program.")
      .def(py::init<>());
  py::class_<pva::Program, std::shared_ptr<pva::Program>> program(module,
                                                                  "Program");
  py::enum_<pva::Program::Type> type(program, "Type");
#define PVA_TYPE(NAME) type.value(#NAME, pva::Program::Type::NAME);
  PVA_PROGRAM_TYPES(PVA_TYPE)
#undef PVA_TYPE
  program PVA_PROPERTY(pva::Program, type) PVA_PROPERTY(pva::Program, name)
      PVA_PROPERTY(pva::Program, children)
          .def("accept", &pva::Program::accept, py::arg("visitor"));
  using OnTile = pva::OnTileExecuteProgram;
  py::class_<OnTile, pva::Program, std::shared_ptr<OnTile>>(
      module, "OnTileExecuteProgram") PVA_PROPERTY(OnTile, vertices)
      .def_property_readonly(
          "computeset", [](const OnTile &self) { return self.computeSet(); })
      .def_property_readonly(
          "computeSet", [](const OnTile &self) { return self.computeSet(); });
#define PVA_CLASS(NAME)                                                        \
  py::class_<pva::NAME##Program, pva::Program,                                 \
             std::shared_ptr<pva::NAME##Program>>(module, #NAME "Program");
  PVA_PLAIN_PROGRAM_TYPES(PVA_CLASS)
#undef PVA_CLASS
}

void bindMemory(py::module_ &module) {
  using pva::Memory;
  using pva::MemoryTotal;
  py::class_<MemoryTotal>(module, "MemoryTotal")
      PVA_PROPERTY(MemoryTotal, includingGaps)
          PVA_PROPERTY(MemoryTotal, excludingGaps);
  using pva::VertexMemory;
  py::class_<VertexMemory>(module, "VertexMemory")
      .def_property_readonly("type", [](const VertexMemory &self) {
        return self.type().name();
      }) PVA_PROPERTY(VertexMemory, count) PVA_PROPERTY(VertexMemory, size);
  py::class_<Memory>(module, "Memory") PVA_PROPERTY(Memory, total) PVA_PROPERTY(
      Memory, alwaysLiveBytes) PVA_PROPERTY(Memory, notAlwaysLiveBytes)
      .def_property_readonly(
          "category",
          [](const Memory &self) {
            const std::map<std::string, std::uint64_t> &all = self.category();
            return all;
          },
          "Bytes by category, as a dict.") PVA_PROPERTY(Memory, vertices);
  py::class_<pva::CompilationPlace>(module, "CompilationPlace")
      PVA_PROPERTY(pva::CompilationPlace, memory);
  using Variable = pva::LivenessVariable;
  py::class_<Variable>(module, "LivenessVariable") PVA_PROPERTY(Variable, name)
      PVA_PROPERTY(Variable, size);
  using pva::LiveMemory;
  py::class_<LiveMemory>(module, "LiveMemory") PVA_PROPERTY(LiveMemory, bytes)
      PVA_PROPERTY(LiveMemory, variables);
  using LivenessStep = pva::LivenessProgramStep;
  py::class_<LivenessStep>(module, "LivenessProgramStep")
      PVA_PROPERTY(LivenessStep, program)
          PVA_PROPERTY(LivenessStep, notAlwaysLiveMemory)
              .def("notAlwaysLiveMemoryForTile",
                   &LivenessStep::notAlwaysLiveMemoryForTile, py::arg("tile"));
  using Lowered = pva::LoweredVariables;
  py::class_<Lowered>(module, "LoweredVariables")
      PVA_PROPERTY(Lowered, allBriefVars)
          .def("forTile", &Lowered::forTile, py::arg("tile"));
}

void bindCompilation(py::module_ &module) {
  using pva::Target;
  py::class_<Target>(module, "Target") PVA_PROPERTY(Target, type)
      PVA_PROPERTY(Target, architecture) PVA_PROPERTY(Target, numIPUs)
          PVA_PROPERTY(Target, tilesPerIpu) PVA_PROPERTY(Target, numTiles)
              PVA_PROPERTY(Target, numReplicas)
                  PVA_PROPERTY(Target, bytesPerTile)
                      PVA_PROPERTY(Target, bytesPerIPU)
                          PVA_PROPERTY(Target, totalMemory)
                              PVA_PROPERTY(Target, clockFrequency);
  using pva::Graph;
  py::class_<Graph>(module, "Graph") PVA_PROPERTY(Graph, numVertices)
      PVA_PROPERTY(Graph, numEdges) PVA_PROPERTY(Graph, numVars)
          PVA_PROPERTY(Graph, numComputeSets);
  using Report = pva::CompilationReport;
  py::class_<Report>(module, "CompilationReport") PVA_PROPERTY(Report, target)
      PVA_PROPERTY(Report, graph) PVA_PROPERTY(Report, tiles)
          PVA_PROPERTY(Report, ipus) PVA_PROPERTY(Report, livenessProgramSteps)
              PVA_PROPERTY(Report, alwaysLiveVariables)
                  PVA_PROPERTY(Report, loweredVariables)
                      .def("programs", &Report::programs)
                      .def("computeSets", &Report::computeSets)
                      .def("alwaysLiveVariablesForTile",
                           &Report::alwaysLiveVariablesForTile,
                           py::arg("tile"));
}

void bindExecution(py::module_ &module) {
  using pva::CyclesByPlace;
  py::class_<CyclesByPlace>(module, "CyclesByPlace")
      PVA_PROPERTY(CyclesByPlace, min) PVA_PROPERTY(CyclesByPlace, max)
          PVA_PROPERTY(CyclesByPlace, all);
  using pva::StepPlace;
  py::class_<StepPlace>(module, "StepPlace") PVA_PROPERTY(StepPlace, cyclesFrom)
      PVA_PROPERTY(StepPlace, cyclesTo) PVA_PROPERTY(StepPlace, cycles)
          PVA_PROPERTY(StepPlace, activeCycles);
  using pva::Step;
  py::class_<Step>(module, "ExecutionStep") PVA_PROPERTY(Step, program)
      PVA_PROPERTY(Step, cycles) PVA_PROPERTY(Step, computeSets)
          PVA_PROPERTY(Step, ipus) PVA_PROPERTY(Step, tiles)
              PVA_PROPERTY(Step, cyclesFrom) PVA_PROPERTY(Step, cyclesTo)
                  .def("cyclesByTile", &Step::cyclesByTile);
  using pva::Block;
  py::class_<Block>(module, "Block") PVA_PROPERTY(Block, program)
      PVA_PROPERTY(Block, tile) PVA_PROPERTY(Block, cyclesFrom)
          PVA_PROPERTY(Block, cyclesTo) PVA_PROPERTY(Block, isStreamCopy)
              PVA_PROPERTY(Block, isBlockFlush) PVA_PROPERTY(Block, isOverflow)
                  PVA_PROPERTY(Block, isCommon);
  using pva::Run;
  py::class_<Run>(module, "Run") PVA_PROPERTY(Run, name)
      PVA_PROPERTY(Run, steps) PVA_PROPERTY(Run, cycles);
  using pva::Cycles;
  py::class_<Cycles>(module, "Cycles") PVA_PROPERTY(Cycles, total)
      PVA_PROPERTY(Cycles, compute) PVA_PROPERTY(Cycles, exchange)
          PVA_PROPERTY(Cycles, sync) PVA_PROPERTY(Cycles, host);
  using Report = pva::ExecutionReport;
  py::class_<Report>(module, "ExecutionReport") PVA_PROPERTY(Report, steps)
      PVA_PROPERTY(Report, runs) PVA_PROPERTY(Report, totalCycles)
          .def("blocks", &Report::blocks, py::arg("tile"));
}

void bindReport(py::module_ &module) {
  using Version = pva::PoplarVersion;
  py::class_<Version>(module, "PoplarVersion") PVA_PROPERTY(Version, string)
      PVA_PROPERTY(Version, packageHash)
          .def_property_readonly("major", &Version::majorVer)
          .def_property_readonly("minor", &Version::minorVer)
          .def_property_readonly("point", &Version::pointVer);
  using pva::Report;
  py::class_<Report>(module, "Report") PVA_PROPERTY(Report, compilation)
      PVA_PROPERTY(Report, execution) PVA_PROPERTY(Report, hasExecution)
          PVA_PROPERTY(Report, poplarVersion);
  module.def("openReport", &pva::openReport, py::arg("profile"),
             py::arg("debug") = "", py::call_guard<py::gil_scoped_release>(),
             "Reads a report, profile.pop. One of debug information is taken "
             "for old programs' sake.");
}

#undef PVA_PROPERTY

} // namespace

PYBIND11_MODULE(pva_core, module) {
  module.attr("__version__") = POPULUS_INTERFACE_VERSION;
  py::register_exception<pva::ReportError>(module, "ReportError",
                                           PyExc_RuntimeError);
  bindPrograms(module);
  bindMemory(module);
  bindCompilation(module);
  bindExecution(module);
  bindReport(module);
}
