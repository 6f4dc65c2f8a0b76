# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""full_disk.py SOURCE FOLDER: has each tool write each of its files to a disk without room.

A limit for the size of files stands for the disk: write(2) fails at the same place, and
nobody has to be root.
"""

import os
import re
import resource
import subprocess
import sys

source, folder = sys.argv[1:]
models = f"{source}/test/models"
ROOM = 100  # bytes


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))


def printable(text):
    return re.sub(r"\S*/", "", text)


with open("scale.cpp", "w") as file:
    file.write("""#include <poplar/Vertex.hpp>
class Scale : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> data;
  bool compute() { for (float &x : data) x *= 2; return true; }
};
""")
run("popc", "scale.cpp", "-o", "scale.gp")
run("popart-compile", f"{models}/mlp/model.onnx", "--tiles", "4", "-o", "mlp.ipux")
run("popart-compile", f"{models}/mlp/model.onnx", "--emit=pir", "-o", "mlp.pir")
run("ipu-run", "mlp.ipux", "--test-data", f"{models}/mlp/test_data_set_0", "--report", "report",
    "--output-dir", "outputs")
(output,) = os.listdir("outputs")

mlp = f"{models}/mlp/model.onnx"
data = ["--test-data", f"{models}/mlp/test_data_set_0"]
# The file, and the command that writes it.
FILES = {
    "a.gp": ["popc", "scale.cpp", "--target=ipu2", "-o", "a.gp"],
    "a.o": ["gp-dump", "scale.gp", "--extract", "scale.cpp.ipu2", "-o", "a.o"],
    "a.ipux": ["popart-compile", mlp, "--tiles", "4", "-o", "a.ipux"],
    "a.txt": ["popart-compile", mlp, "--tiles", "4", "-o", "/dev/null", "--profile", "a.txt"],
    "a.pop": ["popart-compile", mlp, "--tiles", "4", "-o", "/dev/null", "--profile", "a.pop"],
    "a.tar": ["popart-compile", mlp, "--tiles", "4", "-o", "/dev/null", "--repro", "a.tar"],
    "a.pir": ["popart-compile", mlp, "--emit=ir", "-o", "a.pir"],
    "b.pir": ["popir-opt", "mlp.pir", "-o", "b.pir"],
    "a.html": ["ipu-report", "report", "--html", "a.html"],
    "a.pftrace": ["ipu-report", "report", "--trace-out", "a.pftrace"],
    f"out/{output}": ["ipu-run", "mlp.ipux", *data, "--output-dir", "out"],
    "run/profile.pop": ["ipu-run", "mlp.ipux", *data, "--report", "run"],
}
for path, command in FILES.items():
    place = os.path.dirname(path) or "."
    os.makedirs(place, exist_ok=True)
    for old in (None, "what was there\n"):
        if os.path.exists(path):
            os.remove(path)
        if old:
            with open(path, "w") as file:
                file.write(old)
        before = sorted(os.listdir(place))
        result = subprocess.run(command, capture_output=True, text=True, preexec_fn=limited,
                                restore_signals=False)  # SIGXFSZ stays ignored
        assert result.returncode == 1, (command, result)
        assert f"{command[0]}: error: " in result.stderr, (command, result.stderr)
        assert "File too large" in result.stderr, (command, result.stderr)
        assert sorted(os.listdir(place)) == before, (command, os.listdir(place))
        if old:
            assert open(path).read() == old, command

OUTPUTS = [
    *([tool, option] for tool in ("popc", "gp-dump", "gc-info", "ipu-run", "ipu-dbg", "ipu-report",
                                  "popart-compile", "popir-opt", "poprun")
      for option in ("--help", "--version")),
    ["gp-dump", "scale.gp"],
    ["gp-dump", "scale.gp", "--json"],
    ["gp-dump", "-d", "mlp.ipux"],
    ["gc-info"],
    ["gc-info", "--json"],
    ["gc-info", "--device-count"],
    ["ipu-run", "mlp.ipux", *data],
    ["ipu-run", "mlp.ipux", *data, "--stats=json"],
    ["ipu-run", "mlp.ipux", "--info"],
    ["ipu-report", "report"],
    ["ipu-report", "report", "layers", "--json"],
    ["ipu-report", "report", "--html", "-"],
    ["popart-compile", mlp, "--emit=ir"],
    ["popart-compile", mlp, "--tiles", "4", "-o", "/dev/null", "--time=json"],
    ["popart-compile", "--list-operators"],
    ["popir-opt", "mlp.pir"],
    ["popir-opt", "--list-passes"],
    ["popc", "--list-targets"],
    ["popc", "scale.cpp", "-E"],
]
for command in OUTPUTS:
    with open("/dev/full", "w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert result.returncode == 1, (command, result)
    assert "standard output" in result.stderr, (command, result.stderr)
print(len(FILES), "files and", len(OUTPUTS), "outputs")
