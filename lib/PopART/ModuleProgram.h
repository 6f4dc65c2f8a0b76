// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles and runs a module of the IR, for front ends that build modules
// themselves. It owns the engine, connects streams by name, and reads and
// writes the module's variables.

#ifndef POPULUS_LIB_POPART_MODULEPROGRAM_H
#define POPULUS_LIB_POPART_MODULEPROGRAM_H

#include "lib/PopART/Request.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace populus::popir {

class ModuleProgram {
public:
  /// Compiles. The passes change the module.
  ModuleProgram(Module &module, const Request &request);
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

  /// True if the program reads or writes the variable.
  bool hasVariable(const std::string &name) const;
  /// Writes one value for all replicas, or [replicas, shape...].
  void writeVariable(const std::string &name, const HostTensor &value);
  /// Returns the values of all replicas, [replicas, shape...], which all
  /// processes of a job have to do at once; or, if there is one replica or not
  /// \p ofAll, the value of the first one of this process.
  HostTensor readVariable(const std::string &name, bool ofAll = true) const;

  poplar::Engine &engine();

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace populus::popir

#endif
