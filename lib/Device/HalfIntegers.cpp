// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between half and integers of 64 bits. All halves, and all
// integers that do not overflow one, fit into 32 bits, for which there are
// instructions.

namespace {

/// Beyond the largest half, and beyond what would be rounded to it.
constexpr int Beyond = 1 << 17;

} // namespace

extern "C" {

long long __fixhfdi(_Float16 value) { return static_cast<int>(value); }
unsigned long long __fixunshfdi(_Float16 value) {
  return static_cast<unsigned>(value);
}
_Float16 __floatdihf(long long value) {
  const long long low = value < -Beyond ? -Beyond : value;
  return static_cast<_Float16>(static_cast<int>(low > Beyond ? Beyond : low));
}
_Float16 __floatundihf(unsigned long long value) {
  return static_cast<_Float16>(
      static_cast<int>(value > Beyond ? Beyond : value));
}
}
