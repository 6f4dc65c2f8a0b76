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
#include <set>
#include <span>
#include <unordered_map>

namespace populus::runtime {

class HostTransactions {
public:
  explicit HostTransactions(const Executable &program);

  /// Returns true if the stream copy \p step continues a transaction of \p ipu.
  bool continues(std::uint32_t step, std::uint32_t ipu) const {
    const auto ipus = continued.find(step);
    return ipus != continued.end() && ipus->second.count(ipu) != 0;
  }

private:
  void addRun(const Executable &program, std::span<const std::uint32_t> copies);

  /// By stream copy: the IPUs whose transactions it continues.
  std::unordered_map<std::uint32_t, std::set<std::uint32_t>> continued;
};

} // namespace populus::runtime

#endif
