// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gp-dump shows what is in a codelet archive or a compiled program: its vertex
// types and its code.

#include "lib/Archive/FileOutput.h"
#include "lib/Codelet/CrashGuard.h"
#include "runtime/Format/Ipux.h"
#include "runtime/Support/OutputFile.h"
#include "runtime/Support/TemporaryFile.h"
#include "tools/HelpFormatter.h"
#include "tools/OptionSuggestion.h"
#include "tools/gp-dump/ExecutableReport.h"
#include "tools/gp-dump/ImageFile.h"
#include "tools/gp-dump/ObjectFile.h"
#include "tools/gp-dump/Report.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <fstream>
#include <llvm/ADT/StringRef.h>

using namespace populus;
using namespace populus::gpdump;

namespace {

void print(std::FILE *file, const std::string &text) {
  std::fwrite(text.data(), 1, text.size(), file);
}

/// Returns true for an archive, which is recognised by its first bytes. Any
/// other file may be a program.
bool isArchive(const std::string &file) {
  std::ifstream stream(file, std::ios::binary);
  char magic[7] = {};
  return !stream.read(magic, sizeof(magic)) ||
         std::string(magic, sizeof(magic)) == "!<arch>";
}

void keepTarget(archive::VertexType &type, const std::string &target) {
  for (std::size_t i = type.targets.size(); i-- != 0;) {
    if (type.targets[i].target == target)
      continue;
    type.targets.erase(type.targets.begin() + i);
    for (archive::Field &field : type.fields)
      field.places.erase(field.places.begin() + i);
  }
}

/// Keeps only the code for one target. Returns false if there is none.
bool keepTarget(archive::Archive &archive, const std::string &target) {
  for (archive::VertexType &type : archive.vertexTypes)
    keepTarget(type, target);
  std::erase_if(archive.vertexTypes, [](const archive::VertexType &type) {
    return type.targets.empty();
  });
  std::erase_if(archive.objects, [&](const archive::Object &object) {
    return object.target != target;
  });
  return !archive.objects.empty();
}

int noTarget(const std::string &file, const std::string &target) {
  print(stderr, "gp-dump: error: " + file + " has nothing for target '" +
                    target + "'; without --target everything is shown\n");
  return 1;
}

/// Calls what reads the objects of an archive. LLVM's readers end the process
/// where an object is damaged in some ways; that is an error of the file.
template <typename Function>
auto reading(const std::string &file, const Function &function) {
  decltype(function()) result;
  std::exception_ptr own;
  const codelet::CrashGuard guard;
  const codelet::Outcome outcome = guard.run([&] {
    try {
      result = function();
    } catch (...) {
      own = std::current_exception();
    }
  });
  if (own)
    std::rethrow_exception(own);
  if (outcome.ending == codelet::Ending::Refused)
    throw archive::ArchiveError(file + ": an object in it is damaged (" +
                                llvm::StringRef(outcome.reason).rtrim().str() +
                                "); build it again with popc");
  if (outcome.ending != codelet::Ending::Normal)
    throw archive::ArchiveError(file + ": an object in it is damaged; build it "
                                       "again with popc");
  return result;
}

int run(const std::string &file, const Parts &parts, const std::string &target,
        bool json) {
  if (!isArchive(file)) {
    const auto executable = runtime::readExecutable(file);
    if (!target.empty() && executable->target != target)
      return noTarget(file, target);
    print(stdout, json ? jsonReport(*executable, file, parts)
                       : textReport(*executable, parts));
    return 0;
  }
  archive::Archive archive = archive::Archive::read(file);
  if (!target.empty() && !keepTarget(archive, target))
    return noTarget(file, target);
  print(stdout, reading(file, [&] {
          return json ? jsonReport(archive, file, parts)
                      : textReport(archive, file, parts);
        }));
  return 0;
}

int writeOutput(const std::string &output,
                const std::vector<std::uint8_t> &bytes) {
  const std::string error = archive::writeFile(output, bytes);
  if (error.empty())
    return 0;
  print(stderr, "gp-dump: error: " + error + "\n");
  return 1;
}

int noMember(const std::string &file, const std::string &kind,
             const std::string &member, const std::string &names) {
  print(stderr, "gp-dump: error: " + file + " has no " + kind + " '" + member +
                    "'; it has " + (names.empty() ? "none" : names) + "\n");
  return 1;
}

/// Writes one linked image of a program as a file for other tools.
int extractImage(const std::string &file, const std::string &member,
                 const std::string &output) {
  const auto executable = runtime::readExecutable(file);
  std::string names;
  for (std::size_t i = 0; i != executable->images.size(); ++i) {
    const std::string name = "image." + std::to_string(i);
    names += (names.empty() ? "" : ", ") + name;
    if (name == member)
      return writeOutput(output, imageFile(executable->images[i]));
  }
  return noMember(file, "code image", member, names);
}

/// Writes one object of an archive as a file for other tools.
int extract(const std::string &file, const std::string &member,
            const std::string &output) {
  if (!isArchive(file))
    return extractImage(file, member, output);
  const archive::Archive archive = archive::Archive::read(file);
  std::string names;
  for (const archive::Object &object : archive.objects) {
    const std::string name = object.source + "." + object.target;
    names += (names.empty() ? "" : ", ") + name;
    if (name == member)
      return writeOutput(output, reading(file, [&] {
                           return ObjectFile(object, file).relocated();
                         }));
  }
  return noMember(file, "object", member, names);
}

int runMain(int argc, char **argv) {
  CLI::App app{"Shows the vertex types, the symbols and the code in a codelet "
               "archive (.gp) or a compiled program (.ipux). It changes "
               "nothing and runs nothing.",
               "gp-dump"};
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", "gp-dump " POPULUS_VERSION);
  std::string file;
  Parts parts;
  bool json = false;
  app.add_option("FILE", file, "the archive or program")
      ->option_text(" ")
      ->required();
  app.add_flag("--vertices", parts.vertices,
               "vertex types with their fields (the default)");
  app.add_flag("--sections", parts.sections, "sections of the objects");
  app.add_flag("--symbols", parts.symbols, "symbols of the objects");
  app.add_flag("--disassemble,-d", parts.disassembly, "code of the objects");
  app.add_flag("--size", parts.size, "bytes of code and data");
  std::string target, member, output;
  app.add_option("--target", target,
                 "only what is for this target (default: all)")
      ->option_text("NAME");
  app.add_flag("--json", json, "as JSON");
  CLI::Option *outputOption =
      app.add_option("-o", output, "the file that --extract writes")
          ->option_text("FILE");
  app.add_option("--extract", member,
                 "write the object SOURCE.TARGET of an archive as an ELF file, "
                 "relocated as if it were linked alone, or the linked code "
                 "image.N of a program")
      ->option_text("NAME")
      ->needs(outputOption);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &request) {
    return app.exit(request);
  } catch (const CLI::ParseError &error) {
    print(stderr, "gp-dump: error: " +
                      explainUsage(error, app, {argv + 1, argv + argc}) +
                      "; see gp-dump --help\n");
    return 2;
  }
  if (!parts.sections && !parts.symbols && !parts.disassembly && !parts.size)
    parts.vertices = true;
  try {
    return member.empty() ? run(file, parts, target, json)
                          : extract(file, member, output);
  } catch (const archive::ArchiveError &error) {
    print(stderr, std::string("gp-dump: error: ") + error.what() + "\n");
    return 1;
  } catch (const runtime::FormatError &error) {
    print(stderr, std::string("gp-dump: error: ") + error.what() + "\n");
    return 1;
  } catch (const std::exception &error) {
    print(stderr, std::string("gp-dump: error: internal error: ") +
                      error.what() + "\n");
    return 70;
  }
}

} // namespace

int main(int argc, char **argv) {
  runtime::removeTemporaryFilesOnSignals();
  return runtime::finishOutput("gp-dump", runMain(argc, argv));
}
