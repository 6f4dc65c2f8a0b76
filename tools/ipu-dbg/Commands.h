// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of the debugger: reads commands, which have the names that
// gdb gives them, from scripts and from standard input.

#ifndef POPULUS_TOOLS_IPU_DBG_COMMANDS_H
#define POPULUS_TOOLS_IPU_DBG_COMMANDS_H

#include "SourceFiles.h"

#include "lib/Debugger/Inspector.h"

#include <deque>
#include <span>

namespace populus::dbg {

using namespace debugger;

class Commands final : public FrontEnd {
public:
  /// `script`: commands to be executed first. With `batch` the end of the
  /// script ends the session, and so does a command that fails.
  Commands(Debugger &debugger, SourceFiles &sources,
           std::deque<std::string> script, bool batch);

  Motion stopped(const Stop &stop) override;
  /// Returns whether a command has failed in batch mode.
  bool hasFailed() const { return failed; }

private:
  struct Command {
    const char *name;
    const char *alias; // or ""
    const char *usage;
    const char *help;
    /// A motion ends the stop.
    std::optional<Motion> (Commands::*run)(const std::string &arguments);
  };
  static std::span<const Command> table();
  using Result = std::optional<Motion>;

  // Control.cpp
  Result breakAt(const std::string &arguments);
  Result breakOnce(const std::string &arguments);
  Result watch(const std::string &arguments);
  Result watchReads(const std::string &arguments);
  Result watchAccesses(const std::string &arguments);
  Result catchNan(const std::string &arguments);
  Result erase(const std::string &arguments);
  Result enable(const std::string &arguments);
  Result disable(const std::string &arguments);
  Result setCondition(const std::string &arguments);
  Result ignore(const std::string &arguments);
  Result run(const std::string &arguments);
  Result go(const std::string &arguments);
  Result step(const std::string &arguments);
  Result next(const std::string &arguments);
  Result stepBundle(const std::string &arguments);
  Result nextBundle(const std::string &arguments);
  Result finish(const std::string &arguments);
  Result nextVertex(const std::string &arguments);
  Result nextStep(const std::string &arguments);
  Result backBundle(const std::string &arguments);
  Result back(const std::string &arguments);
  Result backGo(const std::string &arguments);
  Result quit(const std::string &arguments);
  Result source(const std::string &arguments);
  Result echo(const std::string &arguments);
  Result help(const std::string &arguments);

  // Looking.cpp
  Result backtrace(const std::string &arguments);
  Result frame(const std::string &arguments);
  Result up(const std::string &arguments);
  Result down(const std::string &arguments);
  Result tile(const std::string &arguments);
  Result worker(const std::string &arguments);
  Result print(const std::string &arguments);
  Result display(const std::string &arguments);
  Result examine(const std::string &arguments);
  Result list(const std::string &arguments);
  Result disassemble(const std::string &arguments);
  Result info(const std::string &arguments);

  void infoBreakpoints();
  void infoRegisters();
  void infoLocals();
  void infoFields();
  void infoTensors();
  void infoThreads();
  void infoTiles();
  void infoProgram();
  void infoLine();

  std::string nextLine();
  Result execute(const std::string &line);
  const Command &find(const std::string &name) const;
  Result move(Motion motion, const std::string &arguments);
  Breakpoint &breakpointOf(const std::string &number);
  void setEnabled(const std::string &arguments, bool enabled);
  Result addData(const std::string &arguments, Breakpoint::Trigger trigger);
  Result addBreakpoint(const std::string &arguments, bool temporary);

  void showStop(const Stop &stop);
  void showPlace();
  void showSource(const SourcePlace &place, unsigned before, unsigned after);
  void showDisplays();
  std::string bundleText(Address pc) const;

  Debugger &debugger;
  Inspector view;
  SourceFiles &sources;
  std::deque<std::string> script;
  const bool batch;
  bool failed = false;
  bool ended = false; // the program
  Motion repeated = Motion::Continue;
  std::uint64_t repeats = 0; // further times
  std::string last;          // command, which an empty line repeats
  std::vector<std::string> displays;
  unsigned listedTo = 0; // the line after those of `list`
  SourcePlace listed;
};

} // namespace populus::dbg

#endif
