// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module of a session, as a source of the driver: the imported model with
// pipeline stages, custom patterns and training.

#ifndef POPULUS_LIB_POPART_INTERFACE_SESSIONMODULE_H
#define POPULUS_LIB_POPART_INTERFACE_SESSIONMODULE_H

#include "lib/PopART/IR/Module.h"
#include "lib/PopART/Interface/SessionProgram.h"
#include "lib/PopART/Request.h"
#include "lib/PopART/Training/Training.h"

#include <map>
#include <memory>
#include <string>

namespace popart::session {

class SessionSource : public populus::popir::Source {
public:
  explicit SessionSource(const Setup &setup) : setup(setup) {}

  void addTo(populus::popir::OptionKey &key) const override;
  /// The key does not cover what transforms do.
  bool isCacheable() const override { return setup.customTransforms.empty(); }
  populus::popir::Module &module(populus::popir::Request &request) override;
  void afterPasses(populus::popir::Module &module) override;

  /// The tensors before any pass.
  std::map<std::string, Info> infos;
  /// The variables that training adds to the weights.
  populus::popir::States states;
  /// Anchored inputs, by the name of their stream to the host.
  std::map<std::string, std::string> returnedInputs;

private:
  void importSetup();
  void returnInputs();

  const Setup &setup;
  std::unique_ptr<populus::popir::Module> imported;
};

/// The stream that returns an anchor to the host.
std::string streamOf(const SessionSource &source, const std::string &anchor);

} // namespace popart::session

#endif
