// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits the command line. Clang's own table of options tells which arguments
// are values of others and which are inputs.

#include "lib/Codelet/Options.h"

#include "lib/Codelet/ClangOptions.h"
#include "lib/Codelet/Toolchain.h"
#include "lib/Codelet/ToolchainPaths.h"

#include <clang/Driver/Options.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Option/ArgList.h>
#include <llvm/Option/OptTable.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace populus::codelet {

namespace {

/// The language that Clang's -x gives to a file name's extension.
llvm::StringRef languageOf(llvm::StringRef path) {
  return llvm::StringSwitch<llvm::StringRef>(llvm::sys::path::extension(path))
      .Cases(".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", "c++")
      .Cases(".hpp", ".h", "c++")
      .Case(".c", "c")
      .Cases(".S", ".sx", "assembler-with-cpp")
      .Case(".s", "assembler")
      .Cases(".ll", ".bc", "ir")
      .Case(".gp", "gp")
      .Default("");
}

InputKind kindOf(llvm::StringRef language) {
  return llvm::StringSwitch<InputKind>(language)
      .Case("assembler-with-cpp", InputKind::PreprocessedAssembly)
      .Case("assembler", InputKind::Assembly)
      .Case("gp", InputKind::Archive)
      .Default(InputKind::Source);
}

bool isKnownLanguage(llvm::StringRef language) {
  return llvm::StringSwitch<bool>(language)
      .Cases("c", "c++", "ir", "assembler", "assembler-with-cpp", true)
      .Default(false);
}

std::string targetNames() {
  std::string names;
  for (const runtime::TargetInfo &target : runtime::allTargets())
    names += (names.empty() ? "" : ", ") + std::string(target.name);
  return names;
}

class Parser {
public:
  explicit Parser(Options &options) : options(options) {}

  std::string parse(const std::vector<std::string> &arguments) {
    std::vector<std::string> rest;
    if (std::string error = takeOwn(arguments, rest); !error.empty())
      return error;
    if (std::string error = takeClangs(rest); !error.empty())
      return error;
    return options.isQuestion() ? "" : check();
  }

private:
  /// Options that Clang does not have, or has with another meaning.
  std::string takeOwn(const std::vector<std::string> &arguments,
                      std::vector<std::string> &rest) {
    for (std::size_t i = 0; i != arguments.size(); ++i) {
      llvm::StringRef argument = arguments[i];
      llvm::StringRef name = argument.split('=').first;
      if (name == "--target" || name == "-target" || name == "--targets") {
        bool hasValue = name.size() != argument.size();
        if (!hasValue && i + 1 == arguments.size())
          return "option '" + name.str() + "' needs a list of targets";
        std::string list =
            hasValue ? argument.substr(name.size() + 1).str() : arguments[++i];
        if (std::string error = takeTargets(list); !error.empty())
          return error;
      } else if (argument == "-X") {
        if (i + 1 == arguments.size())
          return "option '-X' needs an option to pass on to Clang";
        rest.push_back(arguments[++i]);
      } else if (name == "--diagnostics") {
        if (std::string error = takeDiagnosticForm(argument); !error.empty())
          return error;
      } else if (argument == "--check-codelets") {
        options.checkCodelets = true;
        options.mode = Mode::Check;
      } else if (argument == "--fix") {
        options.applyFixes = true;
      } else if (argument == "--list-targets") {
        options.listTargets = true;
      } else if (argument == "-emit-llvm" || argument == "--emit-llvm") {
        emitLlvm = true;
      } else if (argument == "--save-temps" || argument == "-save-temps" ||
                 argument == "-save-temps=cwd") {
        options.saveTemps = true;
      } else {
        rest.push_back(arguments[i]);
      }
    }
    return "";
  }

  std::string takeDiagnosticForm(llvm::StringRef argument) {
    const llvm::StringRef form = argument.split('=').second;
    const int value = llvm::StringSwitch<int>(form)
                          .Case("text", int(DiagnosticForm::Text))
                          .Case("json", int(DiagnosticForm::Json))
                          .Case("sarif", int(DiagnosticForm::Sarif))
                          .Default(-1);
    if (value < 0)
      return "'" + argument.str() +
             "': --diagnostics takes =text, =json or =sarif";
    options.diagnosticForm = static_cast<DiagnosticForm>(value);
    return "";
  }

