// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traps of code that was compiled with -fsanitize=undefined and
// -fsanitize-trap. An instruction that is never executed follows the trap and
// says what was undefined:
//
//   trap  0
//   setzi $m15, 0xbad14   // 20: a shift
//
// The last byte is the number of the sanitizer's handler, in clang's order.

#ifndef POPULUS_RUNTIME_TARGET_UNDEFINEDTRAPS_H
#define POPULUS_RUNTIME_TARGET_UNDEFINEDTRAPS_H

#include <cstdint>
#include <iterator>

namespace populus::runtime {

/// The immediate of the instruction, with a handler number of 0.
inline constexpr std::uint32_t UndefinedMark = 0xbad00;

/// Returns what was undefined, for the word behind a trap; null: the trap is
/// another one.
inline const char *undefinedBehaviourOf(std::uint32_t wordBehind) {
  constexpr std::uint32_t SetZeroRegister = 0x30f00000; // setzi $m15, 0
  constexpr std::uint32_t Number = 0xff;
  static constexpr const char *Texts[] = {
      "an addition overflows",
      "code is reached that was said to be unreachable",
      "a call or cast breaks control-flow integrity",
      "a division by zero, or one that overflows",
      "an object is of another dynamic type",
      "a floating-point number is out of the range of its new type",
      "a function is called through a pointer of another type",
      "an implicit conversion changes the value",
      "a builtin function gets an argument that it does not take",
      "an object is of another class",
      "a value is loaded that its type does not have",
      "a function ends without returning a value",
      "a multiplication overflows",
      "a negation overflows",
      "an argument is null that must not be",
      "a result is null that must not be",
      "an argument is null that must not be",
      "a result is null that must not be",
      "an index is out of the bounds of its array",
      "pointer arithmetic overflows",
      "a shift by a negative or too large number, or of a negative number",
      "a subtraction overflows",
      "a pointer is null, misaligned or to too small an object",
      "an assumption about alignment is wrong",
      "the size of an array is not positive"};
  if ((wordBehind & ~Number) != (SetZeroRegister | UndefinedMark))
    return nullptr;
  const std::uint32_t number = wordBehind & Number;
  return number < std::size(Texts) ? Texts[number] : "undefined behaviour";
}

} // namespace populus::runtime

#endif
