// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text that the codelets of a tile print. Tiles run on several threads, so
// the text is kept until the compute set has ended. It is then written in the
// order of the tiles, whatever the threads did.

#ifndef POPULUS_RUNTIME_EMULATOR_WATCHING_TILEPRINTS_H
#define POPULUS_RUNTIME_EMULATOR_WATCHING_TILEPRINTS_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/HostCalls.h"

#include <string>
#include <vector>

namespace populus::runtime::emulator {

/// Returns whether code of this image can call the host: it then has the device
/// library's function for host calls.
bool callsHost(const CodeImage &image);

class TilePrints : public HostCalls {
public:
  /// Codelets cannot end the program.
  bool exit(std::int32_t) override { return false; }
  std::int32_t write(std::uint32_t stream, std::string_view bytes) override;

  /// Writes the new text to the process's own streams, to which host code of
  /// codelets prints, too.
  void flush();

private:
  struct Piece {
    bool isError;
    std::string text;
  };
  std::vector<Piece> pieces;
};

} // namespace populus::runtime::emulator

#endif
