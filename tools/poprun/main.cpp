// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// poprun: starts a program in several processes, which share the replicas of
// its graph. docs/poprun.md describes it.

#include "Instance.h"
#include "Launch.h"
#include "Options.h"
#include "Topology.h"
#include "runtime/Support/OutputFile.h"

#include <exception>
#include <iostream>

int main(int count, char **arguments) {
  using namespace populus::poprun;
  const std::vector<std::string> words(arguments + 1, arguments + count);
  try {
    if (!words.empty() && words.front() == "--as-instance" && words.size() > 1)
      return runInstance({words.begin() + 1, words.end()});
    const std::optional<Options> options = parse(words);
    if (!options)
      return populus::runtime::finishOutput("poprun", 0);
    if (options->printTopology) {
      std::cout << topologyOf(*options);
      if (int status = populus::runtime::finishOutput("poprun", 0))
        return status;
    }
    return launch(*options);
  } catch (const UsageError &error) {
    std::cerr << "poprun: error: " << error.what() << '\n';
    return 2;
  } catch (const std::exception &error) {
    std::cerr << "poprun: internal error: " << error.what() << '\n';
    return 70;
  }
}
