"""Runs mlp.ipux with its input and itself from pipes, and compares outputs with those of files."""
import json
import os
import subprocess
import threading

import numpy as np

info = json.loads(subprocess.run(["ipu-run", "mlp.ipux", "--info=json"], check=True,
                                 capture_output=True).stdout)
NAME, SHAPE = info["inputs"][0]["name"], info["inputs"][0]["shape"]
OUTPUT = info["outputs"][0]["name"]
values = np.random.default_rng(1).normal(size=SHAPE).astype(np.float32)
np.save("x.npy", values)
np.savez("x.npz", **{NAME: values, "other": values})


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run(program, value, *more, stdin=b"", directory="out"):
    command = ["ipu-run", program, "--input", f"{NAME}={value}", "--output-dir", directory, *more]
    return subprocess.run(command, input=stdin, capture_output=True, check=False)


def in_pipe(path, use):
    """Calls use(pipe) while another thread writes the file's bytes to the named pipe."""
    os.mkfifo("pipe")

    def write():
        with open("pipe", "wb") as pipe:
            pipe.write(read(path))

    writer = threading.Thread(target=write)
    writer.start()
    result = use("pipe")
    writer.join()
    os.remove("pipe")
    return result


def result_of(finished, directory="out"):
    assert finished.returncode == 0, finished.stderr
    return np.load(f"{directory}/{OUTPUT}.npy")


def compare(what, wanted, got):
    same = got.dtype == wanted.dtype and got.shape == wanted.shape and (got == wanted).all()
    print(f"{what}:", "as from the file" if same else f"differs: {got}")


wanted = result_of(run("mlp.ipux", "x.npy"))
compare("npy pipe", wanted, in_pipe("x.npy", lambda pipe: result_of(run("mlp.ipux", pipe))))
compare("npy standard input", wanted, result_of(run("mlp.ipux", "-", stdin=read("x.npy"))))
compare("npz standard input", wanted, result_of(run("mlp.ipux", "-", stdin=read("x.npz"))))
tensor = read("data/input_0.pb")
compare("pb standard input", result_of(run("mlp.ipux", "data/input_0.pb")),
        result_of(run("mlp.ipux", "-", stdin=tensor)))
compare("executable on standard input", wanted, result_of(run("-", "x.npy", stdin=read("mlp.ipux"))))
compare("executable in a pipe", wanted,
        in_pipe("mlp.ipux", lambda pipe: result_of(run(pipe, "x.npy"))))
print(run("mlp.ipux", "-", stdin=b"what is this?").stderr.decode(), end="")
print(run("-", "x.npy", stdin=b"what is this?").stderr.decode(), end="")

run("mlp.ipux", "x.npy", "--output-format", "npz", directory="npz")
print("npz:", "as npy" if (np.load("npz/outputs.npz")[OUTPUT] == wanted).all() else "differs")
run("mlp.ipux", "x.npy", "--output-format=json", directory="json")
output = json.loads(read("json/outputs.json"))[OUTPUT]
same = (output["type"] == "float" and output["shape"] == list(wanted.shape)
        and (np.array(output["data"], np.float32).reshape(wanted.shape) == wanted).all())
print("json:", "as npy" if same else "differs")

stats = json.loads(run("mlp.ipux", "x.npy", "--repeat=4", "--stats=json").stdout)
print(stats["runs"], "runs,", len(stats["samples_ms"]), "samples")
print(run("mlp.ipux", "x.npy", "--seconds=0.05", "--stats").stdout.decode())
