# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupt.py FOLDER COMMAND...: runs the command with FOLDER as the one for temporary
files, once for each signal that ends programs, which it gets as soon as it has a file
there."""

import os
import signal
import subprocess
import sys
import time

folder, command = sys.argv[1], sys.argv[2:]
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
    process = subprocess.Popen(
        command, env=os.environ | {"TMPDIR": os.path.abspath(folder)},
        # A test may itself be run by what ignores signals.
        preexec_fn=lambda number=number: signal.signal(number, signal.SIG_DFL))
    while process.poll() is None and not os.listdir(folder):
        time.sleep(0.01)
    process.send_signal(number)
    status = process.wait()
    print("ended by " + signal.Signals(-status).name if status < 0 else f"status {status}")
