// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types and shapes of inputs that the model leaves open.

#ifndef POPULUS_INCLUDE_POPART_INPUTSHAPEINFO_HPP
#define POPULUS_INCLUDE_POPART_INPUTSHAPEINFO_HPP

#include <popart/tensorinfo.hpp>

#include <map>
#include <vector>

namespace popart {

class InputShapeInfo {
public:
  void add(const TensorId &id, const TensorInfo &info) { infos[id] = info; }
  bool has(const TensorId &id) const { return infos.count(id) != 0; }
  const TensorInfo &get(const TensorId &id) const { return infos.at(id); }
  std::vector<TensorId> getAllTensorIds() const {
    std::vector<TensorId> ids;
    for (const auto &entry : infos)
      ids.push_back(entry.first);
    return ids;
  }

private:
  std::map<TensorId, TensorInfo> infos;
};

} // namespace popart

#endif
