// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterative modulo scheduling. The constraints are edges between two
// instructions: so many slots after the other one of the same iteration, or of
// the one before. Registers are physical, so an iteration must not overwrite
// what the one before still reads; since both halves of a bundle read before
// either writes, it may do so in the very slot of the last read. For growing
// intervals the most constrained instruction is placed first, in its earliest
// free slot; what then is in the way is taken out and placed again, for a
// limited number of times. In the order of the program, one instruction a slot,
// a schedule always exists.

#include "lib/Target/IPU/IPUModuloScheduler.h"
#include "lib/Target/IPU/IPULoopAddresses.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <optional>

using namespace llvm;

namespace {

/// To starts at least Latency slots after From, which is Distance iterations
/// earlier.
struct Edge {
  unsigned From, To;
  int Latency;
  int Distance;

  /// The least difference of their slots.
  int gap(int Interval) const { return Latency - Interval * Distance; }
};

/// What an instruction reads and writes: units of registers, and the state that
/// no operand shows (accumulators and the like) as one more.
struct Access {
  SmallVector<unsigned, 8> Reads, Writes;
};

/// All constraints between the instructions of a body.
class Constraints {
  ArrayRef<MachineInstr *> Body;
  AAResults &AA;
  const LoopAddresses &Addresses;
  std::vector<Access> Accesses;

public:
  // By the instruction that waits, and by the one that is waited for.
  std::vector<std::vector<Edge>> Into, OutOf;

  Constraints(ArrayRef<MachineInstr *> Body, AAResults &AA,
              const LoopAddresses &Addresses);

private:
  std::optional<int> latency(unsigned From, unsigned To, int Distance) const;
  bool memoryConflict(const MachineInstr &A, const MachineInstr &B,
                      int Distance) const;
};

/// The search for a schedule of a given interval.
class Search {
  ArrayRef<MachineInstr *> Body;
  const Constraints &All;
  const int Interval, End;
  // Per instruction; -1 is not placed.
  std::vector<int> Slots, LastSlots, Heights;
  // Who has a pipe in a slot of the interval.
  std::vector<int> Taken[2];

public:
  Search(ArrayRef<MachineInstr *> Body, const Constraints &All, int Interval,
         int Stages)
      : Body(Body), All(All), Interval(Interval), End(Interval * Stages),
        Slots(Body.size(), -1), LastSlots(Body.size(), -1),
        Heights(Body.size(), 0) {
    for (std::vector<int> &Pipe : Taken)
      Pipe.assign(Interval, -1);
  }

  std::optional<std::vector<unsigned>> run();

private:
  bool measure();
  int nextToPlace() const;
  int earliest(int Instr) const;
  int freeSlot(int Instr, int From) const;
  void place(int Instr, int Slot);
  void remove(int Instr);
  int &pipe(int Instr, int Slot) {
    return Taken[IPUII::isAux(Body[Instr]->getDesc())][Slot % Interval];
  }
};

} // namespace

