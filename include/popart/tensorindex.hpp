// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands or the results of an operator, by number.

#ifndef POPULUS_INCLUDE_POPART_TENSORINDEX_HPP
#define POPULUS_INCLUDE_POPART_TENSORINDEX_HPP

#include <popart/names.hpp>

#include <map>
#include <vector>

namespace popart {

class Tensor;

class TensorIndexMap {
public:
  void insert(int index, Tensor *tensor) { tensors[index] = tensor; }
  void reset(int index, Tensor *tensor) { tensors[index] = tensor; }
  void erase(int index) { tensors.erase(index); }
  void clear() { tensors.clear(); }

  bool hasIndex(int index) const { return tensors.count(index) != 0; }
  /// Returns null if there is none.
  Tensor *tensor(int index) const;
  /// Throws if there is none.
  const TensorId &id(int index) const;
  const std::map<int, Tensor *> &tensorMap() const { return tensors; }
  std::map<int, TensorId> tensorIdMap() const;
  std::vector<Tensor *> getTensors() const;
  /// Highest index + 1.
  int n() const { return static_cast<int>(tensors.size()); }
  int maxIndex() const {
    return tensors.empty() ? -1 : tensors.rbegin()->first;
  }

private:
  std::map<int, Tensor *> tensors;
};

} // namespace popart

#endif