  /// "cpu,ipu2", or a JSON array of names and variants.
  std::string takeTargets(llvm::StringRef list) {
    options.targets.clear();
    if (list.trim().starts_with("["))
      return takeJsonTargets(list);
    llvm::SmallVector<llvm::StringRef, 4> parts;
    list.split(parts, ',');
    for (llvm::StringRef part : parts)
      if (std::string error = addTarget(part.trim().str(), part.trim().str());
          !error.empty())
        return error;
    return "";
  }

  /// ["cpu", {"name": "ipu2:cpp", "arch": "ipu2", "compile-flags": "-DA -DB"}]
  std::string takeJsonTargets(llvm::StringRef list) {
    llvm::Expected<llvm::json::Value> json = llvm::json::parse(list);
    if (!json || !json->getAsArray()) {
      llvm::consumeError(json.takeError());
      return "'" + list.str() + "' is not a JSON array of targets";
    }
    for (const llvm::json::Value &value : *json->getAsArray()) {
      std::string error;
      if (auto name = value.getAsString())
        error = addTarget(name->str(), name->str());
      else if (const llvm::json::Object *object = value.getAsObject())
        error = addVariant(*object);
      else
        error = "a target is a name or an object with name, arch and "
                "compile-flags";
      if (!error.empty())
        return error + " (in '" + list.str() + "')";
    }
    return "";
  }

  std::string addVariant(const llvm::json::Object &object) {
    for (const auto &member : object)
      if (member.first != "name" && member.first != "arch" &&
          member.first != "compile-flags")
        return "'" + member.first.str() +
               "' is no property of a target; there are name, arch and "
               "compile-flags";
    auto name = object.getString("name");
    if (!name)
      return "a target variant needs a name";
    std::string base = name->split(':').first.str();
    if (auto arch = object.getString("arch"); arch && *arch != base)
      return "the name of a variant of '" + arch->str() + "' must be '" +
             arch->str() + ":' and a word, not '" + name->str() + "'";
    if (std::string error = addTarget(name->str(), base); !error.empty())
      return error;
    std::vector<std::string> &arguments = options.targets.back().arguments;
    if (auto flags = object.getString("compile-flags")) {
      llvm::SmallVector<llvm::StringRef, 4> words;
      flags->split(words, ' ', -1, /*KeepEmpty=*/false);
      arguments.assign(words.begin(), words.end());
    } else if (const auto *list = object.getArray("compile-flags")) {
      for (const llvm::json::Value &flag : *list)
        arguments.push_back(flag.getAsString().value_or("").str());
    }
    return "";
  }

  /// Adds a target under a name, once.
  std::string addTarget(const std::string &name, const std::string &base) {
    const runtime::TargetInfo *info = runtime::findTarget(base);
    if (!info)
      return "unknown target '" + base + "'; the targets are " + targetNames();
    auto known =
        std::find_if(options.targets.begin(), options.targets.end(),
                     [&](const Target &other) { return other.name == name; });
    if (known == options.targets.end())
      options.targets.push_back({info, name, {}});
    else
      std::rotate(known, known + 1, options.targets.end());
    return "";
  }

