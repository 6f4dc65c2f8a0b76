// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver: the stages of each compilation, whichever front end asks for it.
//
//   source ─module─▶ PopIR ─passes─▶ PopIR ─lower─▶ graph ─compile─▶ executable
//      └───────────────── key ─────────▶ cache ─────────────────────────┘
//
// A front end is a Source of modules and reads the results: popart-compile
// writes a file (Compile.h), sessions and module programs make an engine.

#ifndef POPULUS_LIB_POPART_DRIVER_H
#define POPULUS_LIB_POPART_DRIVER_H

#include "lib/PopART/Inspection.h"
#include "lib/PopART/Request.h"
#include "lib/PopART/StageTimer.h"
#include "lib/PopART/Support/Cache.h"

#include <optional>
#include <vector>

namespace populus::popir {

/// The key of an executable: the compiler, its environment, the options of a
/// request that change the executable, and the source.
runtime::ContentHash keyOf(const Request &request, const Source &source);

struct Result {
  poplar::Executable executable;
  bool isFromCache = false;
};

class Driver {
public:
  /// Both are kept; the source has to live as long as the driver.
  Driver(const Request &request, Source &source);

  /// The executable, from the cache or compiled and kept there.
  Result run();

  // The stages that run() consists of.

  /// The stored bytes of the executable. Nothing if there is no cache, or the
  /// compilation has to write more than the executable.
  std::optional<std::string> find();
  /// The module before and after the passes; made on the first call.
  Module &imported();
  Module &module();
  TileProgram lower(bool mapTensors = false);
  poplar::Executable compile();
  /// Stores the bytes that `write` writes.
  void keep(const std::function<void(std::ostream &)> &write);

  /// Compiles the source again, with other options. The key stays the one of
  /// the first request, as the search for options is part of it.
  void change(const Request &request);

  /// The request as the source has refined it.
  const Request &request() const { return wanted; }
  StageTimer &timer() { return stages; }

private:
  bool isCached() const;
  const runtime::ContentHash &key();
  ExecutableCache cache();
  void dump(std::string_view stage);

  Request asked;
  Request wanted;
  Source &source;
  Inspection inspection;
  StageTimer stages;
  std::optional<runtime::ContentHash> asKeyed;
  /// Null before import.
  Module *current = nullptr;
  bool isTransformed = false;
  unsigned dumps = 0;
};

} // namespace populus::popir

#endif
