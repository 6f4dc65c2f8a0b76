/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Kinds of characters, in the C locale. newlib's macros look them up in
 * _ctype_, whose first entry is that of EOF; the functions use the macros.
 */

#include <ctype.h>

enum { Control = _C, Blank = _B, Hex = _X };

const char _ctype_[1 + 256] = {
    [1 + 0 ... 1 + 8] = Control,      [1 + 9 ... 1 + 13] = Control | _S,
    [1 + 14 ... 1 + 31] = Control,    [1 + ' '] = (char)(_S | Blank),
    [1 + '!' ... 1 + '/'] = _P,       [1 + '0' ... 1 + '9'] = _N,
    [1 + ':' ... 1 + '@'] = _P,       [1 + 'A' ... 1 + 'F'] = _U | Hex,
    [1 + 'G' ... 1 + 'Z'] = _U,       [1 + '[' ... 1 + '`'] = _P,
    [1 + 'a' ... 1 + 'f'] = _L | Hex, [1 + 'g' ... 1 + 'z'] = _L,
    [1 + '{' ... 1 + '~'] = _P,       [1 + 127] = Control,
};

#define FUNCTION(NAME)                                                         \
  int(NAME)(int character) { return NAME(character); }
FUNCTION(isalnum)
FUNCTION(isalpha)
FUNCTION(isblank)
FUNCTION(iscntrl)
FUNCTION(isdigit)
FUNCTION(isgraph)
FUNCTION(islower)
FUNCTION(isprint)
FUNCTION(ispunct)
FUNCTION(isspace)
FUNCTION(isupper)
FUNCTION(isxdigit)
FUNCTION(tolower)
FUNCTION(toupper)
FUNCTION(isascii)
FUNCTION(toascii)
