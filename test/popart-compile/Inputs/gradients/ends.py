"""Where gradients end: operators without one, which are not an error unless the gradient is
asked for, and operators that cannot be differentiated.

    python gradients/ends.py DIR
"""
import os
import subprocess
import sys

import numpy as np

import harness
from harness import GRAPHCORE, Case, constant, fixed

x = np.ones((2, 3), np.float32)
image = np.ones((1, 1, 4, 4), np.float32)


def sizes(*values):
    return constant(np.array(values, np.int64))


# The first input has no gradient.
NONE = "Anchor tensor `Gradient___{}' not in Ir Tensors."
ends = [
    (Case("Detach", x, domain=GRAPHCORE), NONE),
    (Case("RandomNormalLike", x), NONE),
    (Case("Pad", x, sizes(0, 1, 0, 1), mode="reflect"),
     'At this time, PopART does not support PadGradOp when mode is not "constant".'),
    (Case("Resize", image, None, None, sizes(1, 1, 8, 8), mode="linear"),
     "Resize mode 'linear' is not supported when training."),
    (Case("Clip", x, fixed(np.float32(0))),
     "currently only supports constant min/max parameters. Input 'min' (Clip_x1) has no data."),
    (Case("RoiAlign", image, constant(np.ones((1, 4), np.float32)), sizes(0), mode="max",
          sampling_ratio=2), 'with mode "max" it has no gradient'),
]

for case, expected in ends:
    prefix = case.op
    # Only the model is of interest, not what it computes.
    result = np.ones((2, 4) if case.op == "NormalizeImage" else (), np.float32)
    case.weights, case.expected = {0: result}, {0: None}
    done = subprocess.run(
        harness.compiling(sys.argv[1], [(prefix, case)], "cpu", harness.OPSET),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    wanted = expected.format(f"{prefix}_x0")
    if done.returncode == 0 or wanted not in done.stdout:
        sys.exit(f"{prefix}: exit status {done.returncode}, without '{wanted}':\n{done.stdout}")
print(f"{len(ends)} operators without a gradient")

# With print_gradient the gradient is printed, too.
for attributes, title in ({"title": "mine"}, "mine_gradient"), ({}, "Gradient___printed_y0"):
    case = Case("PrintTensor", x, print_gradient=1, domain=GRAPHCORE, ref=lambda x: x,
                **attributes)
    case.prepare(np.random.default_rng(0))
    output = harness.gradients(sys.argv[1], [("printed", case)], "cpu", harness.OPSET)[1]
    if f"{title}: " not in output:
        sys.exit(f"PrintTensor does not print '{title}':\n{output}")
