// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that programs define, by identifier: how they are made, what they
// take, and what lowers them. Static objects of programs and of shared
// libraries fill it.

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

/// Null where nothing is registered.
const CustomDefinition *findCustom(const popart::OperatorIdentifier &id);

} // namespace populus::popir

#endif
