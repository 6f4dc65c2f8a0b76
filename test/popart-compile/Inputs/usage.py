# Runs popart-compile with wrong options: each is exit status 2 (3 where something
# is not supported yet), one line on standard error that contains the given words,
# nothing on standard output, and no output file.
import os
import subprocess
import sys

model = os.environ["LM"]
out = os.environ["OUT"]

CASES = [
    ([], 2, "no model"),
    (["--no-such-option", model], 2, "--no-such-option"),
    ([model, "second.onnx"], 2, "second.onnx"),
    ([model, "--target", "ipu9"], 2, "cpu, ipu1, ipu2, ipu21"),
    ([model, "--device", "gpu"], 2, "ipu-model"),
    ([model, "--target", "cpu", "--device", "ipu"], 2, "does not run on"),
    ([model, "--target", "cpu", "--tiles", "2"], 2, "one tile"),
    ([model, "--tiles", "0"], 2, "--tiles"),
    ([model, "--tiles", "1473"], 2, "1472"),
    ([model, "--tiles", "many"], 2, "'many'"),
    ([model, "--num-ipus", "-1"], 2, "--num-ipus"),
    ([model, "--batches-per-step", "0"], 2, "--batches-per-step"),
    ([model, "--input-shape", "input"], 2, "NAME=1x3x224x224"),
    ([model, "--input-shape", "input=1xax3"], 2, "'a'"),
    ([model, "--input-shape", "input=1x-1x28x28"], 2, "'-1'"),
    ([model, "--input-shape", "image=1x1x28x28"], 2, "'input'"),
    ([model, "--input-shape", "input=28x28"], 2, "4 dimensions"),
    ([model, "--dim", "N=2"], 2, "'N'"),
    ([model, "--anchor", "nowhere"], 2, "'nowhere'"),
    ([model, "--anchor", "output=SOME"], 2, "EVERYN:<n>"),
    ([model, "--anchor", "output=EVERYN:0"], 2, "--anchor"),
    ([model, "--emit", "elf"], 2, "ipux, ir, dot and import"),
    ([model, "--patterns", "NoSuchPattern"], 2, "BatchNormIntoConv"),
    ([model, "--time=xml"], 2, "text and json"),
    ([model, "--precision", "fp99"], 2, "fp99"),
    ([model, "--progress", "loud"], 2, "auto, plain, json and off"),
    ([model, "--jobs", "none"], 2, "--jobs"),
]

failures = 0
for args, status, words in CASES:
    run = subprocess.run(["popart-compile", *args, "-o", out],
                         capture_output=True, text=True)
    problems = []
    if run.returncode != status:
        problems.append(f"exit status {run.returncode}, not {status}")
    if words not in run.stderr:
        problems.append(f"'{words}' is not in the message")
    if run.stderr.count("\n") != 1 or not run.stderr.startswith("popart-compile: error: "):
        problems.append("not one line of the usual form")
    if run.stdout:
        problems.append("something on standard output")
    if os.path.exists(out):
        problems.append("an output file")
        os.remove(out)
    if problems:
        failures += 1
        print(args, problems, run.stderr, sep="\n  ")
sys.exit(failures != 0)
