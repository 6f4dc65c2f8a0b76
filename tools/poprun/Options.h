// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options of poprun. They end at the first word that is not one; from there
// on the words are the program and its arguments.

#ifndef POPULUS_TOOLS_POPRUN_OPTIONS_H
#define POPULUS_TOOLS_POPRUN_OPTIONS_H

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace populus::poprun {

/// Wrong usage; the message is complete.
class UsageError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Values as they are written, by name of the option without dashes.
using Values = std::map<std::string, std::string>;

struct Options {
  unsigned numInstances = 1, numReplicas = 1, ipusPerReplica = 1, numIlds = 1;
  std::vector<std::string> hosts; // none: this machine
  std::vector<std::string> globalArguments, localArguments;
  std::map<unsigned, std::vector<std::string>> instanceArguments;
  std::string executableCache;
  std::optional<unsigned> onlyOutputFrom;
  bool numaAware = false, printTopology = false, isOffline = false;
  /// 0: errors only; 1: what is done; 2: also the call of mpirun.
  unsigned verbosity = 0;
  std::vector<std::string> program;

  unsigned replicasPerInstance() const { return numReplicas / numInstances; }
  unsigned instancesPerHost() const {
    return hosts.empty() ? numInstances
                         : numInstances / static_cast<unsigned>(hosts.size());
  }
};

/// Parses the command line, or prints help or version and returns nothing.
/// Throws UsageError.
std::optional<Options> parse(const std::vector<std::string> &words);

/// Throws UsageError for a value of the wrong form.
bool boolOf(const std::string &option, const std::string &value);
/// Returns whether there is such an option.
bool isOption(const std::string &name);

} // namespace populus::poprun

#endif
