# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""poptorch.CPU: functions of the host in the middle of models, beside PyTorch."""

import os

os.environ["POPULUS_POPTORCH_DEVICE"] = "cpu"

import numpy as np
import poptorch
import torch
from torch import nn


def refused(function, text):
    try:
        function()
    except poptorch.Error as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"no error with {text!r}")


def sorted_rows(x):
    """The tracer cannot see into NumPy."""
    return torch.from_numpy(np.sort(x.detach().numpy(), axis=1))


class Chain(nn.Module):
    """Two calls one after the other, and one beside them with two results."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(4, 4), nn.Linear(4, 2)
        self.register_buffer("shift", torch.tensor([1.0, 2, 3, 4]))
        self.calls = 0
        self.sort = poptorch.CPU(sorted_rows, "sort")
        self.scale = poptorch.CPU(self.scaled, "scale")
        self.split = poptorch.CPU(lambda x: (x > 0, x.long()), "split")

    def scaled(self, x, factor):
        self.calls += 1
        return x * factor

    def forward(self, x, target=None):
        y = self.first(x) + self.shift
        is_positive, whole = self.split(x)
        z = self.scale(self.sort(y) + whole, factor=3)
        return {"z": torch.where(is_positive, z, y), "last": [self.last(z), x + 1], "n": 7}


torch.manual_seed(0)
X = torch.randn(6, 4)


def close(a, b):
    assert a["n"] == b["n"] == 7
    for one, two in ((a["z"], b["z"]), *zip(a["last"], b["last"])):
        assert torch.allclose(one, two, atol=1e-5), (one, two)


def results():
    for iterations in (1, 3):
        model = Chain()
        program = poptorch.inferenceModel(model, poptorch.Options().deviceIterations(iterations))
        program.compile(X)
        before = model.calls  # while it was traced
        for _ in range(2):
            close(program(X), model(X))
        assert model.calls == before + 2 * iterations + 2
        assert program.isCompiled() and program.isAttachedToDevice()
        with torch.no_grad():
            model.first.weight.mul_(2)
        program.copyWeightsToDevice()
        close(program(X), model(X))
        program.detachFromDevice()
        close(program(X), model(X))
        program.destroy()
        assert not program.isCompiled()


class Trained(nn.Linear):
    def forward(self, x):
        return poptorch.identity_loss(poptorch.CPU(torch.relu, "relu")(super().forward(x)), "sum")


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(4))

    def forward(self, x):
        self.count += 1
        return poptorch.CPU(torch.relu, "relu")(x + self.count)


def refusals():
    refused(lambda: poptorch.trainingModel(Trained(4, 1))(X), "only supported in inference")
    refused(lambda: poptorch.inferenceModel(Counting())(X), "cannot change its buffers")
    final = poptorch.Options().deviceIterations(2).outputMode(poptorch.OutputMode.Final)
    refused(lambda: poptorch.inferenceModel(Chain(), final)(X), "Final is not supported")
    program = poptorch.inferenceModel(Chain())
    program(X)
    refused(program.getTensorNames, "has several programs")
    refused(lambda: poptorch.inferenceModel(
        lambda x: poptorch.CPU(torch.add, "add")(x, 3))(X), "takes tensors")


for part in (results, refusals):
    part()
    print(part.__name__, "ok", flush=True)
