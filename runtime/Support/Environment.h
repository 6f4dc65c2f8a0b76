// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All variables of the environment that tools and libraries read. A variable
// that changes what is compiled is part of the key of each cache of executables
// (compilerHash() of PopART), as text or through the options that it sets.
// test/popart-compile/environment.test finds variables that are missing here.

#ifndef POPULUS_RUNTIME_SUPPORT_ENVIRONMENT_H
#define POPULUS_RUNTIME_SUPPORT_ENVIRONMENT_H

namespace populus::runtime {

struct EnvironmentVariable {
  const char *name;
  /// The same model and options may give another executable.
  bool changesExecutables;
  /// It sets engine options, whose effective values are in the key.
  bool setsEngineOptions = false;
};

inline constexpr EnvironmentVariable EnvironmentVariables[] = {
    {"POPART_CACHE_DIR", false},
    {"POPART_DOT_CHECKS", false},
    {"POPART_IR_DUMP", false},
    {"POPART_LOG_CONFIG", false},
    {"POPART_LOG_DEST", false},
    {"POPART_LOG_FORMAT", false},
    {"POPART_LOG_LEVEL", false},
    {"POPART_TENSOR_TILE_MAP", false}, // compiles without a cache
    {"POPLAR_ENGINE_OPTIONS", true, true},
    {"POPLAR_GRAPH_REPORT_DEST", false},
    {"POPLAR_LOG_DEST", false},
    {"POPLAR_LOG_LEVEL", false},
    {"POPLAR_RUNTIME_OPTIONS", true, true},
    {"POPLAR_SIMULATOR_OPTIONS", false},
    {"POPLAR_TARGET_OPTIONS", true},
    {"POPLIBS_LOG_DEST", false},
    {"POPLIBS_LOG_LEVEL", false},
    {"POPULUS_CHECK", false},
    {"POPULUS_CHECK_OUTPUT", false},
    {"POPULUS_CODELET_CACHE", false},
    {"POPULUS_ENGINE", false},
    {"POPULUS_HEADER_CACHE", false},
    {"POPULUS_HOST_LEVEL", false},
    {"POPULUS_IPU_TARGET", true},
    {"POPULUS_LARGE_PAGES", false},
    {"POPULUS_MEMORY_LIMIT", false},
    {"POPULUS_NUM_IPUS", true},
    {"POPULUS_POPTORCH_DEVICE", false}, // the device is part of the key
    {"POPULUS_THREADS", false},
    {"POPULUS_TILES_PER_IPU", true},
    {"POPULUS_TRANSLATION_CACHE", false},
    {"POPULUS_TRANSLATION_CACHE_SIZE", false},
    {"POPULUS_TRANSLATION_PROCESSOR", false},
    {"POPULUS_VERIFY_LOWERING", true, true},
    {"POPXL_CACHE_DIR", false},
    {"PVTI_OPTIONS", false},
};

} // namespace populus::runtime

#endif
