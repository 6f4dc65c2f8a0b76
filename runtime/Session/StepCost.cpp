// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prices are those of runtime/Target/Timing.h; here is what a step has to pay.

#include "runtime/Session/StepCost.h"

#include "runtime/Session/ExchangePlan.h"
#include "runtime/Session/TensorIo.h"
#include "runtime/Target/Timing.h"

namespace populus::runtime {

StepCost::StepCost(const Executable &program)
    : program(program), info(targetOf(program)) {}

Cycles StepCost::exchange(const Exchange &exchange) const {
  Cycles cycles;
  if (!takesTime())
    return cycles;
  const ExchangeCost cost = costOf(info, program, exchange);
  cycles.exchange = cost.cycles;
  cycles.sync = cost.syncCycles;
  return cycles.addUp();
}

Cycles StepCost::transfer(std::span<const std::uint32_t> tensors) const {
  Cycles cycles;
  if (!takesTime())
    return cycles;
  cycles.sync = timing::globalSyncCycles(info);
  for (std::uint32_t tensor : tensors)
    cycles.host +=
        timing::hostTransferCycles(info, tensorBytes(program.tensors[tensor]),
                                   busiestTileBytes(program, tensor));
  return cycles.addUp();
}

Cycles StepCost::sync(std::uint32_t kind) const {
  Cycles cycles;
  if (takesTime())
    cycles.sync = kind == 0 ? timing::internalSyncCycles(info)
                            : timing::globalSyncCycles(info);
  return cycles.addUp();
}

Cycles StepCost::control() const {
  Cycles cycles;
  if (takesTime())
    cycles.compute = timing::ControlCycles;
  return cycles.addUp();
}

} // namespace populus::runtime
