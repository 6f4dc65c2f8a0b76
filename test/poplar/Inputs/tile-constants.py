# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the macros of TileMacros.hpp with the constants of TileConstants.hpp."""

import re
import sys
from pathlib import Path

folder = Path(sys.argv[1])
macros = re.findall(r"^#define (T[A-Z]\w+) (.+)$", (folder / "TileMacros.hpp").read_text(), re.M)
constants = re.findall(r"^POPLAR_TILE_CONSTANT\((\w+), (.+)\)$",
                       (folder / "TileConstants.hpp").read_text(), re.M)
assert macros == constants, set(macros) ^ set(constants)
print(len(macros), "constants")
