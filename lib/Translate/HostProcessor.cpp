// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM knows how to ask, and what other processors have.

#include "lib/Translate/HostProcessor.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>

namespace populus::translate {

namespace {

constexpr const char *Variable = "POPULUS_TRANSLATION_PROCESSOR";

/// Leaves of the host's features what the processor of that name has, too.
void restrictTo(const std::string &name, std::set<std::string> &features) {
  registerHostTarget();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    throw std::runtime_error(error);
  const std::unique_ptr<llvm::MCSubtargetInfo> host(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!host->isCPUStringValid(name))
    throw std::runtime_error(std::string(Variable) + " is '" + name +
                             "', which LLVM does not know; x86-64-v3 and "
                             "haswell are examples");
  const std::unique_ptr<llvm::MCSubtargetInfo> chosen(
      target->createMCSubtargetInfo(triple, name, ""));
  std::erase_if(features, [&](const std::string &feature) {
    return !chosen->checkFeatures("+" + feature);
  });
}

} // namespace

void registerHostTarget() {
  // Threads translate at the same time, but LLVM's list of targets is one.
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

const HostProcessor &hostProcessor() {
  static const HostProcessor processor = [] {
    HostProcessor result{llvm::sys::getHostCPUName().str(), {}};
    std::set<std::string> present;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      if (feature.second)
        present.insert(feature.first().str());
    if (const char *chosen = std::getenv(Variable); chosen && *chosen) {
      restrictTo(chosen, present);
      result.name = chosen;
    }
    for (const std::string &feature : present)
      result.features += (result.features.empty() ? "+" : ",+") + feature;
    return result;
  }();
  return processor;
}

} // namespace populus::translate
