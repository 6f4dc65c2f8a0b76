// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The addresses of a loop body's accesses, as far as its registers tell. They
// show that one iteration does not store what the next one loads. They let the
// loads of an array that is changed in place run ahead of its stores. And they
// let an access have a pointer of its own, which one instruction can move for
// it.

#ifndef POPULUS_LIB_TARGET_IPU_IPULOOPADDRESSES_H
#define POPULUS_LIB_TARGET_IPU_IPULOOPADDRESSES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineBasicBlock.h"

namespace llvm {

class IPUInstrInfo;

/// A pointer of its own for an access: to be set to Pointer + Offset before the
/// loop.
struct SplitPointer {
  Register Own, Pointer;
  int64_t Offset;
};

class LoopAddresses {
  /// The origin of a register's value at the start of the loop: another
  /// register as an instruction left it, or, without an instruction, as it was
  /// at the start of the block before the loop.
  struct Origin {
    Register Reg;
    const MachineInstr *Def = nullptr;
    int64_t Offset = 0;
  };
  struct Address {
    /// The register that has the address.
    Register Pointer;
    Origin From;
    /// Counted from the register's value at the start of the iteration.
    int64_t Offset;
    /// Bytes accessed, and between iterations.
    int64_t Size, Stride;
  };
  SmallVectorImpl<MachineInstr *> &Body;
  const MachineBasicBlock *Entry;
  const IPUInstrInfo &TII;
  DenseMap<const MachineInstr *, Address> Addresses;

public:
  /// Entry is the only block before the loop, or null.
  LoopAddresses(SmallVectorImpl<MachineInstr *> &Body,
                const MachineBasicBlock *Entry, const IPUInstrInfo &TII);

  /// Returns whether First and, in any later iteration, Second may access the
  /// same bytes.
  bool mayMeet(const MachineInstr &First, const MachineInstr &Second) const;

  /// If a store moves the pointer that a load uses before it, gives the load a
  /// pointer of its own. FreeRegister returns a register for it, or none. The
  /// answers of mayMeet stay right.
  SmallVector<SplitPointer, 2>
  splitPointers(function_ref<MCRegister()> FreeRegister);

  /// Pointers that several accesses of 64 bits use and nothing else.
  SmallVector<Register, 4> sharedPointers() const;
  /// Gives each of those accesses a pointer that it moves itself, as long as
  /// there are registers. Removes the instructions that moved the shared
  /// pointer from the body; nothing but the body may need it. The answers of
  /// mayMeet stay right.
  SmallVector<SplitPointer, 2>
  separate(Register Pointer, function_ref<MCRegister()> FreeRegister);

private:
  SmallVector<MachineInstr *, 4> accessesToSeparate(Register Pointer) const;
  Origin originOf(Register Pointer) const;
  void analyzePointer(Register Pointer);
  MachineInstr *loadToSplit(const MachineInstr &Store) const;
};

} // namespace llvm

#endif
