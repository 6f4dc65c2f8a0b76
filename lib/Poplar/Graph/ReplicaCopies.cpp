// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Poplar/Graph/ReplicaCopies.h"

#include "lib/Poplar/Graph/Access.h"
#include "lib/Poplar/Graph/ProgramNode.h"

#include <memory>
#include <utility>

namespace poplar::core {

program::Program makeReplicaCopies(std::vector<ReplicaCopy> copies,
                                   const DebugContext &debugContext) {
  std::vector<Tensor> sources, destinations;
  for (const ReplicaCopy &copy : copies) {
    if (copy.source.numElements() != copy.destination.numElements() ||
        copy.source.elementType() != copy.destination.elementType())
      throw control_program_error(
          "a copy between replicas from a tensor of shape " +
          copy.source.shapeToString() + " to one of shape " +
          copy.destination.shapeToString());
    sources.push_back(copy.source.flatten());
    destinations.push_back(copy.destination.flatten());
  }
  auto node = std::make_shared<ProgramNode>();
  node->kind = ProgramNode::CrossReplica;
  node->name = debugContext.getPathName();
  node->source = concat(sources);
  node->tensor = concat(destinations);
  node->replicaCopies = std::move(copies);
  return Access::program(std::move(node));
}

} // namespace poplar::core
