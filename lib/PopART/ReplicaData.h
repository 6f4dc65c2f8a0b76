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

/// Rows of a tensor, in this order: [rows.size(), shape of a row...].
HostTensor rowsOf(const HostTensor &tensor, const std::vector<unsigned> &rows);

/// The shards of a tensor, which has to have that shape: [replicas, elements of
/// one]. The last ones are padded with zeros.
HostTensor shardsOf(const HostTensor &tensor, const Shape &shape,
                    unsigned replicas);
/// The opposite.
HostTensor joined(const HostTensor &shards, const Shape &shape);

/// Writes a variable in all replicas, on the tiles or in the host's memory. The
/// value is that of each, [replicas, shape...], or one for all.
void writeVariable(poplar::Engine &engine, const Variable &variable,
                   unsigned replicas, const HostTensor &value);

/// The values of all replicas, [replicas, shape...].
HostTensor readVariable(poplar::Engine &engine, const Variable &variable,
                        unsigned replicas);

/// Writes the initial values of the variables in the host's memory, which an
/// executable does not have.
void writeOffChipVariables(poplar::Engine &engine, const Module &module,
                           unsigned replicas);

/// Writes the seed of random numbers; that of each replica is another one.
void writeSeed(poplar::Engine &engine, std::uint64_t seed, unsigned replicas);

} // namespace populus::popir

#endif
