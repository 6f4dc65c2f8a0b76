// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model as its operators see it.

#ifndef POPULUS_INCLUDE_POPART_IR_HPP
#define POPULUS_INCLUDE_POPART_IR_HPP

#include <popart/sessionoptions.hpp>

#include <cstdint>
#include <string>

namespace popart {

class Graph;

class Ir {
public:
  const SessionOptions &getSessionOptions() const { return options; }
  SessionOptions &getSessionOptions() { return options; }

  /// Returns a name that was not returned before.
  TensorId createIntermediateTensorId(const TensorId &base) {
    return base + "__t" + std::to_string(nextTensor++);
  }
  Graph &getMainGraph();
  const Graph &getMainGraph() const {
    return const_cast<Ir *>(this)->getMainGraph();
  }

private:
  friend class Graph;

  SessionOptions options;
  std::uint64_t nextTensor = 0;
  Graph *main = nullptr;
};

} // namespace popart

#endif
