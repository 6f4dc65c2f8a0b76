# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""status.py STATUS COMMAND...: fails unless the command ends with the status."""
import subprocess
import sys

found = subprocess.run(sys.argv[2:], check=False).returncode
if found != int(sys.argv[1]):
    sys.exit(f"exit status {found}, not {sys.argv[1]}")
