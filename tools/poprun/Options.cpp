// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of options, with their kinds and help. First all values are collected
// as text, so that they can be exported and imported; then they become numbers
// that are checked together.

#include "Options.h"

#include "Config.h"
#include "Hosts.h"
#include "Words.h"

#include "lib/Poplar/Support/NearestName.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <limits>

namespace populus::poprun {

namespace {

enum class Kind {
  Number, // from 1 on
  Count,  // from 0 on
  Bool,   // true unless the next word, or what follows =, is a value
  Flag,   // the same, but the next word is none
  Text,
};

struct Option {
  const char *name;
  Kind kind;
  const char *help;
};

constexpr Option Table[] = {
    {"num-instances", Kind::Number, "processes that run the program (1)"},
    {"num-replicas", Kind::Number,
     "replicas of the program's graph, in all instances together (1)"},
    {"ipus-per-replica", Kind::Number, "IPUs of each replica (1)"},
    {"num-ilds", Kind::Number,
     "IPU-Link domains, among which instances are divided (1)"},
    {"host", Kind::Text,
     "machines, such as a,b or a[0-2,4]; instances are divided among them"},
    {"host-file", Kind::Text, "a file with a machine in each line"},
    {"mpi-global-args", Kind::Text, "arguments for mpirun, in one word"},
    {"mpi-local-args", Kind::Text, "arguments for mpirun, for all instances"},
    {"instance-mpi-local-args", Kind::Text,
     "N:ARGUMENTS, arguments for mpirun for one instance"},
    {"numa-aware", Kind::Flag, "bind instances to NUMA nodes, in turn"},
    {"only-output-from-instance", Kind::Count,
     "hide the output and errors of all other instances"},
    {"print-topology", Kind::Bool,
     "print which instances and replicas there are on which machines"},
    {"offline-mode", Kind::Bool,
     "devices of the instances are offline: they compile, and run nothing"},
    {"executable-cache-path", Kind::Text,
     "a folder for compiled programs, which all instances use"},
    {"import-config", Kind::Text,
     "read options from a file; those of the command line win"},
    {"export-config", Kind::Text, "write all options to a file"},
    {"overwrite-config", Kind::Bool,
     "replace the file of --export-config if there is one (0)"},
    {"verbose", Kind::Flag, "print what is done; -vv or --vv: also mpirun"},
    {"vv", Kind::Flag, nullptr},
    {"version", Kind::Flag, "print the version"},
    {"version-format", Kind::Text, "text, full-text or full-json"},
    {"help", Kind::Flag, "print this help"},
    {"vipu-server-host", Kind::Text, nullptr},
    {"vipu-server-port", Kind::Number, nullptr},
    {"vipu-server-timeout", Kind::Number, nullptr},
    {"vipu-partition", Kind::Text, nullptr},
    {"vipu-partition-attempts", Kind::Number, nullptr},
    {"vipu-cluster", Kind::Text, nullptr},
    {"vipu-allocation", Kind::Text, nullptr},
    {"update-partition", Kind::Bool, nullptr},
    {"reset-partition", Kind::Bool, nullptr},
    {"remove-partition", Kind::Bool, nullptr},
    {"sync-type", Kind::Text, nullptr},
};

const Option *find(const std::string &name) {
  const auto *found = std::ranges::find(
      Table, name, [](const Option &option) { return option.name; });
  return found == std::end(Table) ? nullptr : found;
}

std::string shortName(const std::string &word) {
  if (word == "-H")
    return "host";
  if (word == "-v")
    return "verbose";
  if (word == "-vv")
    return "vv";
  return word == "-h" ? "help" : "";
}

std::optional<bool> boolNamed(const std::string &value) {
  for (const char *word : {"yes", "on", "1", "true"})
    if (value == word)
      return true;
  for (const char *word : {"no", "off", "0", "false"})
    if (value == word)
      return false;
  return std::nullopt;
}

/// The option of a word. \p value is set if it follows an equals sign.
const Option &optionOf(const std::string &word,
                       std::optional<std::string> &value) {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos)
    value = word.substr(equals + 1);
  std::string name = word.substr(0, equals);
  if (const std::string known = shortName(name); !known.empty())
    name = known;
  else if (name.starts_with("--"))
    name = name.substr(2);
  if (name == "hostfile")
    name = "host-file";
  if (const Option *option = find(name))
    return *option;
  std::vector<std::string> names;
  for (const Option &option : Table)
    names.push_back(std::string("--") + option.name);
  throw UsageError("there is no option '" + word.substr(0, equals) + "'" +
                   poplar::core::didYouMean("--" + name, names));
}

/// Collects the values; returns the words from the program on.
std::vector<std::string> collect(const std::vector<std::string> &words,
                                 Values &values,
                                 std::vector<std::string> &ofInstances) {
  std::size_t i = 0;
  for (; i != words.size() && words[i].starts_with("-"); ++i) {
    if (words[i] == "--") {
      ++i;
      break;
    }
    std::optional<std::string> value;
    const Option &option = optionOf(words[i], value);
    const bool hasNext = i + 1 != words.size();
    if (!value && option.kind == Kind::Bool)
      value = hasNext && boolNamed(words[i + 1]) ? words[++i] : "1";
    if (!value && option.kind == Kind::Flag)
      value = "1";
    if (!value) {
      if (!hasNext)
        throw UsageError(std::string("--") + option.name + " needs a value");
      value = words[++i];
    }
    if (std::string(option.name) == "instance-mpi-local-args")
      ofInstances.push_back(*value);
    else
      values[option.name] = *value;
  }
  return {words.begin() + static_cast<std::ptrdiff_t>(i), words.end()};
}

unsigned numberOf(const std::string &option, const std::string &value,
                  unsigned least) {
  unsigned number = 0;
  const char *end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, number);
  constexpr unsigned Most = 1 << 20;
  if (error != std::errc() || rest != end || number < least || number > Most)
    throw UsageError("--" + option + ": '" + value + "' is not a number from " +
                     std::to_string(least) + " on");
  return number;
}

