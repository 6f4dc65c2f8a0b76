// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registry of the lowerings of operators that programs define. Static
// OpxCreator objects register them.

#ifndef POPULUS_INCLUDE_POPART_POPX_OPXMANAGER_HPP
#define POPULUS_INCLUDE_POPART_POPX_OPXMANAGER_HPP

#include <popart/operatoridentifier.hpp>
#include <popart/popx/opx.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace popart {
namespace popx {

class OpxManager {
public:
  using OpxFactoryFunc =
      std::function<std::unique_ptr<Opx>(Op *op, Devicex *device)>;

  static void registerOpx(const OperatorIdentifier &opid,
                          const OpxFactoryFunc &factory);
};

template <class OPX> class OpxCreator {
public:
  explicit OpxCreator(const OperatorIdentifier &opid) { add(opid); }
  explicit OpxCreator(const std::vector<OperatorIdentifier> &opids) {
    for (const OperatorIdentifier &opid : opids)
      add(opid);
  }
  /// Registers an error message for an operator that cannot be lowered.
  OpxCreator(const OperatorIdentifier &opid, const std::string &errorText) {
    OpxManager::registerOpx(
        opid, [errorText](Op *, Devicex *) -> std::unique_ptr<Opx> {
          throw error(errorText);
        });
  }

private:
  static void add(const OperatorIdentifier &opid) {
    OpxManager::registerOpx(opid, [](Op *op, Devicex *device) {
      return std::unique_ptr<Opx>(new OPX(op, device));
    });
  }
};

} // namespace popx
} // namespace popart

#endif
