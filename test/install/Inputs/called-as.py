# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""called-as.py NAME PROGRAM ARGUMENT...: starts a program under another name than its own."""

import os
import sys

os.execv(sys.argv[2], [sys.argv[1], *sys.argv[3:]])