void checkValues(const Values &values) {
  for (const auto &[name, value] : values)
    switch (find(name)->kind) {
    case Kind::Number:
      numberOf(name, value, 1);
      break;
    case Kind::Count:
      numberOf(name, value, 0);
      break;
    case Kind::Bool:
    case Kind::Flag:
      boolOf(name, value);
      break;
    case Kind::Text:
      break;
    }
}

void checkCounts(const Options &options) {
  const auto plural = [](unsigned count, const char *what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  if (options.numReplicas % options.numInstances != 0)
    throw UsageError(plural(options.numInstances, "instance") +
                     " cannot share " + plural(options.numReplicas, "replica") +
                     " evenly; let --num-instances divide --num-replicas");
  if (options.numInstances % options.numIlds != 0)
    throw UsageError(plural(options.numIlds, "IPU-Link domain") +
                     " cannot share " +
                     plural(options.numInstances, "instance") +
                     " evenly; let --num-ilds divide --num-instances");
  constexpr unsigned MostIpus = 64; // of an IPU-Link domain
  const std::uint64_t ipus =
      std::uint64_t(options.replicasPerInstance()) * options.ipusPerReplica;
  if (ipus > MostIpus)
    throw UsageError("each instance has " + std::to_string(ipus) +
                     " IPUs, and a process can have at most 64; use more "
                     "--num-instances");
  if (!options.hosts.empty() &&
      options.numInstances % options.hosts.size() != 0)
    throw UsageError(
        plural(static_cast<unsigned>(options.hosts.size()), "host") +
        " cannot share " + plural(options.numInstances, "instance") +
        " evenly");
  if (options.onlyOutputFrom && *options.onlyOutputFrom >= options.numInstances)
    throw UsageError("--only-output-from-instance: there is no instance " +
                     std::to_string(*options.onlyOutputFrom) +
                     "; there are 0 to " +
                     std::to_string(options.numInstances - 1));
}

void setInstanceArguments(Options &options,
                          const std::vector<std::string> &texts) {
  for (const std::string &text : texts) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
      throw UsageError("--instance-mpi-local-args: '" + text +
                       "' is not N:ARGUMENTS");
    const unsigned instance =
        numberOf("instance-mpi-local-args", text.substr(0, colon), 0);
    if (instance >= options.numInstances)
      throw UsageError("--instance-mpi-local-args: there is no instance " +
                       std::to_string(instance));
    for (std::string &word : wordsOf(text.substr(colon + 1)))
      options.instanceArguments[instance].push_back(std::move(word));
  }
}

