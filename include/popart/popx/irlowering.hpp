// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lowering of a model to a program, as its operators see it.

#ifndef POPULUS_INCLUDE_POPART_POPX_IRLOWERING_HPP
#define POPULUS_INCLUDE_POPART_POPX_IRLOWERING_HPP

#include <popart/ir.hpp>

#include <poplar/Graph.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>

namespace popart {
namespace popx {

class IrLowering {
public:
  IrLowering(const Ir &ir, poplar::Graph &graph) : model(ir), target(graph) {}

  const Ir &ir() const { return model; }
  poplar::Graph &graph() { return target; }
  std::uint32_t getReplicationFactor() const {
    return target.getReplicationFactor();
  }
  std::uint32_t getGlobalReplicationFactor() const {
    return getReplicationFactor();
  }

  poplin::PlanningCache convCache;
  poplin::matmul::PlanningCache matmulCache;

private:
  const Ir &model;
  poplar::Graph &target;
};

} // namespace popx
} // namespace popart

#endif
