# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ways in which a job ends."""

import os
import re
import signal
import subprocess
import time

MARK = f"31{os.getpid()}"  # seconds, by which the processes are found
JOB = ["poprun", "--num-instances", "2", "--num-replicas", "2", "sh", "-c"]


def run(script):
    begin = time.monotonic()
    done = subprocess.run([*JOB, script], capture_output=True, text=True)
    assert time.monotonic() - begin < 10, script
    return done.returncode, done.stderr


def second(action):
    return f"test $POPDIST_INSTANCE_INDEX = 0 || {{ {action}; }}; sleep {MARK}"


print("status", run(second("exit 7"))[0])
status, errors = run(second("kill -9 $$"))
print("killed", status, end=", ")
print(re.search("instance.*", errors).group())
job = subprocess.Popen([*JOB, f"sleep {MARK}"], stderr=subprocess.DEVNULL)
time.sleep(1)
job.send_signal(signal.SIGINT)
print("interrupted", job.wait(10))
print("not found", subprocess.run(["poprun", "/no/such/program"], capture_output=True).returncode)
time.sleep(0.5)
commands = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout
print("left", sum(line.startswith(f"sleep {MARK}") for line in commands.splitlines()))
