// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that set the floating-point exceptions and the rounding of tiles for
// the vertices that run after them. Vertices that run as host code (CPU, IPU
// Model) are not affected.

#ifndef POPULUS_INCLUDE_POPLAR_CSRFUNCTIONS_HPP
#define POPULUS_INCLUDE_POPLAR_CSRFUNCTIONS_HPP

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplar {

struct FloatingPointBehaviour {
  /// Stop at an invalid operation, a division by zero, an overflow.
  bool inv = true;
  bool div0 = true;
  bool oflo = true;
  /// Round halves stochastically.
  bool esr = true;
  /// An overflow of a half gives a NaN, not the largest number.
  bool nanoo = true;

  FloatingPointBehaviour(bool inv, bool div0, bool oflo, bool esr, bool nanoo)
      : inv(inv), div0(div0), oflo(oflo), esr(esr), nanoo(nanoo) {}
  FloatingPointBehaviour() {}

  /// Inverts every setting.
  FloatingPointBehaviour operator!() const {
    return FloatingPointBehaviour(!inv, !div0, !oflo, !esr, !nanoo);
  }
};

/// Sets all settings to those of `behaviour`.
void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const FloatingPointBehaviour &behaviour,
                               const DebugContext &debugContext = {});
/// Restores the settings that getAndModifyFloatingPointBehaviour returned.
void setFloatingPointBehaviour(Graph &graph, program::Sequence &prog,
                               const Tensor &behaviour,
                               const DebugContext &debugContext = {});
/// Clears the settings that are true in `clear`, then sets those that are true
/// in `set`. Returns the previous settings.
Tensor getAndModifyFloatingPointBehaviour(
    Graph &graph, program::Sequence &prog, const FloatingPointBehaviour &clear,
    const FloatingPointBehaviour &set, const DebugContext &debugContext = {});
void setStochasticRounding(Graph &graph, program::Sequence &prog, bool enable,
                           const DebugContext &debugContext = {});

} // namespace poplar

#endif
