// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts about instructions and control registers that every layer of the target
// needs: the bits that IPUInstrFormats.td puts into TSFlags, and the names and
// numbers of control registers.

#ifndef POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUBASEINFO_H
#define POPULUS_LIB_TARGET_IPU_MCTARGETDESC_IPUBASEINFO_H

#include "llvm/ADT/StringRef.h"
#include "llvm/MC/MCInstrDesc.h"
#include <optional>

namespace llvm {

namespace IPUII {
enum Contexts : unsigned { AnyContext = 0, WorkerOnly = 1, SupervisorOnly = 2 };

inline bool isAux(const MCInstrDesc &D) { return D.TSFlags & 1; }
inline unsigned contexts(const MCInstrDesc &D) { return D.TSFlags >> 1 & 3; }
inline bool isControl(const MCInstrDesc &D) { return D.TSFlags >> 3 & 1; }
inline bool isSystem(const MCInstrDesc &D) { return D.TSFlags >> 4 & 1; }
inline bool noBundle(const MCInstrDesc &D) { return D.TSFlags >> 5 & 1; }

/// Names the part that an instruction with this last immediate uses and that a
/// processor with one set of accumulators and weights lacks; empty if there is
/// none.
StringRef secondSetOf(unsigned Opcode, int64_t Imm);

/// Set in the first word of a bundle.
inline constexpr uint32_t BundleBit = 1u << 31;
/// Set in words of the auxiliary pipe.
inline constexpr uint32_t AuxBit = 1u << 30;
} // namespace IPUII

namespace IPUCsr {
/// The numbered spaces: get/put of a worker or the supervisor, uget/uput.
enum class Space { Worker, Supervisor, Upper };

/// The index of the control register of that name, without "$".
std::optional<unsigned> find(Space S, StringRef Name);
/// The name of a control register, or empty.
StringRef name(Space S, unsigned Index);
} // namespace IPUCsr

} // namespace llvm

#endif
