// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operators models can have.

#ifndef POPULUS_INCLUDE_POPART_SUPPORTEDOPERATIONS_HPP
#define POPULUS_INCLUDE_POPART_SUPPORTEDOPERATIONS_HPP

#include <popart/operatoridentifier.hpp>
#include <popart/opmanager.hpp>

#include <map>
#include <vector>

namespace popart {

/// Each with the opset versions in which its forms appeared; those that only
/// the compiler makes, too, where `includeInternal`.
std::vector<OperatorIdentifier> getSupportedOperations(bool includeInternal);

/// The same with what each may be given.
std::map<OperatorIdentifier, OpDefinition>
getSupportedOperationsDefinition(bool includeInternal);

} // namespace popart

#endif
