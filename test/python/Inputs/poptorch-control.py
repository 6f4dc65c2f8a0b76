# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""poptorch.for_loop and poptorch.cond beside Python's own loops and branches: results, buffers
that bodies write, programs whose size does not grow with the count, and messages."""

import copy
import os

os.environ["POPULUS_POPTORCH_DEVICE"] = "cpu"

import poptorch
import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(2, 4)
YES, NO = torch.tensor(True), torch.tensor([-1.0]) > 0


def refused(errors, function, text):
    try:
        function()
    except errors as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"no error with {text!r}")


class Carried(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, y):
        z = x + 1
        return tuple(poptorch.for_loop(
            7, lambda a, b: [self.layer(a) * 0.5 + z, b + a.sum(1)], [x, y]))


class Nested(nn.Module):
    def forward(self, x):
        def body(a):
            b = poptorch.for_loop(3, lambda c: [c + 1], [a * 2])[0]
            return poptorch.cond(b.sum() > 40, lambda q: q * 0.5, [b], lambda q: q + 1, [b])

        return poptorch.for_loop(4, body, [x])[0]


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 3), nn.Linear(4, 3)

    def forward(self, which, x):
        return poptorch.cond(which, lambda q: self.first(q), [x],
                             lambda q: self.second(q) + x.sum(), [x])[0]


class Constants(nn.Module):
    def forward(self, which, x):
        return tuple(poptorch.cond(which, lambda: (x, torch.tensor(3)), [],
                                   lambda: (torch.zeros(2, 4), torch.tensor(4)), []))


class LoopThatWrites(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sums", torch.zeros(3))
        self.register_buffer("counts", torch.zeros(2, dtype=torch.int64))
        self.register_buffer("kept", torch.ones(1))

    def body(self, a):
        self.sums += 1
        self.counts.add_(2)
        return [a + self.kept]

    def forward(self, x):
        return poptorch.for_loop(3, self.body, [x])[0] + self.sums.sum()


class BranchesThatWrite(LoopThatWrites):
    def first(self, x):
        self.sums += 1
        return x

    def second(self, x):
        self.sums *= 2
        self.counts += 1
        self.sums += 3
        return x + 1

    def forward(self, which, x):
        return poptorch.cond(which, self.first, [x], self.second, [x])[0] + self.sums.sum()


class Many(nn.Module):
    def forward(self, x):
        return poptorch.for_loop(5000, lambda a: [a + 1], [x])[0]


MODELS = [(Carried, [X, torch.zeros(2)]), (Nested, [X.abs()]), (Branches, [YES, X]),
          (Branches, [NO, X]), (Constants, [YES, X]), (Constants, [NO, X]),
          (LoopThatWrites, [X]), (BranchesThatWrite, [YES, X]), (BranchesThatWrite, [NO, X]),
          (Many, [X])]


def results():
    for kind, arguments in MODELS:
        model = kind()
        reference = copy.deepcopy(model)
        program = poptorch.inferenceModel(model)
        for _ in range(2):
            found, wanted = program(*arguments), reference(*arguments)
            for a, b in zip([found] if isinstance(found, torch.Tensor) else found,
                            [wanted] if isinstance(wanted, torch.Tensor) else wanted):
                assert torch.allclose(a, b.to(a.dtype), atol=1e-4), (kind, a, b)
        program.copyWeightsToHost()
        for (name, a), b in zip(model.named_buffers(), reference.buffers()):
            assert torch.equal(a, b), (kind, name, a, b)


def numbers():
    """Each iteration draws its own."""
    program = poptorch.inferenceModel(
        lambda x: poptorch.for_loop(4, lambda a: [a + torch.randn(2000)], [x])[0])
    assert abs(program(torch.zeros(2000)).std() - 2) < 0.2


def outside(x):
    kept = []

    def body(a):
        kept.append(a * 2)
        return [a + 1]

    return poptorch.for_loop(3, body, [x])[0] + kept[0]


def refusals():
    loop, cond, run = poptorch.for_loop, poptorch.cond, poptorch.inferenceModel
    table = [
        (ValueError, "inputs is a list", lambda: loop(2, lambda a: a, X)),
        (ValueError, "inputs are tensors, not int", lambda: loop(2, lambda a: a, [1])),
        (ValueError, "the count is a number", lambda: loop(X, lambda a: a, [X])),
        (poptorch.Error, "2 results for 1 inputs",
         lambda: run(lambda x: loop(2, lambda a: [a, a], [x])[0])(X)),
        (poptorch.Error, "another type or shape",
         lambda: run(lambda x: loop(2, lambda a: [a.sum(0)], [x])[0])(X)),
        (poptorch.Error, "used outside of it", lambda: run(outside)(X)),
        (poptorch.Error, "takes tensors, not bool", lambda: cond(True, None, [], None, [])),
        (poptorch.Error, "one element, not 8", lambda: cond(X > 0, None, [], None, [])),
        (poptorch.Error, "1 and 2 results", lambda: run(lambda x: cond(
            x.sum() > 0, lambda a: a, [x], lambda a: (a, a), [x])[0])(X)),
        (poptorch.Error, "in one branch", lambda: run(lambda x: cond(
            x.sum() > 0, lambda a: a, [x], lambda a: a[0], [x])[0])(X)),
        (poptorch.Error, "poptorch.for_loop() is only supported in inference",
         lambda: poptorch.trainingModel(nn.Sequential(nn.Linear(4, 4), Many()))(X)),
        (poptorch.Error, "poptorch.cond() is only supported in inference",
         lambda: poptorch.trainingModel(Branches())(YES, X))]
    for errors, text, call in table:
        refused(errors, call, text)


for part in (results, numbers, refusals):
    part()
    print(part.__name__, "ok", flush=True)
