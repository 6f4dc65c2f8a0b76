// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tensors of a program by name. Inputs, outputs and host handles are in
// every executable; all variables of the graph are in those that were compiled
// for debugging (the engine option debug.executable).

#ifndef POPULUS_LIB_DEBUGGER_TENSORS_H
#define POPULUS_LIB_DEBUGGER_TENSORS_H

#include "lib/Debugger/Value.h"

#include <map>
#include <optional>
#include <string>

namespace populus::debugger {

struct NamedTensor {
  Value value;
  /// The memory is used by other variables at other times.
  bool isShared = false;
};

class Tensors {
public:
  explicit Tensors(const runtime::Executable &executable);

  /// A tensor of that name, or of the only name that ends in "/NAME"; null.
  const NamedTensor *find(const std::string &name) const;
  const std::map<std::string, NamedTensor> &all() const { return tensors; }

  /// "element 3 of 'data'" for a byte of a tile; nothing: no tensor is there.
  std::string describe(std::uint32_t tile, Address address) const;

private:
  void addLayout(const runtime::Executable &executable, const std::string &name,
                 std::uint32_t tensor);
  void addVariables(const std::string &text);

  std::map<std::string, NamedTensor> tensors;
};

} // namespace populus::debugger

#endif
