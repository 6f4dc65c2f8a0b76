// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MpiCommand.h"

#include <algorithm>
#include <cstdlib>

namespace populus::poprun {

namespace {

void append(std::vector<std::string> &to,
            const std::vector<std::string> &more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// A variable that the user has not set has this value.
void setUsual(std::map<std::string, std::string> &variables, const char *name,
              const std::string &value) {
  if (!std::getenv(name))
    variables[name] = value;
}

/// Instances with arguments of their own are parts of the call, with a colon
/// between them.
void appendInstances(std::vector<std::string> &command, const Options &options,
                     const std::vector<std::string> &program) {
  if (options.instanceArguments.empty()) {
    append(command, {"-np", std::to_string(options.numInstances)});
    append(command, options.localArguments);
    return append(command, program);
  }
  for (unsigned i = 0; i != options.numInstances; ++i) {
    if (i != 0)
      command.push_back(":");
    append(command, {"-np", "1"});
    append(command, options.localArguments);
    if (const auto own = options.instanceArguments.find(i);
        own != options.instanceArguments.end())
      append(command, own->second);
    append(command, program);
  }
}

} // namespace

std::map<std::string, std::string> environmentOf(const Options &options) {
  std::map<std::string, std::string> variables = {
      {"POPDIST_NUM_INSTANCES", std::to_string(options.numInstances)},
      {"POPDIST_NUM_TOTAL_REPLICAS", std::to_string(options.numReplicas)},
      {"POPDIST_NUM_LOCAL_REPLICAS",
       std::to_string(options.replicasPerInstance())},
      {"POPDIST_NUM_IPUS_PER_REPLICA", std::to_string(options.ipusPerReplica)},
      {"POPDIST_OFFLINE_MODE", options.isOffline ? "1" : "0"},
  };
  if (options.onlyOutputFrom)
    variables["POPRUN_ONLY_OUTPUT_FROM"] =
        std::to_string(*options.onlyOutputFrom);
  if (!options.executableCache.empty()) {
    variables["POPDIST_EXECUTABLE_CACHE_PATH"] = options.executableCache;
    for (const char *name :
         {"POPART_CACHE_DIR", "POPXL_CACHE_DIR", "POPTORCH_CACHE_DIR"})
      setUsual(variables, name, options.executableCache);
  }
  // Instances that wait must not take the cores of others.
  setUsual(variables, "OMPI_MCA_mpi_yield_when_idle", "1");
  // Containers seldom allow one process to read another one's memory.
  setUsual(variables, "OMPI_MCA_btl_vader_single_copy_mechanism", "none");
  return variables;
}

std::vector<std::string>
mpiCommand(const Options &options, const std::string &self,
           const std::map<std::string, std::string> &environment) {
  std::vector<std::string> command = {"mpirun"};
  if (options.verbosity == 0)
    command.push_back("--quiet");
  if (options.hosts.empty()) {
    // One machine may have fewer cores than there are instances.
    command.push_back("--oversubscribe");
  } else {
    std::string hosts;
    for (const std::string &host : options.hosts)
      hosts += (hosts.empty() ? "" : ",") + host + ":" +
               std::to_string(options.instancesPerHost());
    append(command, {"--host", hosts});
    for (const auto &[name, value] : environment)
      append(command, {"-x", name});
  }
  if (options.numaAware)
    append(command, {"--map-by", "numa", "--bind-to", "numa"});
  else
    append(command, {"--bind-to", "none"});
  append(command, options.globalArguments);
  std::vector<std::string> program = {self, "--as-instance"};
  append(program, options.program);
  appendInstances(command, options, program);
  return command;
}

bool formatsOutput(const Options &options) {
  const auto asks = [](const std::vector<std::string> &arguments) {
    return std::ranges::any_of(arguments, [](std::string word) {
      word.erase(0, word.find_first_not_of('-'));
      for (const char *name :
           {"tag-output", "timestamp-output", "output-filename", "xml",
            "xml-file", "merge-stderr-to-stdout", "output-directory"})
        if (word == name || word.starts_with(std::string(name) + "="))
          return true;
      return false;
    });
  };
  return asks(options.globalArguments) || asks(options.localArguments) ||
         std::ranges::any_of(options.instanceArguments, [&](const auto &entry) {
           return asks(entry.second);
         });
}

} // namespace populus::poprun
