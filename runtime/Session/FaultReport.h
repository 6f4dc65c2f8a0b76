// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The description of a fault on a tile: the vertex, the error, the position,
// and the steps before it. The emulator fills it in when a context has stopped;
// a session throws it; tools print it as text or as JSON.

#ifndef POPULUS_RUNTIME_SESSION_FAULTREPORT_H
#define POPULUS_RUNTIME_SESSION_FAULTREPORT_H

#include "runtime/Session/Session.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace populus::runtime {

/// A place in the code of a tile, and what is known about it.
struct CodePlace {
  Address pc = 0;
  std::string symbol;   // "name+0x10"; empty: no symbol covers it
  std::string assembly; // of the instruction or bundle
  std::string source;   // "file.cpp:12"; empty: no line information
};

struct FaultReport {
  /// A word for programs, which does not change: "misaligned", "trap".
  std::string kind;
  /// "misaligned access to 0x50102".
  std::string what;
  std::uint32_t tile = 0;
  std::string computeSet;
  std::string vertex; // its type
  Address state = 0;  // of the vertex
  /// Cycles that the tile has computed.
  std::uint64_t cycle = 0;
  /// The code place; not known if a branch has left the code.
  std::optional<CodePlace> place;
  std::string mnemonic;
  /// The address of a bad access, and where that is from the vertex's view:
  /// "4 bytes behind the end of field 'in'"; empty: not near anything of it.
  std::optional<Address> address;
  std::string field;

  /// The registers of the context that stopped.
  ContextState registers;

  /// The last bundles, oldest first, of all contexts of the vertex.
  struct Executed {
    unsigned context = 0;
    CodePlace place;
  };
  std::vector<Executed> last;

  /// One line: "tile 0, compute set 'cs': vertex ... ".
  std::string message() const;
  /// Lines with registers and last bundles.
  std::string details() const;
  /// One JSON object, without a line break.
  std::string json() const;
};

/// A fault, or a breakpoint that was reached.
class FaultError : public RunError {
public:
  explicit FaultError(std::shared_ptr<const FaultReport> report)
      : RunError(report->message()), fault(std::move(report)) {}
  const FaultReport &report() const { return *fault; }
  bool isBreakpoint() const { return fault->kind == "breakpoint"; }
  bool isInterrupted() const { return fault->kind == "interrupted"; }

private:
  std::shared_ptr<const FaultReport> fault;
};

std::string hexadecimal(std::uint32_t value);

/// "worker 3", "supervisor".
std::string contextName(unsigned context);

} // namespace populus::runtime

#endif
