// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts between the host's value of a variable and the values of the
// replicas of a program. A transfer moves the values of all replicas, one after
// the other, [replicas, shape...].

#ifndef POPULUS_LIB_POPART_REPLICADATA_H
#define POPULUS_LIB_POPART_REPLICADATA_H

#include "lib/PopART/IR/HostTensor.h"
#include "lib/PopART/IR/Module.h"

#include <poplar/Engine.hpp>

#include <string>
#include <vector>

namespace populus::popir {

/// The replicas of a program, and those that this process runs. The others are
/// in other processes of the job.
struct Replicas {
  unsigned total = 1;
  unsigned first = 0;
  unsigned count = 1;

  bool isShared() const { return count != total; }
};
inline Replicas allOf(unsigned replicas) { return {replicas, 0, replicas}; }

/// Tells the engine which replicas are those of this process.
poplar::OptionFlags withReplicas(poplar::OptionFlags flags, Replicas replicas);

/// Rows of a tensor, in this order: [rows.size(), shape of a row...].
HostTensor rowsOf(const HostTensor &tensor, const std::vector<unsigned> &rows);

/// The shards of a tensor, which has to have that shape: [replicas, elements of
/// one]. The last ones are padded with zeros.
HostTensor shardsOf(const HostTensor &tensor, const Shape &shape,
                    unsigned replicas);
/// The opposite.
HostTensor joined(const HostTensor &shards, const Shape &shape);

/// Writes a variable in the replicas of this process, on the tiles or in the
/// host's memory. The value is that of each of all replicas, [replicas,
/// shape...], or one for all.
void writeVariable(poplar::Engine &engine, const Variable &variable,
                   Replicas replicas, const HostTensor &value);

/// The values of all replicas, [replicas, shape...]. All processes of the job
/// have to call it.
HostTensor readVariable(poplar::Engine &engine, const Variable &variable,
                        Replicas replicas);

/// The value of the first replica of this process.
HostTensor readFirst(poplar::Engine &engine, const Variable &variable,
                     Replicas replicas);

/// Writes the initial values of the variables in the host's memory, which an
/// executable does not have.
void writeOffChipVariables(poplar::Engine &engine, const Module &module,
                           Replicas replicas);

/// Writes the seed of random numbers; that of each replica is another one.
void writeSeed(poplar::Engine &engine, std::uint64_t seed, Replicas replicas);

/// The bytes of one process for all of the job.
std::string broadcastBytes(const std::string &own, unsigned root);

} // namespace populus::popir

#endif
