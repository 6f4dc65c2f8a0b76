// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM knows how to ask.

#include "lib/Translate/HostProcessor.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/TargetParser/Host.h>

#include <set>

namespace populus::translate {

const HostProcessor &hostProcessor() {
  static const HostProcessor processor = [] {
    HostProcessor result{llvm::sys::getHostCPUName().str(), {}};
    std::set<std::string> present;
    for (const auto &feature : llvm::sys::getHostCPUFeatures())
      if (feature.second)
        present.insert(feature.first().str());
    for (const std::string &feature : present)
      result.features += (result.features.empty() ? "+" : ",+") + feature;
    return result;
  }();
  return processor;
}

} // namespace populus::translate
