// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Profile/CodeFigures.h"

namespace populus::profile {

CodeFigures::CodeFigures(const report::VertexType &type) {
  for (const report::CodeLine &line : type.code()) {
    issued += line.times();
    cycles += line.cycles();
    const bool usesMain = line.pipes() & 1, usesAux = line.pipes() & 2;
    main += usesMain ? line.times() : 0;
    aux += usesAux ? line.times() : 0;
    both += usesMain && usesAux ? line.times() : 0;
    idle += usesMain || usesAux ? 0 : line.times();
  }
}

} // namespace populus::profile