unsigned IPUModuloSchedule::stages() const {
  return *std::max_element(Slots.begin(), Slots.end()) / Interval + 1;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

static Access accessesOf(const MachineInstr &MI) {
  const MachineFunction &MF = *MI.getMF();
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  Access Result;
  for (const MachineOperand &MO : MI.operands()) {
    if (!MO.isReg() || !MO.getReg() ||
        MF.getRegInfo().isConstantPhysReg(MO.getReg()))
      continue;
    for (unsigned Unit : TRI.regunits(MO.getReg().asMCReg()))
      (MO.isDef() ? Result.Writes : Result.Reads).push_back(Unit);
  }
  if (MI.hasUnmodeledSideEffects()) {
    unsigned State = TRI.getNumRegUnits();
    Result.Reads.push_back(State);
    Result.Writes.push_back(State);
  }
  return Result;
}

static bool overlap(ArrayRef<unsigned> A, ArrayRef<unsigned> B) {
  return any_of(A, [&](unsigned Unit) { return is_contained(B, Unit); });
}

/// Whether two objects in memory are different ones for the whole loop. What is
/// known of addresses within one iteration does not hold between two.
static bool differentObjects(const MachineMemOperand &A,
                             const MachineMemOperand &B, AAResults &AA) {
  for (const MachineMemOperand *MMO : {&A, &B})
    if (const PseudoSourceValue *Pseudo = MMO->getPseudoValue())
      return Pseudo->isConstant(nullptr);
  if (!A.getValue() || !B.getValue())
    return false;
  return AA.isNoAlias(
      MemoryLocation::getBeforeOrAfter(A.getValue(), A.getAAInfo()),
      MemoryLocation::getBeforeOrAfter(B.getValue(), B.getAAInfo()));
}

bool Constraints::memoryConflict(const MachineInstr &A, const MachineInstr &B,
                                 int Distance) const {
  if (!A.mayLoadOrStore() || !B.mayLoadOrStore())
    return false;
  if (A.hasOrderedMemoryRef() || B.hasOrderedMemoryRef())
    return true;
  if (!A.mayStore() && !B.mayStore())
    return false;
  if (Distance == 0)
    return A.mayAlias(&AA, B, /*UseTBAA=*/true);
  if (!Addresses.mayMeet(A, B))
    return false;
  for (const MachineMemOperand *X : A.memoperands())
    for (const MachineMemOperand *Y : B.memoperands())
      if ((X->isStore() || Y->isStore()) && !differentObjects(*X, *Y, AA))
        return true;
  return false;
}

std::optional<int> Constraints::latency(unsigned From, unsigned To,
                                        int Distance) const {
  const Access &A = Accesses[From], &B = Accesses[To];
  if (overlap(A.Writes, B.Reads) || overlap(A.Writes, B.Writes) ||
      memoryConflict(*Body[From], *Body[To], Distance))
    return 1;
  if (overlap(A.Reads, B.Writes))
    return 0;
  return std::nullopt;
}

// All pairs. Those with another write between them follow from the others.
Constraints::Constraints(ArrayRef<MachineInstr *> Body, AAResults &AA,
                         const LoopAddresses &Addresses)
    : Body(Body), AA(AA), Addresses(Addresses), Into(Body.size()),
      OutOf(Body.size()) {
  for (const MachineInstr *MI : Body)
    Accesses.push_back(accessesOf(*MI));
  for (unsigned From = 0; From != Body.size(); ++From)
    for (unsigned To = 0; To != Body.size(); ++To)
      for (int Distance : {0, 1})
        if (Distance == 1 || From < To)
          if (std::optional<int> Slots = latency(From, To, Distance)) {
            OutOf[From].push_back({From, To, *Slots, Distance});
            Into[To].push_back(OutOf[From].back());
          }
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

// How long what follows an instruction takes. False if an iteration depends on
// the one before in such a way that the interval is too short.
bool Search::measure() {
  for (size_t Round = 0; Round <= Body.size(); ++Round) {
    bool Changed = false;
    for (size_t From = Body.size(); From-- != 0;)
      for (const Edge &E : All.OutOf[From]) {
        int Height = Heights[E.To] + E.gap(Interval);
        if (Height > Heights[From]) {
          Heights[From] = Height;
          Changed = true;
        }
      }
    if (!Changed)
      return true;
  }
  return false;
}

int Search::nextToPlace() const {
  int Best = -1;
  for (int I = 0, E = Body.size(); I != E; ++I)
    if (Slots[I] < 0 && (Best < 0 || Heights[I] > Heights[Best]))
      Best = I;
  return Best;
}

int Search::earliest(int Instr) const {
  int Result = 0;
  for (const Edge &E : All.Into[Instr])
    if (Slots[E.From] >= 0)
      Result = std::max(Result, Slots[E.From] + E.gap(Interval));
  return Result;
}

int Search::freeSlot(int Instr, int From) const {
  const std::vector<int> &Pipe = Taken[IPUII::isAux(Body[Instr]->getDesc())];
  for (int Slot = From; Slot != From + Interval; ++Slot)
    if (Pipe[Slot % Interval] < 0)
      return Slot;
  return std::max(From, LastSlots[Instr] + 1);
}

void Search::remove(int Instr) {
  pipe(Instr, Slots[Instr]) = -1;
  Slots[Instr] = -1;
}

void Search::place(int Instr, int Slot) {
  if (int InTheWay = pipe(Instr, Slot); InTheWay >= 0)
    remove(InTheWay);
  pipe(Instr, Slot) = Instr;
  Slots[Instr] = LastSlots[Instr] = Slot;
  for (const Edge &E : All.OutOf[Instr])
    if (int(E.To) != Instr && Slots[E.To] >= 0 &&
        Slots[E.To] < Slot + E.gap(Interval))
      remove(E.To);
}

std::optional<std::vector<unsigned>> Search::run() {
  if (!measure())
    return std::nullopt;
  for (size_t Budget = 8 * Body.size(); Budget; --Budget) {
    int Instr = nextToPlace();
    if (Instr < 0)
      return std::vector<unsigned>(Slots.begin(), Slots.end());
    int Slot = freeSlot(Instr, earliest(Instr));
    if (Slot >= End)
      return std::nullopt;
    place(Instr, Slot);
  }
  return std::nullopt;
}

IPUModuloSchedule llvm::scheduleLoop(ArrayRef<MachineInstr *> Body,
                                     unsigned MaxStages, AAResults &AA,
                                     const LoopAddresses &Addresses) {
  Constraints All(Body, AA, Addresses);
  unsigned InAux = count_if(
      Body, [](const MachineInstr *MI) { return IPUII::isAux(MI->getDesc()); });
  unsigned InMain = Body.size() - InAux;
  for (unsigned Interval = std::max(InAux, InMain); Interval < Body.size();
       ++Interval)
    for (unsigned Stages = 1; Stages <= MaxStages; ++Stages)
      if (auto Slots = Search(Body, All, Interval, Stages).run())
        return {Interval, std::move(*Slots)};

  IPUModuloSchedule Serial{unsigned(Body.size()), {}};
  for (unsigned I = 0; I != Body.size(); ++I)
    Serial.Slots.push_back(I);
  return Serial;
}