Options optionsOf(const Values &values) {
  Options options;
  const auto text = [&](const char *name) -> std::string {
    const auto found = values.find(name);
    return found == values.end() ? "" : found->second;
  };
  const auto number = [&](const char *name, unsigned usual) {
    return values.contains(name) ? numberOf(name, text(name), 0) : usual;
  };
  const auto flag = [&](const char *name) {
    return values.contains(name) && boolOf(name, text(name));
  };
  options.numInstances = number("num-instances", 1);
  options.numReplicas = number("num-replicas", 1);
  options.ipusPerReplica = number("ipus-per-replica", 1);
  options.numIlds = number("num-ilds", 1);
  if (values.contains("host") && values.contains("host-file"))
    throw UsageError("--host and --host-file exclude each other");
  if (values.contains("host"))
    options.hosts = hostsOf(text("host"));
  if (values.contains("host-file"))
    options.hosts = hostsOfFile(text("host-file"));
  options.globalArguments = wordsOf(text("mpi-global-args"));
  options.localArguments = wordsOf(text("mpi-local-args"));
  options.executableCache = text("executable-cache-path");
  if (values.contains("only-output-from-instance"))
    options.onlyOutputFrom = number("only-output-from-instance", 0);
  options.numaAware = flag("numa-aware");
  options.printTopology = flag("print-topology");
  options.isOffline = flag("offline-mode");
  options.verbosity = flag("vv") ? 2 : flag("verbose") ? 1 : 0;
  return options;
}

void printHelp() {
  std::cout << "Starts a program in several processes, which share its "
               "replicas.\n\n"
               "Usage: poprun [OPTIONS] PROGRAM [ARGUMENTS]\n\n"
               "Options, as --name=value or --name value:\n";
  for (const Option &option : Table)
    if (option.help) {
      std::string name = std::string("  --") + option.name;
      if (std::string(option.name) == "host")
        name = "  -H, --host";
      if (std::string(option.name) == "verbose")
        name = "  -v, --verbose";
      name.resize(std::max<std::size_t>(name.size() + 2, 32), ' ');
      std::cout << name << option.help << '\n';
    }
  std::cout << "\nOptions of V-IPU partitions (--vipu-..., --update-partition, "
               "--reset-partition,\n--remove-partition) and --sync-type are "
               "accepted: emulated IPUs have no partitions.\n\n"
               "The exit status is that of the first instance that fails, 0 if "
               "none does, or 2 for\nwrong usage.\n";
}

void printVersion(const Values &values) {
  const auto format = values.find("version-format");
  const std::string name = format == values.end() ? "text" : format->second;
  if (name == "text")
    std::cout << "poprun " POPULUS_VERSION "\n";
  else if (name == "full-text")
    std::cout << "poprun version " POPULUS_VERSION "\n"
                 "Populus version " POPULUS_VERSION "\n";
  else if (name == "full-json")
    std::cout << "{\"poprun\": \"" POPULUS_VERSION "\", \"populus\": "
                 "\"" POPULUS_VERSION "\"}\n";
  else
    throw UsageError("--version-format: '" + name +
                     "' is not text, full-text or full-json");
}

} // namespace

bool boolOf(const std::string &option, const std::string &value) {
  if (const std::optional<bool> known = boolNamed(value))
    return *known;
  throw UsageError("--" + option + ": '" + value +
                   "' is not yes, no, on, off, true, false, 1 or 0");
}

bool isOption(const std::string &name) { return find(name); }

std::optional<Options> parse(const std::vector<std::string> &words) {
  Values values;
  std::vector<std::string> ofInstances;
  std::vector<std::string> program = collect(words, values, ofInstances);
  if (values.contains("import-config"))
    for (const auto &[name, value] : readConfig(values["import-config"]))
      values.emplace(name, value); // those of the command line stay
  checkValues(values);
  if (values.contains("help")) {
    printHelp();
    return std::nullopt;
  }
  if (values.contains("version") || values.contains("version-format")) {
    printVersion(values);
    return std::nullopt;
  }
  Options options = optionsOf(values);
  checkCounts(options);
  setInstanceArguments(options, ofInstances);
  options.program = std::move(program);
  if (values.contains("export-config")) {
    const auto overwrite = values.find("overwrite-config");
    writeConfig(values["export-config"], values,
                overwrite != values.end() &&
                    boolOf("overwrite-config", overwrite->second));
    if (options.program.empty())
      return std::nullopt;
  }
  if (options.program.empty())
    throw UsageError("there is no program to run; --help lists the options");
  if (options.verbosity != 0)
    for (const auto &[name, value] : values)
      if (name.starts_with("vipu-") || name.ends_with("-partition") ||
          name == "sync-type")
        std::cerr << "poprun: --" << name
                  << " has no effect: emulated IPUs have no partitions\n";
  return options;
}

} // namespace populus::poprun
