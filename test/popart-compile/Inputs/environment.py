# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the variables that sources name with the table in runtime/Support/Environment.h."""

import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
table = root / "runtime/Support/Environment.h"
listed = set(re.findall(r'^    \{"(\w+)", (?:true|false)(?:, true)?\}', table.read_text(), re.M))
# Macros of codelets.
OTHERS = {"POPULUS_INPUTS_NOT_CONST", "POPULUS_NO_VECTOR_NAMES"}
NAME = r"(?:POPART|POPLAR|POPLIBS|POPULUS|POPXL|PVTI)_[A-Z_]+"

read = set()
for folder in ("lib", "runtime", "tools"):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in (".cpp", ".h", ".py") or path == table or path.is_relative_to(
                root / "lib/Device"):
            continue
        text = path.read_text()
        read |= set(re.findall(rf'"({NAME})"', text))
        # environment("X") of PopART reads POPART_X.
        read |= {"POPART_" + name for name in re.findall(r'\benvironment\("([A-Z_]+)"\)', text)}
        read |= {"POPART_" + name for name in re.findall(r'textOf\("(LOG_[A-Z]+)"\)', text)}
read -= OTHERS
missing = read - listed
assert not missing, f"say in {table} whether these change executables: {sorted(missing)}"
unused = listed - read - {"POPULUS_TRANSLATION_CACHE_SIZE"}
assert not unused, f"nothing reads {sorted(unused)}"
print(len(listed), "variables")
