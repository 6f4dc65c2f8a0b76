// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Iterative modulo scheduling. A new iteration starts every `Interval` issue
// slots, while older ones are still running. For example, y[i] = s * x[i] has a
// load and a store, which both need the main pipe, so its interval is two. With
// the load in slot 0, the multiplication in slot 1 and the store in slot 3
// (slot 2 has the next load), the loop repeats two bundles in which two
// iterations (stages) overlap:
//
//     slot 0   { load x[i]         ;                     }
//     slot 1   { store y[i - 1]    ; multiply x[i] and s }
//
// The two halves of the second bundle use the same register for y: both halves
// of a bundle read before either writes. If one instruction can load and store
// (ldst64pace), the interval is one, with three stages:
//
//     slot 0   { load x[i], store y[i - 2] ; multiply x[i - 1] and s }
//
// The constraints are edges between two instructions: the second one starts at
// least Latency slots after the first one of the same iteration, or of the
// iteration Distance before. One of them keeps an iteration from overwriting a
// value before the iteration in front has read it. A value that is local to the
// body counts as a register of its own. All local values get registers when
// there is a schedule; if none fit, the registers that they have now are tried.
//
// The search tries growing intervals. It places the most constrained
// instruction first, in its earliest free slot. Instructions whose constraints
// are then violated are removed and placed again, for a limited number of
// times. A schedule always exists: the order of the program, with one
// instruction a slot.
//
// Accesses that are to be one instruction are one node of the search, that of
// the load. The constraints of a fused store become constraints of the load,
// shifted by as many intervals as its iteration is earlier. A result that the
// next iteration reads is fused in the same way.

#include "lib/Target/IPU/IPUModuloScheduler.h"
#include "lib/Target/IPU/IPULocalRegisters.h"
#include "lib/Target/IPU/IPULoopAddresses.h"
#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <optional>

using namespace llvm;

namespace {

/// To starts at least Latency slots after From, which is Distance iterations
/// earlier (or later, if negative).
struct Edge {
  unsigned From, To;
  int Latency;
  int Distance;

  /// The least difference of their slots.
  int gap(int Interval) const { return Latency - Interval * Distance; }
};

/// The reads and writes of an instruction: units of registers; the state that
/// no operand shows (accumulators and the like) as one more unit; and local
/// values.
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
  // The edges of each instruction that waits, and of each one that is waited
  // for.
  std::vector<std::vector<Edge>> Into, OutOf;

  /// Without local values, their registers count.
  Constraints(const IPULoopToSchedule &Loop, const LocalValues *Values);

  /// Makes one node of two instructions, the first one's, where the second is
  /// from so many iterations before.
  void fuse(unsigned First, unsigned Second, int Earlier);

  /// Makes one node of what starts and what reads the result before, the
  /// starting one's.
  void merge(IPUDelayedResult Delayed);

private:
  Access accessesOf(const MachineInstr &MI, const LocalValues *Values) const;
  std::optional<int> latency(unsigned From, unsigned To, int Distance) const;
  bool memoryConflict(const MachineInstr &A, const MachineInstr &B,
                      int Distance) const;
};

/// The goal of a search.
struct Goal {
  int Interval, Stages;
  std::optional<IPUFusion> Fused;
  std::optional<IPUDelayedResult> Delayed;

  /// Iterations between the loads and the store that are fused.
  int earlier() const { return Stages - 1; }
};

