# The modules loop.pir and calls.pir, run on the device that the options name,
# give what NumPy computes.
import os
import subprocess
import sys

import numpy as np

folder, options = sys.argv[1], sys.argv[2:]
here = os.path.dirname(os.path.abspath(__file__))
os.makedirs(folder, exist_ok=True)


def run(module, **inputs):
    executable = os.path.join(folder, module + ".ipux")
    subprocess.run(["popart-compile", os.path.join(here, module + ".pir"), "-o",
                    executable, *options], check=True)
    command = ["ipu-run", executable, "--allow-native", "--output-dir",
               folder]
    for name, value in inputs.items():
        file = os.path.join(folder, f"in-{name}.npy")
        np.save(file, value)
        command += ["--input", f"{name}={file}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return lambda name: np.load(os.path.join(folder, name + ".npy"))


def check(name, value, expected):
    np.testing.assert_array_equal(value, expected, err_msg=name)


x, y, w = np.float32([[1, 2, 3, 4], [10, 20, 30, 40], [1, 2, 3, 4]])
result = run("loop", a=x, b=y)
rows = []
for i in range(5):
    rows.append(y * i)
    x, y = y, x + w
for name, expected in (("x", x), ("y", y), ("rows", rows)):
    check(name, result(name), expected)

a, end, n = np.float32(3), np.float32(50), np.int32(2)
for condition in (False, True):
    result = run("calls", a=a, end=end, n=n, c=np.bool_(condition))
    x = a * 32 if condition else a
    expected = {"x": x, "z": a * 4, "i": a + 1 if condition else x - end,
                "t": a + x}
    for name, value in expected.items():
        check(name, result(name), value)
print("equal")