  std::string takeClangs(const std::vector<std::string> &rest) {
    namespace id = clang::driver::options;
    std::vector<const char *> pointers;
    pointers.reserve(rest.size());
    for (const std::string &argument : rest)
      pointers.push_back(argument.c_str());
    unsigned missingIndex = 0;
    unsigned missingCount = 0;
    llvm::opt::InputArgList list = clang::driver::getDriverOptTable().ParseArgs(
        pointers, missingIndex, missingCount,
        llvm::opt::Visibility(clang::driver::options::ClangOption));
    if (missingCount)
      return "option '" + rest[missingIndex] + "' needs a value";

    std::string language;
    std::string question;
    bool compileOnly = false;
    bool assembly = false;
    for (llvm::opt::Arg *argument : list) {
      const llvm::opt::Option &option = argument->getOption();
      if (option.getKind() == llvm::opt::Option::InputClass) {
        if (std::string error = takeInput(argument->getValue(), language);
            !error.empty())
          return error;
      } else if (option.matches(id::OPT__DASH_DASH)) {
        for (const char *path : argument->getValues())
          if (std::string error = takeInput(path, language); !error.empty())
            return error;
      } else if (option.matches(id::OPT_o)) {
        options.output = argument->getValue();
      } else if (option.matches(id::OPT_x)) {
        language = argument->getValue();
        if (language == "none")
          language.clear();
        else if (!isKnownLanguage(language))
          return "language '" + language +
                 "' is not supported; -x takes c, c++, ir, assembler, "
                 "assembler-with-cpp or none";
      } else if (option.matches(id::OPT_c)) {
        compileOnly = true;
      } else if (option.matches(id::OPT_S)) {
        assembly = true;
      } else if (option.matches(id::OPT_E)) {
        options.mode = Mode::Preprocess;
      } else if (option.matches(id::OPT_M) || option.matches(id::OPT_MM)) {
        options.mode = Mode::Dependencies;
        options.clangArguments.push_back(option.matches(id::OPT_M) ? "-M"
                                                                   : "-MM");
      } else if (argument->getAsString(list) == "-h") {
        options.help = true; // which Clang does not know, but other tools do
      } else if (option.getKind() == llvm::opt::Option::UnknownClass) {
        return unknownOption(argument->getAsString(list));
      } else if (option.matches(id::OPT_fsyntax_only)) {
        options.mode = Mode::Check;
      } else if (option.matches(id::OPT_help) ||
                 option.matches(id::OPT__help_hidden)) {
        options.help = true;
      } else if (option.matches(id::OPT__version)) {
        options.version = true;
      } else if (option.matches(id::OPT_mllvm)) {
        options.llvmArguments.push_back(argument->getValue());
      } else if (option.matches(id::OPT_fprofile_use_EQ)) {
        options.lineCounts = argument->getValue();
      } else if (option.matches(id::OPT_v)) {
        options.showCommands = true;
      } else if (option.matches(id::OPT__HASH_HASH_HASH)) {
        options.showCommands = options.dryRun = true;
      } else if (isAnswered(option)) {
        question = argument->getSpelling().str();
      } else if (std::string error = takeOther(*argument, list);
                 !error.empty()) {
        return error;
      }
    }
    if (!question.empty())
      options.answer = answerTo(question) + "\n";
    if (list.hasArg(id::OPT_w, id::OPT_Qunused_arguments))
      options.warnings.clear();
    if (options.mode == Mode::Archive)
      options.mode = codeMode(compileOnly, assembly);
    return "";
  }

  /// Takes an option that only Clang knows, and refuses the ones that popc does
  /// not allow.
  std::string takeOther(const llvm::opt::Arg &argument,
                        const llvm::opt::ArgList &list) {
    const std::string text = argument.getAsString(list);
    if (const char *why = refusalOf(argument.getOption()))
      return "option '" + text + "' is not supported: " + why;
    if (const char *why = reasonForNoEffect(argument)) {
      options.warnings.push_back("'" + text + "' has no effect: " + why);
      return "";
    }
    llvm::opt::ArgStringList rendered;
    argument.render(list, rendered);
    options.clangArguments.insert(options.clangArguments.end(),
                                  rendered.begin(), rendered.end());
    return "";
  }

  /// Questions of build systems that popc has an answer to.
  static bool isAnswered(const llvm::opt::Option &option) {
    return llvm::StringSwitch<bool>(option.getName())
        .Cases("dumpmachine", "dumpversion", "print-target-triple", true)
        .Cases("print-effective-triple", "print-resource-dir", "print-targets",
               true)
        .Default(false);
  }

  std::string answerTo(llvm::StringRef question) const {
    question = question.ltrim('-');
    if (question == "dumpversion")
      return LlvmVersion;
    if (question == "print-resource-dir")
      return ResourceDirectory;
    if (question == "print-targets")
      return targetNames();
    return tripleOf(options.targets.empty() ? *runtime::findTarget("ipu2")
                                            : *options.targets.front().info);
  }

