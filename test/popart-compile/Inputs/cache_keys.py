# Options that change the executable: with each of them, the cache must not return the
# entry made without it. Every option of --help has to be in one of the lists.
import json
import os
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

folder, table = sys.argv[1:]
os.environ.pop("POPULUS_VERIFY_LOWERING", None)  # or --verify would change nothing
os.makedirs(folder)
model = f"{folder}/model.onnx"
weight = numpy_helper.from_array(np.eye(4, dtype=np.float32), "w")
graph = helper.make_graph(
    [
        helper.make_node("MatMul", ["x", "w"], ["h"]),
        helper.make_node("Relu", ["h"], ["y"]),
    ],
    "graph",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 4])],
    [weight],
)
onnx.save(
    helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8),
    model,
)

loss = ["--loss", "identity:y"]
# By option: its arguments, and what is there with and without it.
CHANGES = {
    "--input-shape": (["x=3x4"], []),
    "--dim": (["N=3"], []),
    "--anchor": (["h"], []),
    "--strict": ([], []),
    "--batches-per-step": (["2"], []),
    "--bound": (["auto"], []),
    "--precision": (["fp16"], []),
    "--float32-convolutions": (["1"], ["--precision", "fp16"]),
    "--partials": (["half"], []),
    "--loss": (["identity:y"], []),
    "--recompute": (["all"], loss),
    "--optimizer": (["adam:lr=0.1"], loss),
    "--train": (["w"], loss),
    "--freeze": (["w"], loss),
    "--target": (["ipu1"], []),
    "--device": (["ipu-model"], []),
    "--num-ipus": (["2"], []),
    "--tiles": (["9"], []),
    "--available-memory": (["0.2"], []),
    "--fit": (["off"], []),
    "--patterns": (["none"], []),
    "--folding-budget": (["1"], []),
    "--outline-threshold": (["3"], []),
    "--no-outline-copy-cost-pruning": ([], []),
    "--verify": ([], []),
}
# Options on messages and output files, which are not part of the key.
STAYS = {
    "--progress": ["plain"],
    "--jobs": ["1"],
    "--save-options": [f"{folder}/options"],
    "--repro": [f"{folder}/repro.tar"],
    "--dump-stages": [f"{folder}/stages"],
    "-v": [],
}
# They change the executable, which is not taken from the cache then.
UNCACHED = "--fix-input --fix-inputs --custom-op --emit".split()
# Nothing is taken from the cache, or nothing is compiled; or every command has it.
OTHERS = """--output --time --cache-dir --no-cache --help --version --profile
--dry-run --options --list-operators --list-patterns
--outline-copy-cost-pruning""".split()
# They decide if there is an executable, or change those of larger models only.
SAME = """--strict --fit --verify --bound --recompute --partials --train --available-memory
--folding-budget --outline-threshold --no-outline-copy-cost-pruning""".split()


def is_from_cache(arguments):
    size = [] if "--input-shape" in arguments or "--dim" in arguments else ["--dim", "N=2"]
    tiles = [] if "--tiles" in arguments else ["--tiles", "8"]
    command = ["popart-compile", model, "-o", f"{folder}/out.ipux"]
    command += ["--cache-dir", f"{folder}/cache", "--time=json", *size, *tiles, *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, (arguments, result.stderr)
    return "compile" not in json.loads(result.stdout)


listed = set()
text = subprocess.run(["popart-compile", "--help"], capture_output=True, text=True).stdout
for line in re.findall(r"^  (-\S+)", text, re.M):
    listed.add(line.split(",")[-1].split("=")[0])
listed.add("--outline-copy-cost-pruning")
unknown = listed - set(CHANGES) - set(STAYS) - set(OTHERS) - set(UNCACHED)
assert not unknown, f"say here whether these change an executable: {sorted(unknown)}"

# The rows of the table say the same.
rows = re.findall(r'^      \{"([^"]+)",.*?(Executable|Nothing),', open(table).read(), re.M | re.S)
changing = {name for names, effect in rows if effect == "Executable"
            for name in re.findall(r"--[a-z0-9-]+", names)}
assert len(rows) > 40, len(rows)
assert changing - {"--outline-copy-cost-pruning"} == set(CHANGES) | set(UNCACHED), (
    changing ^ (set(CHANGES) | set(UNCACHED)))


def executable():
    return open(f"{folder}/out.ipux", "rb").read()


for option, (arguments, around) in CHANGES.items():
    is_from_cache(around)
    assert is_from_cache(around), around
    before = executable()
    assert not is_from_cache([*around, option, *arguments]), option
    assert (executable() == before) == (option in SAME), option
    assert is_from_cache([*around, option, *arguments]), option
is_from_cache([])
for option, arguments in STAYS.items():
    assert is_from_cache([option, *arguments]), option
print(len(CHANGES), "options change an executable")
