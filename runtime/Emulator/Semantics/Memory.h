// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores: base + delta + scaled offset, post-increment, and the
// sparse loads whose offsets come from memory. Only offsets and strides are
// scaled by the access size. Where a load writes the register that it
// increments, the loaded value stays.

#ifndef POPULUS_RUNTIME_EMULATOR_SEMANTICS_MEMORY_H
#define POPULUS_RUNTIME_EMULATOR_SEMANTICS_MEMORY_H

#include "runtime/Emulator/Machine/Instruction.h"
#include "runtime/Emulator/Semantics/Permutes.h"

namespace populus::runtime::emulator {

/// 128 bits, with the alignment that the check takes from the size.
struct Quad {
  std::uint32_t word[4];
};

// The kinds of loads: the type in memory, and the conversion to the register.
struct LoadM32 {
  using Type = std::uint32_t;
  static void set(Context &c, Register d, Type value) { c.m[d] = value; }
};
template <typename T> struct LoadExtended {
  using Type = T; // signed types extend the sign
  static void set(Context &c, Register d, Type value) {
    c.m[d] = static_cast<std::uint32_t>(std::int32_t(value));
  }
};
using LoadZ16 = LoadExtended<std::uint16_t>;
using LoadS16 = LoadExtended<std::int16_t>;
using LoadZ8 = LoadExtended<std::uint8_t>;
using LoadS8 = LoadExtended<std::int8_t>;
// Floats most often, which the host has registers of their own for.
struct LoadA32 {
  using Type = float;
  static void set(Context &c, Register d, Type value) {
    c.a[d] = asBits(value);
  }
};
struct LoadBroadcast16 {
  using Type = std::uint16_t;
  static void set(Context &c, Register d, Type value) {
    c.a[d] = halves(value, value);
  }
};
struct LoadA64 {
  using Type = std::uint64_t;
  static void set(Context &c, Register d, Type value) {
    writePair(c, d, value);
  }
};
struct LoadA128 {
  using Type = Quad;
  static void set(Context &c, Register d, const Type &value) {
    std::memcpy(&c.a[d], &value, sizeof(value));
  }
};

struct StoreM32 {
  using Type = std::uint32_t;
  static Type get(const Context &c, Register s) { return c.m[s]; }
};
struct StoreA32 {
  using Type = float;
  static Type get(const Context &c, Register s) { return asFloat(c.a[s]); }
};
struct StoreA64 {
  using Type = std::uint64_t;
  static Type get(const Context &c, Register s) { return readPair(c, s); }
};

template <typename Form> bool loadInto(Context &c, Register d, Address ea) {
  typename Form::Type value;
  if (!load(c, ea, value))
    return false;
  if constexpr (sizeof(value) == 16)
    if (ea < c.interleavedBegin)
      return c.fault(FaultKind::NotInterleaved, ea);
  Form::set(c, d, value);
  return true;
}

template <typename Form>
bool loadStep(Context &c, Register d, Register base, Register delta,
              Register deltaOut, std::uint32_t stride) {
  typename Form::Type value;
  const std::uint32_t old = c.m[delta];
  const Address ea = c.m[base] + old;
  if (!load(c, ea, value))
    return false;
  if constexpr (sizeof(value) == 16)
    if (ea < c.interleavedBegin)
      return c.fault(FaultKind::NotInterleaved, ea);
  c.m[deltaOut] = old + stride * std::uint32_t(sizeof(value));
  Form::set(c, d, value);
  return true;
}

template <typename Form>
bool storeStep(Context &c, Register s, Register base, Register delta,
               Register deltaOut, std::uint32_t stride) {
  const std::uint32_t old = c.m[delta];
  if (!store(c, c.m[base] + old, Form::get(c, s)))
    return false;
  c.m[deltaOut] = old + stride * std::uint32_t(sizeof(typename Form::Type));
  return true;
}

#define LOAD(NAME, FORM)                                                       \
  INSTRUCTION(NAME##_bdi, Register d, Register base, Register delta,           \
              std::int32_t imm) {                                              \
    return loadInto<FORM>(c, d,                                                \
                          c.m[base] + c.m[delta] +                             \
                              std::uint32_t(imm) * sizeof(FORM::Type));        \
  }                                                                            \
  INSTRUCTION(NAME##_bdr, Register d, Register base, Register delta,           \
              Register off) {                                                  \
    return loadInto<FORM>(                                                     \
        c, d, c.m[base] + c.m[delta] + c.m[off] * sizeof(FORM::Type));         \
  }
#define LOAD_STEP(NAME, FORM)                                                  \
  INSTRUCTION(NAME##_i, Register d, Register base, Register delta,             \
              Register deltaOut, std::int32_t imm) {                           \
    return loadStep<FORM>(c, d, base, delta, deltaOut, std::uint32_t(imm));    \
  }                                                                            \
  INSTRUCTION(NAME##_r, Register d, Register base, Register delta,             \
              Register deltaOut, Register stride) {                            \
    return loadStep<FORM>(c, d, base, delta, deltaOut, c.m[stride]);           \
  }
#define STORE_BDI(NAME, FORM)                                                  \
  INSTRUCTION(NAME##_bdi, Register s, Register base, Register delta,           \
              std::int32_t imm) {                                              \
    return store(c,                                                            \
                 Address(c.m[base] + c.m[delta] +                              \
                         std::uint32_t(imm) * sizeof(FORM::Type)),             \
                 FORM::get(c, s));                                             \
  }
#define STORE_BDR(NAME, FORM)                                                  \
  INSTRUCTION(NAME##_bdr, Register s, Register base, Register delta,           \
              Register off) {                                                  \
    return store(                                                              \
        c, Address(c.m[base] + c.m[delta] + c.m[off] * sizeof(FORM::Type)),    \
        FORM::get(c, s));                                                      \
  }
#define STORE_STEP_I(NAME, FORM)                                               \
  INSTRUCTION(NAME##_i, Register s, Register base, Register delta,             \
              Register deltaOut, std::int32_t imm) {                           \
    return storeStep<FORM>(c, s, base, delta, deltaOut, std::uint32_t(imm));   \
  }
#define STORE_STEP_R(NAME, FORM)                                               \
  INSTRUCTION(NAME##_r, Register s, Register base, Register delta,             \
              Register deltaOut, Register stride) {                            \
    return storeStep<FORM>(c, s, base, delta, deltaOut, c.m[stride]);          \
  }

LOAD(LD32_m, LoadM32)
LOAD(LDZ16, LoadZ16)
LOAD(LDS16, LoadS16)
LOAD(LDZ8, LoadZ8)
LOAD(LDS8, LoadS8)
LOAD(LD32_a, LoadA32)
LOAD(LD64, LoadA64)
LOAD(LD128, LoadA128)
LOAD(LDB16, LoadBroadcast16)

LOAD_STEP(LD32STEP_m, LoadM32)
LOAD_STEP(LDZ16STEP, LoadZ16)
LOAD_STEP(LDS16STEP, LoadS16)
LOAD_STEP(LDZ8STEP, LoadZ8)
LOAD_STEP(LDS8STEP, LoadS8)
LOAD_STEP(LD32STEP_a, LoadA32)
LOAD_STEP(LD64STEP, LoadA64)
LOAD_STEP(LD128STEP, LoadA128)
LOAD_STEP(LDB16STEP, LoadBroadcast16)

STORE_BDI(ST32_m, StoreM32)
STORE_BDI(ST32_a, StoreA32)
STORE_BDI(ST64, StoreA64)
STORE_BDR(ST32_a, StoreA32)
STORE_BDR(ST64, StoreA64)
STORE_STEP_I(ST32STEP_m, StoreM32)
STORE_STEP_I(ST32STEP_a, StoreA32)
STORE_STEP_I(ST64STEP, StoreA64)
STORE_STEP_R(ST32STEP_a, StoreA32)
STORE_STEP_R(ST64STEP, StoreA64)

INSTRUCTION(STM32, Register s, Register base, Register off) {
  return store(c, c.m[base] + c.m[off] * 4, c.m[s]);
}
INSTRUCTION(STM32STEP, Register s, Register base, Register baseOut,
            Register stride) {
  const Address ea = c.m[base];
  if (!store(c, ea, c.m[s]))
    return false;
  c.m[baseOut] = ea + c.m[stride] * 4;
  return true;
}

#undef LOAD
#undef LOAD_STEP
#undef STORE_BDI
#undef STORE_BDR
#undef STORE_STEP_I
#undef STORE_STEP_R

// ---- Sparse loads -----------------------------------------------------------

/// Loads at base + 16-bit delta, and the next delta(s) from addr.
template <typename Form, typename Delta>
bool loadSparse(Context &c, Register d, Register addr, Register addrOut,
                Register base, std::uint32_t offset, Register deltaOut) {
  const Address list = c.m[addr];
  Delta next;
  typename Form::Type value;
  if (!load(c, list, next) || !load(c, c.m[base] + offset, value))
    return false;
  c.m[deltaOut] = next;
  c.m[addrOut] = list + std::uint32_t(sizeof(Delta));
  Form::set(c, d, value);
  return true;
}

#define SPARSE(NAME, FORM, DELTA, HALF)                                        \
  INSTRUCTION(NAME, Register d, Register addr, Register addrOut,               \
              Register base, Register delta, Register deltaOut) {              \
    return loadSparse<FORM, DELTA>(c, d, addr, addrOut, base,                  \
                                   HALF(c.m[delta]), deltaOut);                \
  }
SPARSE(LDD16B16, LoadBroadcast16, std::uint16_t, lower)
SPARSE(LDD16A32, LoadA32, std::uint16_t, lower)
SPARSE(LDD16A64, LoadA64, std::uint16_t, lower)
SPARSE(LDD16V2A32, LoadA32, std::uint32_t, upper)
#undef SPARSE

INSTRUCTION(LD64A32, Register d, Register dOut, Register addr, Register addrOut,
            Register base, Register delta) {
  const Address list = c.m[addr];
  std::uint64_t pair;
  std::uint32_t word;
  if (!load(c, list, pair) || !load(c, c.m[base] + lower(c.m[delta]), word))
    return false;
  c.a[dOut] = c.a[d];
  c.a[dOut + 1] = word;
  writePair(c, dOut + 2, pair);
  c.m[addrOut] = list + 8;
  return true;
}

INSTRUCTION(LDB16B16, Register d, Register base, Register delta,
            Register deltaOut, Register mini, Register miniOut) {
  const std::uint32_t deltas = c.m[delta], minis = c.m[mini];
  std::uint16_t first, second;
  if (!load(c, c.m[base] + lower(deltas), first) ||
      !load(c, c.m[base] + upper(deltas), second))
    return false;
  c.a[d] = halves(first, first);
  c.a[d + 1] = halves(second, second);
  c.m[deltaOut] =
      halves(static_cast<std::uint16_t>(lower(deltas) + 2),
             static_cast<std::uint16_t>(upper(deltas) + 2 * (minis & 15)));
  c.m[miniOut] = minis >> 4;
  return true;
}

} // namespace populus::runtime::emulator

#endif
