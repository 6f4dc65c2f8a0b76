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
  enum Kind {
    Sequence,       // children; flag: a block, which profiles name
    Execute,        // index: compute set
    Copy,           // source, tensor: destination
    StreamToDevice, // stream, tensor: destination
    DeviceToStream, // tensor: source, stream
    Repeat,         // index: count; child 0
    RepeatWhile,    // children: condition, body; tensor: predicate; flag: value
    If,             // tensor: predicate; children: then, else
    Switch,         // tensor: control; values; children: cases, default
    Call,           // index: function
    Print,          // text: title; tensor; values: format, if any
    WriteUndef,     // tensor
    Sync,           // sync
    Abort,          // text: message
    AbortIf,        // tensor: predicate; text: message
    CycleStamp,     // tensor; index: 1 to subtract what it holds
    RemoteToDevice, // remote, tensor: destination; source: offset, if any
    DeviceToRemote, // tensor: source, remote; source: offset, if any
    CrossReplica,   // replicaCopies; source, tensor: all of their tensors
    HostCall,       // hostFunction; tensors: inputs, then outputs
    AssumeEqual,    // tensor
    FloatControl,   // values: bits to clear, to set; tensor: receives the old
    FloatRestore,   // tensor
    ReadSeeds,      // tensor
    WriteSeeds,     // tensor
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
