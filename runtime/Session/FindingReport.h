// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports of findings: a list that fits on a screen, and SARIF 2.1.0, the
// format in which editors and code hosts take the results of analyses.

#ifndef POPULUS_RUNTIME_SESSION_FINDINGREPORT_H
#define POPULUS_RUNTIME_SESSION_FINDINGREPORT_H

#include "runtime/Session/Findings.h"

#include <span>
#include <string>
#include <vector>

namespace populus::runtime {

/// Returns a line for each of the first findings, and one that counts the
/// others. Every line begins with `prefix`.
std::string listOf(std::span<const Finding> findings,
                   const std::string &prefix);

/// Returns a SARIF log of all findings; `tool` is the name of the program that
/// found them.
std::string sarifOf(const std::vector<Finding> &findings,
                    const std::string &tool);

} // namespace populus::runtime

#endif
