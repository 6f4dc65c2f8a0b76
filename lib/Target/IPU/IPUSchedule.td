// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine seen by the schedulers. A worker sees every result in its next
// issue slot, so latencies do not matter; what counts is the number of slots, and
// that a main and an auxiliary instruction can share one.


def WriteMain : SchedWrite;
def WriteAux : SchedWrite;

def IPUModel : SchedMachineModel {
  let IssueWidth = 2;
  let MicroOpBufferSize = 0;
  let LoadLatency = 1;
  let HighLatency = 6;
  let MispredictPenalty = 0;
  let PostRAScheduler = 0;
  let CompleteModel = 0;
}

let SchedModel = IPUModel in {
  def MainPipe : ProcResource<1> { let BufferSize = 0; }
  def AuxPipe : ProcResource<1> { let BufferSize = 0; }
  def : WriteRes<WriteMain, [MainPipe]>;
  def : WriteRes<WriteAux, [AuxPipe]>;
}
