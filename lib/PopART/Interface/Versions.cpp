// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Version of the interface, and the operators that it supports.

#include "lib/PopART/IR/OpTable.h"
#include "lib/PopART/Import/ControlFlow.h"
#include "lib/PopART/Import/Decomposition.h"
#include "lib/PopART/Interface/SessionProgram.h"

#include <popart/supportedoperations.hpp>
#include <popart/version.hpp>

namespace popart {

namespace {

constexpr core::VersionNumber Version = {3, 4, 0};

void add(std::vector<OperatorIdentifier> &operations,
         const populus::popir::OpDefinition &definition) {
  const std::string domain =
      definition.domain.empty() ? "ai.onnx" : definition.domain;
  for (const int version : definition.versions)
    operations.emplace_back(domain, definition.type, version);
}

} // namespace

std::vector<OperatorIdentifier> getSupportedOperations(bool includeInternal) {
  using namespace populus;
  std::vector<OperatorIdentifier> operations;
  for (const popir::OpDefinition *definition : popir::allOps())
    if (includeInternal || !definition->isInternal)
      add(operations, *definition);
  for (const popir::OpDefinition &definition : popir::controlFlowOps())
    add(operations, definition);
  for (const popir::Decomposition *decomposition : popir::allDecompositions()) {
    const popir::OpDefinition &definition = decomposition->definition;
    if (popir::newestVersion({definition.domain, definition.type, 0},
                             definition.versions.back()) == 0)
      add(operations, definition); // it has no class
  }
  return operations;
}

core::VersionNumber core::versionNumber() { return Version; }

std::string core::versionString() {
  return std::to_string(Version.major) + "." + std::to_string(Version.minor) +
         "." + std::to_string(Version.point);
}

std::string core::packageHash() { return session::buildHash(); }

} // namespace popart
