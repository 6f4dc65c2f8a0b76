// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device for which operators are lowered.

#ifndef POPULUS_INCLUDE_POPART_POPX_DEVICEX_HPP
#define POPULUS_INCLUDE_POPART_POPX_DEVICEX_HPP

#include <popart/ir.hpp>
#include <popart/names.hpp>

#include <poplar/Graph.hpp>

#include <cstdint>

namespace popart {
namespace popx {

class IrLowering;

class Devicex {
public:
  explicit Devicex(IrLowering &lowering) : irLowering(lowering) {}

  IrLowering &lowering() { return irLowering; }
  const IrLowering &lowering() const { return irLowering; }
  const Ir &ir() const;
  std::uint32_t getReplicationFactor() const;
  std::uint32_t getGlobalReplicationFactor() const;

private:
  IrLowering &irLowering;
};

} // namespace popx
} // namespace popart

#endif
