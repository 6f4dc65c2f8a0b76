// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ipu-dbg: debugs an executable file. The order of things and exit codes; the
// debugger is lib/Debugger.

#include "Commands.h"
#include "Dap.h"
#include "Options.h"

#include "lib/Debugger/Debugger.h"
#include "runtime/Format/Ipux.h"
#include "runtime/Support/OutputFile.h"
#include "tools/ipu-run/RunInputs.h"

#include <csignal>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace populus::dbg {
namespace {

using namespace runtime;

Debugger *interrupted = nullptr;

void addFile(const std::string &file, std::deque<std::string> &script) {
  std::ifstream stream(file);
  if (!stream)
    throw run::UsageError("--script " + file + ": the file cannot be read");
  for (std::string line; std::getline(stream, line);)
    script.push_back(line);
}

/// Speaks with an editor. Standard output is for messages only, so prints of
/// the program go to the error stream.
void serve(Debugger &debugger, SourceFiles &sources) {
  const int copy = ::dup(STDOUT_FILENO);
  if (copy < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw run::InputError("standard output cannot be used");
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> out(
      ::fdopen(copy, "w"), &std::fclose);
  Dap dap(debugger, sources, STDIN_FILENO, out.get());
  debugger.run(dap);
}

int debug(const Options &options) {
  std::deque<std::string> script;
  for (const std::string &file : options.scripts)
    addFile(file, script);
  script.insert(script.end(), options.commands.begin(), options.commands.end());
  const VerifiedExecutable executable = readExecutable(options.file);
  if (executable->device != DeviceKind::Ipu)
    throw run::UsageError(options.file +
                          " holds host code, which gdb debugs; ipu-dbg needs "
                          "a program for the IPU device");
  if (executable->programs.empty())
    throw run::InputError(options.file + " holds no program");
  run::Streams streams(*executable);
  run::setInputs(streams, options.testData, options.inputs);
  SessionOptions session;
  session.engine = options.engine;
  session.maxCycles = options.maxCycles;
  Debugger debugger(
      *executable,
      [&](const SessionOptions &given) {
        std::unique_ptr<Session> made = Session::create(executable, given);
        streams.connect(*made);
        streams.startRun();
        return made;
      },
      session);
  SourceFiles sources(options.directories);
  interrupted = &debugger;
  std::signal(SIGINT, [](int) { interrupted->interrupt(); });
  if (options.dap) {
    serve(debugger, sources);
    return run::Success;
  }
  Commands commands(debugger, sources, std::move(script), options.batch);
  debugger.run(commands);
  return commands.hasFailed() ? run::Failed : run::Success;
}

int runMain(int argc, char **argv) {
  const auto fail = [](int code, const std::string &message) {
    std::cerr << "ipu-dbg: error: " << message << std::endl;
    return code;
  };
  try {
    const std::optional<Options> options = parseCommandLine(argc, argv);
    return options ? debug(*options) : int(run::Success);
  } catch (const run::UsageError &error) {
    return fail(run::WrongUsage, error.what());
  } catch (const run::InputError &error) {
    return fail(run::Failed, error.what());
  } catch (const FormatError &error) {
    return fail(run::Failed, error.what());
  } catch (const RunError &error) {
    return fail(run::Failed, error.what());
  } catch (const std::bad_alloc &) {
    return fail(run::Failed, "out of host memory");
  } catch (const std::exception &error) {
    return fail(run::InternalError,
                std::string("internal error: ") + error.what());
  }
}

} // namespace
} // namespace populus::dbg

int main(int argc, char **argv) {
  return populus::runtime::finishOutput("ipu-dbg",
                                        populus::dbg::runMain(argc, argv));
}
