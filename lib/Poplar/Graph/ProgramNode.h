// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of a program::Program: one node of a control program. Programs share
// nodes. A node never changes once it is made, except that a Sequence or Switch
// with a single owner grows in place.

#ifndef POPULUS_LIB_POPLAR_GRAPH_PROGRAMNODE_H
#define POPULUS_LIB_POPLAR_GRAPH_PROGRAMNODE_H

#include "lib/Poplar/Graph/ReplicaCopies.h"

#include <poplar/DataStream.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/Program.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace poplar::core {

struct ProgramNode {
  /// ProgramNodes.def tells which fields a kind uses.
  enum Kind {
#define NODE(KIND, ...) KIND,
#include "lib/Poplar/Graph/ProgramNodes.def"
  };

  Kind kind = Sequence;
  std::string name;
  std::uint32_t index = 0;
  Tensor source, tensor;
  DataStream stream;
  RemoteBuffer remote;
  HostFunction hostFunction;
  std::vector<Tensor> tensors;
  std::vector<ReplicaCopy> replicaCopies;
  std::string text;
  SyncType sync = SyncType::INTERNAL;
  bool flag = false;
  std::vector<program::Program> children;
  std::vector<std::int32_t> values;
};

const char *kindName(ProgramNode::Kind kind);

} // namespace poplar::core

#endif
