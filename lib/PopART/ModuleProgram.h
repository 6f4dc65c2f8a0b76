// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module of the IR on its way to a device and there, for programs that make
// modules themselves: passes, lowering, an engine, streams by name, and the
// module's variables, which the host reads and writes.

#ifndef POPULUS_LIB_POPART_MODULEPROGRAM_H
#define POPULUS_LIB_POPART_MODULEPROGRAM_H

#include "lib/PopART/Compile.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace populus::popir {

class ModuleProgram {
public:
  struct Options {
    /// The machine of all replicas.
    MachineOptions machine;
    ProgramOptions program;
    Pipeline pipeline;
    std::map<std::string, std::string> engineOptions;
    /// Drawings: where, and of which stages.
    std::string dotDirectory;
    std::set<std::string> dotChecks;
    /// Where executables are kept; empty: nowhere.
    std::string cacheDirectory;
    /// Told how far compiling is: a step, of how many.
    std::function<void(int, int)> progress;
  };

  /// Compiles. The passes change the module.
  ModuleProgram(Module &module, const Options &options);
  ~ModuleProgram();

  void load();

  /// Streams that operators of the module name.
  const std::vector<StreamInfo> &inputs() const;
  const std::vector<StreamInfo> &outputs() const;

  /// Moves the elements of one transfer, which have the type of the device
  /// (deviceDataType). `index` is the stream's place in inputs() or outputs().
  using Transfer =
      std::function<void(std::size_t index, void *buffer, std::size_t bytes)>;
  void run(const Transfer &read, const Transfer &write);

  /// Whether the program reads or writes a variable at all.
  bool hasVariable(const std::string &name) const;
  /// With a value for each replica in front, or one for all.
  void writeVariable(const std::string &name, const HostTensor &value);
  /// Of several replicas, the values of all: [replicas, shape...].
  HostTensor readVariable(const std::string &name) const;

  poplar::Engine &engine();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace populus::popir

#endif
