// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options are told apart by the groups of Clang's table and by their names in
// it, which are without dashes and end with "=" where a value is joined.

#include "lib/Codelet/ClangOptions.h"

#include <clang/Driver/Options.h>
#include <llvm/ADT/StringSwitch.h>

namespace populus::codelet {

namespace {

namespace id = clang::driver::options;

constexpr const char *OtherResult =
    "popc makes archives, objects, assembly, LLVM IR, preprocessed text and "
    "dependencies";
constexpr const char *Question =
    "it asks about an installation of Clang, which popc is not";
constexpr const char *NeedsRuntime =
    "it needs a run-time library that does not exist for codelets";
constexpr const char *NamesNoCounts =
    "name the counts, -fprofile-use=FILE, which ipu-report DIR --lcov FILE "
    "writes";
constexpr const char *EachAlone =
    "popc optimises each source alone; include one in the other";
constexpr const char *NoPlugins = "popc loads no plug-ins of Clang and LLVM";
constexpr const char *OtherCommandLine =
    "popc's command line has one form, that of clang";
constexpr const char *OwnHeaderCache =
    "popc precompiles headers itself, for each target";
constexpr const char *InTheObject =
    "debug information and bitcode stay where they are needed, in objects (-g) "
    "and files of their own (-emit-llvm)";
constexpr const char *NoTimes = "popc does not write such a file; try "
                                "-ftime-report";
constexpr const char *WorkingDirectory =
    "popc keeps temporaries in the working directory; write --save-temps";

constexpr const char *NoLinking = "popc does not link programs";
constexpr const char *OwnHeaders =
    "the headers of the C and C++ libraries are popc's own";
constexpr const char *OwnTools = "popc has its own assembler and linker";

} // namespace

const char *refusalOf(const llvm::opt::Option &option) {
  if (option.matches(id::OPT_Action_Group))
    return OtherResult;
  return llvm::StringSwitch<const char *>(option.getName())
      .Cases("analyze", "emit-ast", "precompile", "rewrite-legacy-objc",
             OtherResult)
      .Cases("autocomplete=", "dumpspecs", Question)
      .StartsWith("print-", Question)
      .StartsWith("fprofile-generate", NeedsRuntime)
      .Cases("fprofile-use", "fprofile-instr-use",
             "fprofile-instr-use=", NamesNoCounts)
      .StartsWith("fprofile-instr-generate", NeedsRuntime)
      .StartsWith("fcs-profile-generate", NeedsRuntime)
      .StartsWith("fmemory-profile", NeedsRuntime)
      .Cases("coverage", "fprofile-arcs", "ftest-coverage", "fcoverage-mapping",
             "fcreate-profile", NeedsRuntime)
      .Cases("p", "pg", "fsplit-stack", "fxray-instrument", NeedsRuntime)
      .Cases("flto", "flto=", EachAlone)
      .Cases("fplugin=", "fpass-plugin=", NoPlugins)
      .Case("driver-mode=", OtherCommandLine)
      .Case("include-pch", OwnHeaderCache)
      .StartsWith("gsplit-dwarf", InTheObject)
      .StartsWith("fembed-bitcode", InTheObject)
      .StartsWith("ftime-trace", NoTimes)
      .Case("save-temps=", WorkingDirectory)
      .Default(nullptr);
}

const char *reasonForNoEffect(const llvm::opt::Arg &argument) {
  const llvm::opt::Option &option = argument.getOption();
  if (option.matches(id::OPT_Link_Group))
    return NoLinking;
  if (option.matches(id::OPT_stdlib_EQ))
    return llvm::StringRef(argument.getValue()) == "libc++" ? nullptr
                                                            : OwnHeaders;
  return llvm::StringSwitch<const char *>(option.getName())
      .Cases("static-libgcc", "static-libstdc++", NoLinking)
      .Cases("sysroot", "sysroot=", "isysroot",
             "gcc-toolchain=", "gcc-install-dir=", OwnHeaders)
      .Cases("nostdinc", "nostdinc++", "nostdlibinc", "nobuiltininc",
             OwnHeaders)
      .Cases("fno-integrated-as", "fuse-ld=", "B", OwnTools)
      .Default(nullptr);
}

} // namespace populus::codelet
