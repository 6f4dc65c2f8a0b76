// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists the operators that models may contain.

#ifndef POPULUS_INCLUDE_POPART_SUPPORTEDOPERATIONS_HPP
#define POPULUS_INCLUDE_POPART_SUPPORTEDOPERATIONS_HPP

#include <popart/operatoridentifier.hpp>
#include <popart/opmanager.hpp>

#include <map>
#include <vector>

namespace popart {

/// Lists each operator with the opset versions in which it changed. With
/// `includeInternal`, operators that only the compiler makes are listed as
/// well.
std::vector<OperatorIdentifier> getSupportedOperations(bool includeInternal);

/// The same with the accepted operands, results and attributes.
std::map<OperatorIdentifier, OpDefinition>
getSupportedOperationsDefinition(bool includeInternal);

} // namespace popart

#endif
