# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""damage.py IPU_RUN PROGRAM FILE...: runs the program with damaged copies of input
files; each must be read (status 0) or refused (status 1), and nothing else."""
import random
import subprocess
import sys

ipu_run, program, *files = sys.argv[1:]
random.seed(1)
count = 0
for name in files:
    data = open(name, "rb").read()
    damaged = [data[: len(data) * i // 12] for i in range(12)]
    for _ in range(40):
        copy = bytearray(data)
        for _ in range(random.randint(1, 4)):
            copy[random.randrange(len(copy))] = random.choice([0, 1, 127, 128, 255])
        damaged.append(bytes(copy))
    for copy in damaged:
        open("damaged.npz", "wb").write(copy)
        run = subprocess.run(
            [ipu_run, program, "--input", "in=damaged.npz"],
            capture_output=True,
            timeout=60,
        )
        if run.returncode not in (0, 1):
            sys.exit(f"status {run.returncode} of {name}: {run.stderr}")
        count += 1
print(f"{count} files, all refused or read")
