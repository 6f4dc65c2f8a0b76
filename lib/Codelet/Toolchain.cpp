// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets Clang's driver translate the user's options for the host, which it knows
// better than a table here could, and then replaces what is particular to the
// host: header directories always, the machine for the IPU.

#include "lib/Codelet/Toolchain.h"

#include "lib/Codelet/ToolchainPaths.h"
#include "runtime/Support/OwnFile.h"

#include <clang/Basic/DiagnosticIDs.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Job.h>
#include <clang/Driver/Options.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <filesystem>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/TargetParser/Host.h>
#include <stdexcept>

namespace populus::codelet {

namespace {

constexpr const char *IpuTriple = "ipu-unknown-unknown-elf";

/// Options of -cc1 that describe the host machine: the number of arguments to
/// drop, 0 to keep.
unsigned hostOnly(llvm::StringRef argument) {
  return llvm::StringSwitch<unsigned>(argument)
      .Cases("-triple", "-target-cpu", "-target-feature", "-tune-cpu", 2)
      .Cases("-mrelocation-model", "-pic-level", "-target-abi",
             "-stack-protector", 2)
      .Cases("-pic-is-pie", "-mconstructor-aliases", 1)
      .StartsWith("-mframe-pointer=", 1)
      .StartsWith("-funwind-tables=", 1)
      .StartsWith("-fcf-protection", 1)
      .Default(0);
}

std::vector<std::string> driverArguments(const Options &options,
                                         const Input &input,
                                         const Target &target,
                                         const std::string &output) {
  std::vector<std::string> arguments = {"popc", "-nostdinc", "-resource-dir",
                                        ResourceDirectory, "-O2"};
  bool isCpp = input.language == "c++";
  if (isCpp)
    arguments.insert(arguments.end(),
                     {"-nostdinc++", "-std=gnu++17", "-fno-rtti"});
  // Codelets run without a C++ runtime; float results do not set errno.
  for (const char *argument :
       {"-fPIC", "-fno-exceptions", "-fno-threadsafe-statics",
        "-fno-math-errno", "-fno-stack-protector", "-fcf-protection=none",
        "-fno-ident", "-fno-addrsig", "-D__POPC__=1",
        "-Wno-unused-command-line-argument"})
    arguments.push_back(argument);
  // Results are the same on machines with and without fused multiplications.
  if (!target.info->isIpu())
    arguments.push_back("-ffp-contract=off");
  arguments.insert(arguments.end(), options.clangArguments.begin(),
                   options.clangArguments.end());
  arguments.insert(arguments.end(), target.arguments.begin(),
                   target.arguments.end());
  // A tile supports neither, whatever the options.
  if (target.info->isIpu() && isCpp)
    arguments.insert(arguments.end(), {"-fno-exceptions", "-fno-rtti"});
  bool isPreprocessing = options.mode == Mode::Preprocess ||
                         options.mode == Mode::Dependencies ||
                         input.kind == InputKind::PreprocessedAssembly;
  arguments.push_back(isPreprocessing               ? "-E"
                      : options.mode == Mode::Check ? "-fsyntax-only"
                                                    : "-c");
  // The driver would set up another tool for plain assembly. Only its machine
  // is needed, which is the same for C.
  bool isAssembly = input.kind == InputKind::Assembly;
  arguments.insert(
      arguments.end(),
      {"-o", output, "-x", isAssembly ? "c" : input.language, input.path});
  return arguments;
}

void addHeaders(const Input &input, const runtime::TargetInfo &target,
                std::vector<std::string> &arguments) {
  auto add = [&](const char *option, const std::string &directory) {
    arguments.push_back(option);
    arguments.push_back(directory);
  };
  add("-internal-isystem", includeDirectory());
  if (input.language == "c++") {
    add("-internal-isystem", includeDirectory() + "/populus/c++");
    add("-internal-isystem", LibcxxDirectory);
  }
  add("-internal-isystem", std::string(ResourceDirectory) + "/include");
  if (target.isIpu()) {
    add("-internal-externc-isystem", NewlibDirectory);
  } else {
    if (*HostMultiarchDirectory)
      add("-internal-externc-isystem", HostMultiarchDirectory);
    add("-internal-externc-isystem", "/usr/include");
  }
  // <Vertex.hpp> and "StackSizeDefs.hpp", as older sources have them.
  add("-internal-isystem", includeDirectory() + "/poplar");
}

void addTarget(const runtime::TargetInfo &target,
               std::vector<std::string> &arguments) {
  // The tile rounds after every operation on halves.
  for (const char *argument :
       {"-ffloat16-excess-precision=none", "-fnative-half-type",
        "-fnative-half-arguments-and-returns"})
    arguments.push_back(argument);
  if (!target.isIpu()) {
    // LLVM's table of addresses in DWARF 5 takes the size of an address from
    // the first target that a process compiles for; DWARF 4 has no such table.
    arguments.push_back("-dwarf-version=4");
    // The process that loads the code need not have libc++'s library.
    arguments.push_back("-D_LIBCPP_VERBOSE_ABORT(...)=__builtin_abort()");
    return;
  }
  for (const char *argument :
       {"-triple", IpuTriple, "-mrelocation-model", "static",
        "-ffunction-sections", "-fdata-sections", "-fstack-size-section",
        // Configuration that newlib's and libc++'s headers need for a new
        // machine.
        "-D__IEEE_LITTLE_ENDIAN", "-D_LIBCPP_HAS_NO_THREADS",
        "-D_LIBCPP_HAS_NO_MONOTONIC_CLOCK", "-D_LIBCPP_HAS_NO_LOCALIZATION",
        "-D_LIBCPP_HAS_NO_FILESYSTEM"})
    arguments.push_back(argument);
  arguments.push_back("-target-cpu");
  arguments.push_back(std::string(target.name));
}

/// Host code is loaded by programs on this machine: -m32 and its like are
/// errors.
bool isForThisMachine(const clang::driver::Compilation &compilation,
                      clang::DiagnosticsEngine &diagnostics) {
  const llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  const llvm::Triple &asked = compilation.getDefaultToolChain().getTriple();
  if (asked.getArch() == host.getArch() &&
      asked.getEnvironment() == host.getEnvironment())
    return true;
  unsigned id = diagnostics.getCustomDiagID(
      clang::DiagnosticsEngine::Error,
      "the options ask for code of %0, but host code runs on this machine, %1");
  diagnostics.Report(id) << asked.str() << host.str();
  return false;
}

/// True if the arguments ask for colours. Clang's driver passes this on from
/// its diagnostics, not from its arguments, and would otherwise look whether
/// the error stream is a terminal; a program that compiles codelets is not
/// asked.
bool showColors(llvm::ArrayRef<const char *> arguments) {
  unsigned missing, count;
  llvm::opt::InputArgList list =
      clang::driver::getDriverOptTable().ParseArgs(arguments, missing, count);
  clang::DiagnosticOptions options;
  clang::ParseDiagnosticArgs(options, list, nullptr,
                             /*DefaultDiagColor=*/false);
  return options.ShowColors;
}

} // namespace

std::string tripleOf(const runtime::TargetInfo &target) {
  return target.isIpu() ? IpuTriple : llvm::sys::getDefaultTargetTriple();
}

std::string includeDirectory() {
  const std::filesystem::path self =
      runtime::fileOf(reinterpret_cast<const void *>(&includeDirectory));
  if (self.empty())
    throw std::runtime_error(
        "the folder of the device headers cannot be found: "
        "the system does not say where the compiler lies");
  return (self.parent_path().parent_path() / "include").string();
}

std::vector<std::string>
cc1Arguments(const Options &options, const Input &input, const Target &target,
             const std::string &output,
             std::vector<frontend::Diagnostic> &diagnostics) {
  using namespace clang;
  std::vector<std::string> asked =
      driverArguments(options, input, target, output);
  std::vector<const char *> pointers;
  pointers.reserve(asked.size());
  for (const std::string &argument : asked)
    pointers.push_back(argument.c_str());
  auto diagnosticOptions = llvm::makeIntrusiveRefCnt<DiagnosticOptions>();
  diagnosticOptions->ShowColors = showColors(pointers);
  DiagnosticsEngine engine(
      new DiagnosticIDs, diagnosticOptions,
      new frontend::DiagnosticCollector(diagnostics, *diagnosticOptions));
  driver::Driver driver("popc", llvm::sys::getDefaultTargetTriple(), engine,
                        "popc", llvm::vfs::getRealFileSystem());
  driver.setCheckInputsExist(false);
  driver.setProbePrecompiled(false);

  std::unique_ptr<driver::Compilation> compilation(
      driver.BuildCompilation(pointers));
  if (!compilation || engine.hasErrorOccurred() ||
      compilation->getJobs().empty() || !isForThisMachine(*compilation, engine))
    return {};

  std::vector<std::string> arguments;
  const auto &given = compilation->getJobs().begin()->getArguments();
  // The first says -cc1.
  for (std::size_t i = 1; i < given.size(); ++i) {
    unsigned drop = target.info->isIpu() ? hostOnly(given[i]) : 0;
    if (drop)
      i += drop - 1;
    else
      arguments.push_back(given[i]);
  }
  addHeaders(input, *target.info, arguments);
  addTarget(*target.info, arguments);
  return arguments;
}

} // namespace populus::codelet
