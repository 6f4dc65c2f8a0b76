// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that the whole interface uses.
//
// All of it lies in an inline namespace: programs write popart::Builder, and
// the names stay apart from those of the compiler behind it.

#ifndef POPULUS_INCLUDE_POPART_NAMES_HPP
#define POPULUS_INCLUDE_POPART_NAMES_HPP

#include <cstdint>
#include <string>
#include <vector>

namespace popart {

using TensorId = std::string;
using Shape = std::vector<std::int64_t>;
using Rank = int;
using OpName = std::string;
using OpType = std::string;
using OpDomain = std::string;
using OpVersion = int;
using InIndex = int;
using OpId = std::int64_t;
using OutIndex = int;
using ReturnPeriod = int;
using VGraphId = std::int64_t;
using PipelineStage = std::int64_t;

} // namespace popart

#endif
