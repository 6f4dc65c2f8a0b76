// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A server of the Debug Adapter Protocol, the way in which editors talk to
// debuggers. A worker is a thread of the protocol; frames, locals, fields of
// the vertex, registers and tensors are its scopes. Stepping back is running
// again, as on the command line.

#ifndef POPULUS_TOOLS_IPU_DBG_DAP_H
#define POPULUS_TOOLS_IPU_DBG_DAP_H

#include "DapConnection.h"
#include "SourceFiles.h"

#include "lib/Debugger/Inspector.h"

namespace populus::dbg {

using namespace debugger;

class Dap final : public FrontEnd {
public:
  Dap(Debugger &debugger, SourceFiles &sources, int in, std::FILE *out);

  Motion stopped(const Stop &stop) override;

private:
  using Result = std::optional<Motion>;
  struct Request {
    const char *name;
    Result (Dap::*run)(const Json &request, const Json &arguments);
  };
  static const Request Table[];

  Result initialize(const Json &request, const Json &arguments);
  Result launch(const Json &request, const Json &arguments);
  Result configurationDone(const Json &request, const Json &arguments);
  Result setBreakpoints(const Json &request, const Json &arguments);
  Result setFunctionBreakpoints(const Json &request, const Json &arguments);
  Result setExceptionBreakpoints(const Json &request, const Json &arguments);
  Result threads(const Json &request, const Json &arguments);
  Result stackTrace(const Json &request, const Json &arguments);
  Result scopes(const Json &request, const Json &arguments);
  Result variables(const Json &request, const Json &arguments);
  Result evaluateText(const Json &request, const Json &arguments);
  Result go(const Json &request, const Json &arguments);
  Result next(const Json &request, const Json &arguments);
  Result stepIn(const Json &request, const Json &arguments);
  Result stepOut(const Json &request, const Json &arguments);
  Result stepBack(const Json &request, const Json &arguments);
  Result reverseContinue(const Json &request, const Json &arguments);
  Result pause(const Json &request, const Json &arguments);
  Result restart(const Json &request, const Json &arguments);
  Result disconnect(const Json &request, const Json &arguments);

  Result execute(const Json &request);
  void announce(const Stop &stop);
  void replace(std::vector<unsigned> &numbers, Json list, const Json &request,
               const std::function<std::string(const Json &)> &place,
               const std::string &file);
  void selectThread(std::int64_t id);
  std::int64_t threadOf(unsigned context) const {
    return std::int64_t(debugger.tile()) * 8 + context + 1;
  }

  /// A value that the editor may open, or a scope.
  struct Opened {
    std::vector<std::pair<std::string, Value>> parts;
  };
  std::int64_t open(std::vector<std::pair<std::string, Value>> parts);
  Json shown(const std::string &name, const Value &value);

  Debugger &debugger;
  Inspector view;
  SourceFiles &sources;
  DapConnection connection;
  std::map<std::string, std::vector<unsigned>> lineBreakpoints; // by file
  std::vector<unsigned> functionBreakpoints, exceptionBreakpoints;
  std::vector<Opened> opened; // of this stop
  bool stopsOnEntry = false;
  bool isConfigured = false;
  bool ended = false;
};

} // namespace populus::dbg

#endif
