# Runs popart-compile with wrong options: each is exit status 2 (3 where something
# is not supported yet), one line on standard error that contains the given words,
# nothing on standard output, and no output file.
import filecmp
import os
import shutil
import subprocess
import sys

out = os.environ["OUT"]
# A copy, which may not be written to.
model = shutil.copy(os.environ["LM"], out + ".onnx")

# No place for a file.
nowhere = model + "/file"
# Options that do not exist.
wrong = out + ".ini"
with open(wrong, "w") as file:
    file.write("tile=4\n")

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
    ([model, "--emit", "elf"], 2, "ipux, ir, pir, dot and import"),
    ([model, "--patterns", "NoSuchPattern"], 2, "BatchNormIntoConv"),
    ([model, "--time=xml"], 2, "text and json"),
    ([model, "--precision", "fp99"], 2, "fp99"),
    ([model, "--progress", "loud"], 2, "auto, plain, json and off"),
    ([model, "--jobs", "none"], 2, "--jobs"),
    ([model, "--jobs", "2000"], 2, "more than 1024"),
    ([model, "--num-ipus", "4294967295"], 2, "at most 128 IPUs"),
    ([model, "--tiles", "4", "--tiles", "5"], 2, "--tiles"),
    ([model, "--input-shape", "input=1x1x28x28x"], 2, "''"),
    ([model, "--input-shape", "input=1x1x28x28", "--input-shape",
      "input=2x1x28x28"], 2, "twice"),
    ([model, "--input-shape", "input=3000000000000x1x28x28"], 4,
     "3000000000000"),
    ([model, "--dim", "N=2", "--dim", "N=3"], 2, "twice"),
    ([model, "--anchor", "output", "--anchor", "output=FINAL"], 2, "twice"),
    ([model, "--anchor", "output=EVERYN:3", "--batches-per-step", "2"], 2,
     "never"),
    ([model, "--float32-convolutions", "1"], 2, "--precision fp16"),
    ([model, "--outline-threshold", "nan"], 2, "'nan'"),
    ([model, "--outline-threshold", "-1"], 2, "0 or more"),
    ([model, "--device", ""], 2, "--device: the value is empty"),
    ([model, "--list-operators=xml"], 2, "text and markdown"),
    ([model, "--emit=ir", "--dry-run"], 2, "--dry-run"),
    ([model, "--dry-run=xml"], 2, "text and json"),
    ([model, "--emit=ir", "--profile", out + ".txt"], 2, "--profile"),
    ([model, "--profile", out], 2, "the file of --output"),
    ([model, "--profile", nowhere], 1, "there is no folder"),
    ([model, "--save-options", model], 2, "the file of the model"),
    ([model, "-o", model], 2, "the file of the model"),
    ([model, "-o", "-"], 2, "standard output"),
    ([model, "--options", nowhere], 2, nowhere),
    ([model, "--options", model], 2, "which is no option"),
    ([model, "--options", wrong], 2, "'tile', which is no option"),
]

# Variables of the environment that mean nothing.
ENVIRONMENT = [
    ("POPART_LOG_CONFIG", nowhere, nowhere),
    ("POPART_LOG_DEST", nowhere, "cannot write the log file"),
    ("POPART_IR_DUMP", nowhere, "cannot be written"),
    ("POPART_TENSOR_TILE_MAP", nowhere, "cannot be written"),
    ("POPART_CACHE_DIR", model, "cannot be made"),
]


def problems_of(args, status, words, environment={}):
    """Runs the tool; returns what was not as it has to be."""
    output = [] if "-o" in args else ["-o", out]
    run = subprocess.run(["popart-compile", *args, *output],
                         capture_output=True, text=True,
                         env={**os.environ, **environment})
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
    if not filecmp.cmp(model, os.environ["LM"], shallow=False):
        problems.append("another model")
        shutil.copy(os.environ["LM"], model)
    return problems and problems + [run.stderr]


failures = 0
for args, status, words in CASES:
    if problems := problems_of(args, status, words):
        failures += 1
        print(args, problems, sep="\n  ")
for name, value, words in ENVIRONMENT:
    if problems := problems_of([model, "--tiles", "4"], 1, words, {name: value}):
        failures += 1
        print(name, value, problems, sep="\n  ")
sys.exit(failures != 0)
