// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies of an exchange as host threads make them. A plan has millions of
// pieces of a few words each, most of them parts of longer buffers that many
// tiles receive: what lies together at its receivers is put together once, and
// then each of them takes it as a whole.

#ifndef POPULUS_RUNTIME_SESSION_EXCHANGECOPIES_H
#define POPULUS_RUNTIME_SESSION_EXCHANGECOPIES_H

#include "runtime/Format/Executable.h"
#include "runtime/Session/DeviceMemory.h"

#include <cstdint>
#include <vector>

namespace populus::runtime {

class ExchangeCopies {
public:
  ExchangeCopies() = default;
  ExchangeCopies(const Executable &executable, const Exchange &exchange);

  /// Copies that a thread makes at a time. They may run in any order.
  std::size_t numTasks() const { return tasks.size(); }
  void run(std::size_t task, const Executable &executable,
           const DeviceMemory &memory) const;

private:
  /// Pieces with a destination each, or pieces of one broadcast and the
  /// receivers that get all of them.
  struct Task {
    Range pieces;
    Range receivers; // none: the pieces are no broadcast
  };
  void addBroadcast(const Executable &executable, Range pieces);

  std::vector<Task> tasks;
};

} // namespace populus::runtime

#endif
