# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compares the cycles that a dry run says with those of the run.
#
#   cycles.py MODEL [--tiles N] ...
#
# For each precision it prints by how many percent the estimate is off, and how the
# cycles in half are to those in float.
import json
import pathlib
import subprocess
import sys
import tempfile


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main():
    model, options = sys.argv[1], sys.argv[2:]
    cycles = {}
    with tempfile.TemporaryDirectory() as folder:
        program = str(pathlib.Path(folder) / "out.ipux")
        for precision in ("fp32", "fp16"):
            command = ["popart-compile", model, "--precision", precision, *options]
            dry = json.loads(output(*command, "--dry-run=json"))
            output(*command, "-o", program)
            run = json.loads(output("ipu-run", program, "--input", "input=random:1",
                                    "--stats=json"))
            cycles[precision] = run["cycles"]["total"]
            off = dry["estimated_cycles"] / cycles[precision] - 1
            print(f"{precision}: {'near' if abs(off) <= 0.05 else 'off'}, {off:+.1%}")
    ratio = cycles["fp16"] / cycles["fp32"]
    print(f"half: {'not slower' if ratio <= 1 else 'slower'}, {ratio:.2f}")


main()
