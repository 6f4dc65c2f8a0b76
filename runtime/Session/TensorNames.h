// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the tensors in a tile's memory, for findings. Host handles and
// streams are in every executable; all variables of the graph are in the
// metadata of one that was compiled for debugging or checking.

#ifndef POPULUS_RUNTIME_SESSION_TENSORNAMES_H
#define POPULUS_RUNTIME_SESSION_TENSORNAMES_H

#include "runtime/Format/Executable.h"

#include <string>
#include <vector>

namespace populus::runtime {

/// The metadata of an executable with the places of variables: a JSON array of
/// objects with name, type, shape and homes, a list of [elements, tile,
/// address, is the memory shared] in the order of elements.
inline constexpr char VariablesKey[] = "variable_homes";

class TensorNames {
public:
  explicit TensorNames(const Executable &executable);

  /// Returns the name of the tensor with this byte of a tile's memory. Empty:
  /// there is none, or several tensors share the memory at different times.
  std::string at(std::uint32_t tile, Address address) const;

private:
  struct Home {
    std::uint32_t tile;
    Address begin, end;
    std::size_t name;
    bool isShared;
  };

  void add(const Executable &executable, const std::string &name,
           std::uint32_t tensor);
  void addVariables(const std::string &json);

  std::vector<std::string> names;
  std::vector<Home> homes;
};

} // namespace populus::runtime

#endif
