# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the first program of a page, and what it prints: page.py PAGE FOLDER."""

import pathlib
import re
import sys

page, folder = map(pathlib.Path, sys.argv[1:])
text = page.read_text()
for language, name in (("python", "shared.py"), ("text", "expected")):
    block = re.search(rf"^```{language}\n(.*?)^```$", text, re.M | re.S).group(1)
    (folder / name).write_text(block)
