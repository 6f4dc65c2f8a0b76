// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stream copies that follow each other directly are one transaction with the
// host: one sync and one round trip, then the data of all of them. In
//
//     Sequence(in a, in b, compute, in c)
//
// the copy of b continues the transaction of a; that of c begins another. The
// copies of a transaction go in one direction. Each IPU has transactions of its
// own, no larger than the buffer that it may address (user guide, "Stream
// buffer size limit").

#ifndef POPULUS_RUNTIME_SESSION_HOSTTRANSACTIONS_H
#define POPULUS_RUNTIME_SESSION_HOSTTRANSACTIONS_H

#include "runtime/Format/Executable.h"

#include <cstdint>
#include <vector>

namespace populus::runtime {

class HostTransactions {
public:
  /// \p program has to outlive it.
  explicit HostTransactions(const Executable &program);

  /// Returns true if the stream copy \p step continues a transaction of \p ipu.
  bool continues(std::uint32_t step, std::uint32_t ipu) const;

private:
  const Executable &program;
  /// By step: the stream copy directly before it, or None.
  std::vector<std::uint32_t> previous;
};

} // namespace populus::runtime

#endif