  /// Describes an unknown option, with the nearest one of Clang's and popc's
  /// options.
  static std::string unknownOption(const std::string &argument) {
    llvm::StringRef name = llvm::StringRef(argument).split('=').first;
    std::string nearest;
    unsigned distance = clang::driver::getDriverOptTable().findNearest(
        argument, nearest,
        llvm::opt::Visibility(clang::driver::options::ClangOption));
    for (llvm::StringRef own :
         {"--target", "--targets", "--list-targets", "--emit-llvm",
          "--save-temps", "--diagnostics", "--check-codelets", "--fix"})
      if (unsigned other = name.edit_distance(own); other < distance) {
        distance = other;
        nearest = own;
      }
    std::string text = "unknown option '" + argument + "'";
    return distance <= 2 ? text + "; did you mean '" + nearest + "'?" : text;
  }

  Mode codeMode(bool compileOnly, bool assembly) const {
    if (emitLlvm)
      return compileOnly && !assembly ? Mode::Bitcode : Mode::LlvmIr;
    if (assembly)
      return Mode::Assembly;
    return compileOnly ? Mode::Object : Mode::Archive;
  }

  std::string takeInput(const std::string &path, const std::string &language) {
    Input input;
    input.path = path;
    input.language = language;
    if (language.empty())
      input.language = path == "-" ? "c++" : languageOf(path).str();
    if (input.language.empty())
      return "cannot tell what '" + path +
             "' is; popc takes .cpp, .c, .S, .s, .ll and .gp files, and -x "
             "LANGUAGE for other names";
    input.kind = kindOf(input.language);
    options.inputs.push_back(std::move(input));
    return "";
  }

  std::string check() {
    if (options.inputs.empty())
      return "no input files";
    for (const Input &input : options.inputs)
      if (input.kind != InputKind::Archive && input.path != "-" &&
          llvm::sys::fs::equivalent(input.path, options.output))
        return "the output '" + options.output +
               "' is a source, which would be lost; give another name with -o";
    if (options.applyFixes && !options.checkCodelets)
      return "--fix applies what --check-codelets finds; give both";
    for (const Input &input : options.inputs)
      if (options.applyFixes && input.path == "-")
        return "--fix changes files, and '-' is none";
    bool isArchive =
        options.mode == Mode::Archive || options.mode == Mode::Check;
    if (options.targets.empty()) {
      if (isArchive && !options.checkCodelets)
        for (const runtime::TargetInfo &target : runtime::allTargets())
          options.targets.push_back({&target, std::string(target.name), {}});
      else
        options.targets.push_back({runtime::findTarget("ipu2"), "ipu2", {}});
    }
    if (isArchive) {
      if (options.mode == Mode::Archive && options.output.empty())
        return "no output file; give one with -o FILE.gp";
      return "";
    }
    for (const Input &input : options.inputs)
      if (input.kind == InputKind::Archive)
        return "'" + input.path +
               "' is compiled already; -c, -S, -E and -emit-llvm take sources";
    bool isSingle = options.inputs.size() == 1 && options.targets.size() == 1;
    if (!options.output.empty() && !isSingle)
      return "-o names one file, but there is one for each input and target; "
             "give one input and one --target, or leave -o out";
    return "";
  }

  Options &options;
  bool emitLlvm = false;
};

} // namespace

/// Replaces "@FILE" by the arguments in the file.
static std::string expandFiles(const std::vector<std::string> &arguments,
                               std::vector<std::string> &expanded) {
  llvm::BumpPtrAllocator memory;
  llvm::SmallVector<const char *, 16> pointers;
  for (const std::string &argument : arguments) {
    llvm::StringRef file = argument;
    if (file.consume_front("@") && !llvm::sys::fs::exists(file))
      return "cannot read the arguments in '" + file.str() +
             "': " + std::strerror(ENOENT);
    pointers.push_back(argument.c_str());
  }
  llvm::cl::ExpansionContext context(memory, llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error error = context.expandResponseFiles(pointers))
    return llvm::toString(std::move(error));
  expanded.assign(pointers.begin(), pointers.end());
  return "";
}

std::string parseOptions(const std::vector<std::string> &arguments,
                         Options &options) {
  std::vector<std::string> expanded;
  std::string error = expandFiles(arguments, expanded);
  return error.empty() ? Parser(options).parse(expanded) : error;
}

} // namespace populus::codelet
