# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# timing.py TIMING.h MACHINE.md: looks for the header's constants in the page.
import re
import sys

header, page = (open(name).read() for name in sys.argv[1:3])
names = re.findall(r"^inline constexpr \S+ (\w+) =", header, re.MULTILINE)
missing = [name for name in names if f"`{name}`" not in page]
if missing:
    sys.exit("not in the page: " + ", ".join(missing))
print(f"{len(names)} parameters, all documented")
