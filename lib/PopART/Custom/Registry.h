// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registry of custom operators by identifier: factory, accepted operands,
// and lowering. Static objects of programs and of shared libraries fill it.

#ifndef POPULUS_LIB_POPART_CUSTOM_REGISTRY_H
#define POPULUS_LIB_POPART_CUSTOM_REGISTRY_H

#include <popart/opmanager.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/shapeinference.hpp>

namespace populus::popir {

struct CustomDefinition {
  popart::OpDefinition definition;
  popart::OpManager::OpFactoryFunc factory;
  popart::popx::OpxManager::OpxFactoryFunc opx;
  popart::ShapeInferenceFunction shapes;
};

/// Null if the operator is not registered.
const CustomDefinition *findCustom(const popart::OperatorIdentifier &id);

} // namespace populus::popir

#endif