/// The search for a schedule of a given interval.
class Search {
  ArrayRef<MachineInstr *> Body;
  const Constraints &All;
  const Goal Wanted;
  const int Interval;
  // Per instruction; -1 is not placed.
  std::vector<int> Slots, LastSlots, Heights;
  // The instruction that has each pipe in each slot of the interval.
  std::vector<int> Taken[2];

public:
  Search(ArrayRef<MachineInstr *> Body, const Constraints &All, Goal Wanted)
      : Body(Body), All(All), Wanted(Wanted), Interval(Wanted.Interval),
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
  int end(int Instr) const;
  bool isPartOfOther(int Instr) const {
    return (Wanted.Fused && Wanted.Fused->isPart(Instr)) ||
           (Wanted.Delayed && int(Wanted.Delayed->Read) == Instr);
  }
  bool isFused(int Instr) const {
    return Wanted.Fused && int(Wanted.Fused->Load) == Instr;
  }
  std::vector<unsigned> result() const;
  void placeLate();
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

Access Constraints::accessesOf(const MachineInstr &MI,
                               const LocalValues *Values) const {
  const MachineFunction &MF = *MI.getMF();
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  const unsigned State = TRI.getNumRegUnits();
  Access Result;
  for (const MachineOperand &MO : MI.operands()) {
    if (!MO.isReg() || !MO.getReg() ||
        MF.getRegInfo().isConstantPhysReg(MO.getReg()))
      continue;
    SmallVector<unsigned, 8> &Units = MO.isDef() ? Result.Writes : Result.Reads;
    if (auto Value = Values ? Values->valueOf(MO) : std::nullopt) {
      Units.push_back(State + 1 + *Value);
      continue;
    }
    append_range(Units, TRI.regunits(MO.getReg().asMCReg()));
  }
  if (MI.hasUnmodeledSideEffects()) {
    Result.Reads.push_back(State);
    Result.Writes.push_back(State);
  }
  return Result;
}

static bool overlap(ArrayRef<unsigned> A, ArrayRef<unsigned> B) {
  return any_of(A, [&](unsigned Unit) { return is_contained(B, Unit); });
}

/// Returns whether two objects in memory are different ones for the whole loop.
/// Facts about addresses within one iteration do not hold between two.
static bool differentObjects(const MachineMemOperand &A,
                             const MachineMemOperand &B, AAResults &AA) {
  for (const MachineMemOperand *MMO : {&A, &B})
    if (const PseudoSourceValue *Pseudo = MMO->getPseudoValue())
      return Pseudo->isConstant(nullptr);
  if (!A.getValue() || !B.getValue())
    return false;
  // Offsets do not matter, and the analysis gives up where only one has some.
  auto Object = [](const MachineMemOperand &MMO) {
    return MemoryLocation::getBeforeOrAfter(getUnderlyingObject(MMO.getValue()),
                                            MMO.getAAInfo());
  };
  return AA.isNoAlias(Object(A), Object(B));
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

// Makes edges for all pairs. An edge across another write also follows from the
// edges of that write.
Constraints::Constraints(const IPULoopToSchedule &Loop,
                         const LocalValues *Values)
    : Body(Loop.Body), AA(Loop.AA), Addresses(Loop.Addresses),
      Into(Body.size()), OutOf(Body.size()) {
  for (const MachineInstr *MI : Body)
    Accesses.push_back(accessesOf(*MI, Values));
  for (unsigned From = 0; From != Body.size(); ++From)
    for (unsigned To = 0; To != Body.size(); ++To)
      for (int Distance : {0, 1})
        if (Distance == 1 || From < To)
          if (std::optional<int> Slots = latency(From, To, Distance)) {
            OutOf[From].push_back({From, To, *Slots, Distance});
            Into[To].push_back(OutOf[From].back());
          }
}

void Constraints::fuse(unsigned First, unsigned Second, int Earlier) {
  std::vector<std::vector<Edge>> Old(Body.size());
  std::swap(Old, OutOf);
  for (std::vector<Edge> &List : Into)
    List.clear();
  for (const std::vector<Edge> &List : Old)
    for (Edge E : List) {
      if (E.To == Second) {
        E.To = First;
        E.Distance += Earlier;
      }
      if (E.From == Second) {
        E.From = First;
        E.Distance -= Earlier;
      }
      OutOf[E.From].push_back(E);
      Into[E.To].push_back(E);
    }
}

// Reading comes before the next start because of the accumulators alone, and
// the instruction that does both reads them before it writes them.
void Constraints::merge(IPUDelayedResult Delayed) {
  auto IsOrder = [&](const Edge &E) {
    return E.From == Delayed.Read && E.To == Delayed.Start && E.Distance == 1;
  };
  llvm::erase_if(OutOf[Delayed.Read], IsOrder);
  llvm::erase_if(Into[Delayed.Start], IsOrder);
  fuse(Delayed.Start, Delayed.Read, 1);
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

// Computes Heights: the slots that the instructions behind each one take.
// Returns false if the interval is too short for the dependences between
// iterations.
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
    if (Slots[I] < 0 && !isPartOfOther(I) &&
        (Best < 0 || Heights[I] > Heights[Best]))
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

/// Returns the first slot that an instruction cannot have. Fused accesses are
/// in the first stage, so that only their part of an earlier iteration is left
/// to do after the loop. A result is read a stage after its start.
int Search::end(int Instr) const {
  if (isFused(Instr))
    return Interval;
  bool Starts = Wanted.Delayed && int(Wanted.Delayed->Start) == Instr;
  return Interval * (Wanted.Stages - Starts);
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

// Moves each load to the latest slot that is possible and free: an early load
// would occupy its register for long.
void Search::placeLate() {
  for (int I = Body.size(); I-- != 0;) {
    if (!Body[I]->mayLoad() || isFused(I) || isPartOfOther(I))
      continue;
    int Latest = end(I) - 1;
    for (const Edge &E : All.OutOf[I])
      if (int(E.To) != I)
        Latest = std::min(Latest, Slots[E.To] - E.gap(Interval));
    for (int Slot = Latest; Slot > Slots[I]; --Slot)
      if (pipe(I, Slot) < 0) {
        pipe(I, Slots[I]) = -1;
        Slots[I] = Slot;
        pipe(I, Slot) = I;
        break;
      }
  }
}

std::vector<unsigned> Search::result() const {
  std::vector<unsigned> Result(Slots.begin(), Slots.end());
  if (Wanted.Fused) {
    unsigned Slot = Slots[Wanted.Fused->Load];
    if (Wanted.Fused->OtherLoad)
      Result[*Wanted.Fused->OtherLoad] = Slot;
    if (Wanted.Fused->Store)
      Result[*Wanted.Fused->Store] = Slot + Wanted.earlier() * Interval;
  }
  if (Wanted.Delayed)
    Result[Wanted.Delayed->Read] = Slots[Wanted.Delayed->Start] + Interval;
  return Result;
}

std::optional<std::vector<unsigned>> Search::run() {
  if (!measure())
    return std::nullopt;
  for (size_t Budget = 8 * Body.size(); Budget; --Budget) {
    int Instr = nextToPlace();
    if (Instr < 0) {
      placeLate();
      return result();
    }
    int Slot = freeSlot(Instr, earliest(Instr));
    if (Slot >= end(Instr))
      return std::nullopt;
    place(Instr, Slot);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The shortest interval
//===----------------------------------------------------------------------===//

namespace {

/// Tries intervals, numbers of stages, and what may be fused.
class Scheduler {
  const IPULoopToSchedule &Loop;
  const Constraints WithValues, WithRegisters;
  unsigned InMain = 0, InAux = 0;

public:
  explicit Scheduler(const IPULoopToSchedule &Loop)
      : Loop(Loop), WithValues(Loop, &Loop.Values),
        WithRegisters(Loop, nullptr) {
    for (const MachineInstr *MI : Loop.Body)
      ++(IPUII::isAux(MI->getDesc()) ? InAux : InMain);
  }

  IPUModuloSchedule run() const;

private:
  std::optional<std::vector<unsigned>> search(const Constraints &All,
                                              Goal Wanted) const;
  bool tryOne(Goal Wanted, IPUModuloSchedule &Result) const;
  bool tryFusions(Goal Wanted, IPUModuloSchedule &Result) const;
  bool tryInterval(unsigned Interval, unsigned FirstStages, unsigned LastStages,
                   IPUModuloSchedule &Result) const;
  IPUModuloSchedule serial() const;
};

} // namespace

std::optional<std::vector<unsigned>> Scheduler::search(const Constraints &All,
                                                       Goal Wanted) const {
  if (!Wanted.Fused && !Wanted.Delayed)
    return Search(Loop.Body, All, Wanted).run();
  Constraints Together = All;
  if (Wanted.Delayed)
    Together.merge(*Wanted.Delayed);
  if (Wanted.Fused && Wanted.Fused->OtherLoad)
    Together.fuse(Wanted.Fused->Load, *Wanted.Fused->OtherLoad, 0);
  if (Wanted.Fused && Wanted.Fused->Store)
    Together.fuse(Wanted.Fused->Load, *Wanted.Fused->Store, Wanted.earlier());
  return Search(Loop.Body, Together, Wanted).run();
}

bool Scheduler::tryOne(Goal Wanted, IPUModuloSchedule &Result) const {
  bool NeedsQuad = Wanted.Fused && Wanted.Fused->needsQuad();
  LocalValues::Quad Quad;
  if (NeedsQuad)
    Quad = {Loop.Body[Wanted.Fused->Load], Loop.Body[*Wanted.Fused->OtherLoad]};
  auto Slots = search(WithValues, Wanted);
  if (!Slots || !Loop.Values.assign(*Slots, Wanted.Interval, Quad)) {
    // Without values of their own the loads cannot be given a quad, so a quad
    // has no second try.
    Slots = NeedsQuad ? std::nullopt : search(WithRegisters, Wanted);
    if (!Slots)
      return false;
  }
  Result = {unsigned(Wanted.Interval), std::move(*Slots), Wanted.Fused,
            Wanted.Delayed};
  return true;
}

bool Scheduler::tryInterval(unsigned Interval, unsigned FirstStages,
                            unsigned LastStages,
                            IPUModuloSchedule &Result) const {
  for (unsigned Stages = FirstStages; Stages <= LastStages; ++Stages) {
    Goal Wanted{int(Interval), int(Stages), std::nullopt, std::nullopt};
    if (InAux <= Interval && tryFusions(Wanted, Result))
      return true;
    Wanted.Delayed = Loop.Delayed;
    if (Wanted.Delayed && tryFusions(Wanted, Result))
      return true;
  }
  return false;
}

bool Scheduler::tryFusions(Goal Wanted, IPUModuloSchedule &Result) const {
  unsigned Interval = Wanted.Interval;
  if (InMain <= Interval && tryOne(Wanted, Result))
    return true;
  for (const IPUFusion &Fusion : Loop.Fusions) {
    Wanted.Fused = Fusion;
    if (InMain - Fusion.saved() <= Interval && tryOne(Wanted, Result))
      return true;
  }
  return false;
}

/// The order of the program.
IPUModuloSchedule Scheduler::serial() const {
  IPUModuloSchedule Result;
  Result.Interval = Loop.Body.size();
  for (unsigned I = 0; I != Loop.Body.size(); ++I)
    Result.Slots.push_back(I);
  return Result;
}

IPUModuloSchedule Scheduler::run() const {
  IPUModuloSchedule Result;
  unsigned LeastMain = InMain;
  for (const IPUFusion &Fusion : Loop.Fusions)
    LeastMain = std::min(LeastMain, InMain - Fusion.saved());
  unsigned LeastAux = InAux - Loop.Delayed.has_value();
  for (unsigned Interval = std::max(LeastAux, LeastMain);
       Interval < Loop.Body.size(); ++Interval)
    if (tryInterval(Interval, 1, Loop.CheapStages, Result) ||
        tryInterval(Interval, Loop.CheapStages + 1, Loop.MaxStages, Result))
      return Result;
  return serial();
}

IPUModuloSchedule llvm::scheduleLoop(const IPULoopToSchedule &Loop) {
  return Scheduler(Loop).run();
}
