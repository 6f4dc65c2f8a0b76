// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of control registers. Numbers are visible in source code and
// therefore fixed.

#include "lib/Target/IPU/MCTargetDesc/IPUBaseInfo.h"
#include "lib/Target/IPU/MCTargetDesc/IPUMCTargetDesc.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using IPUCsr::Space;

StringRef IPUII::secondSetOf(unsigned Opcode, int64_t Imm) {
  switch (Opcode) {
  case IPU::F32SISOV2AMP:
  case IPU::F16V4HIHOV4AMP:
  case IPU::F16V4HIHOV4SLIC:
    return "a second set of accumulators";
  case IPU::F32V2GINA:
  case IPU::F16V2GINA:
    return Imm & 2 ? "a second set of accumulators" : "";
  case IPU::LD64PUTCS:
    return Imm >= 32 ? "more than 32 weight registers" : "";
  case IPU::LD128PUTCS:
    return Imm >= 31 ? "more than 32 weight registers" : "";
  default:
    return "";
  }
}

namespace {
struct CsrRow {
  Space S;
  unsigned Index;
  const char *Name;
};
} // namespace

static const CsrRow CsrTable[] = {
    {Space::Worker, 0, "PC"},
    {Space::Worker, 1, "WSR"},
    {Space::Worker, 2, "VERTEX_BASE"},
    {Space::Worker, 3, "WORKER_BASE"},
    {Space::Worker, 4, "REPEAT_COUNT"},
    {Space::Worker, 5, "REPEAT_FIRST"},
    {Space::Worker, 6, "REPEAT_END"},
    {Space::Worker, 96, "COUNT_L"},
    {Space::Worker, 97, "COUNT_U"},
    {Space::Worker, 98, "TILE_ID"},
    {Space::Worker, 112, "DBG_DATA"},
    {Space::Worker, 113, "DBG_BRK_ID"},
    {Space::Upper, 0, "FP_STS"},
    {Space::Upper, 1, "FP_CLR"},
    {Space::Upper, 2, "FP_CTL"},
    {Space::Upper, 3, "PRNG_0_0"},
    {Space::Upper, 4, "PRNG_0_1"},
    {Space::Upper, 5, "PRNG_1_0"},
    {Space::Upper, 6, "PRNG_1_1"},
    {Space::Upper, 7, "PRNG_SEED"},
    {Space::Upper, 8, "TAS"},
    {Space::Upper, 9, "FP_NFMT"},
    {Space::Upper, 10, "FP_SCL"},
    {Space::Supervisor, 0, "PC"},
    {Space::Supervisor, 1, "SSR"},
    {Space::Supervisor, 2, "CR"},
    {Space::Supervisor, 3, "TILE_ID"},
    {Space::Supervisor, 32, "FP_ICTL"},
    {Space::Supervisor, 33, "WORKER0_BASE"},
    {Space::Supervisor, 34, "WORKER1_BASE"},
    {Space::Supervisor, 35, "WORKER2_BASE"},
    {Space::Supervisor, 36, "WORKER3_BASE"},
    {Space::Supervisor, 37, "WORKER4_BASE"},
    {Space::Supervisor, 38, "WORKER5_BASE"},
    {Space::Supervisor, 49, "FP_INFMT"},
    {Space::Supervisor, 51, "FP_ISCL"},
    {Space::Supervisor, 80, "CCCSLOAD"},
    {Space::Supervisor, 96, "SCOUNT_L"},
    {Space::Supervisor, 97, "SCOUNT_U"},
    {Space::Supervisor, 112, "DBG_DATA"},
    {Space::Supervisor, 113, "DBG_BRK_ID"},
    {Space::Supervisor, 114, "CTXT_STS"},
};

std::optional<unsigned> IPUCsr::find(Space S, StringRef Name) {
  for (const CsrRow &Row : CsrTable)
    if (Row.S == S && Name == Row.Name)
      return Row.Index;
  // Weights of the matrix units: $CWEI_n_m is 4 n + m.
  if (S != Space::Upper && Name.consume_front("CWEI_")) {
    auto [N, M] = Name.split('_');
    unsigned Unit, Column;
    if (!N.getAsInteger(10, Unit) && !M.getAsInteger(10, Column) && Unit < 16 &&
        Column < 4)
      return 4 * Unit + Column;
  }
  return std::nullopt;
}

StringRef IPUCsr::name(Space S, unsigned Index) {
  for (const CsrRow &Row : CsrTable)
    if (Row.S == S && Row.Index == Index)
      return Row.Name;
  return "";
}
