# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in inference and training beside PyTorch: values, weights, shapes of results, losses, and
messages where something is wrong."""

import copy
import dataclasses
import gc
import os
import pickle
import sys
import tempfile

os.environ["POPULUS_POPTORCH_DEVICE"] = "cpu"

import poptorch
import torch
import torch.nn.functional as F
from torch import nn


def refused(errors, function, text):
    try:
        function()
    except errors as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"no error with {text!r}")


def close(a, b, tolerance=1e-5):
    error = ((a - b).abs() / (1 + b.abs())).max().item()
    assert error <= tolerance, error


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, bias=False)  # the norm takes it away
        self.norm = nn.BatchNorm2d(4)
        self.last = nn.Linear(4 * 5 * 5, 10)

    def forward(self, x, labels=None):
        y = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        y = self.last(y.flatten(1))
        return y if labels is None else (y, F.cross_entropy(y, labels))


def inference():
    model = Net().eval()
    x = torch.rand(6, 1, 12, 12)
    close(poptorch.inferenceModel(model)(x), model(x))
    options = poptorch.Options().deviceIterations(3)
    close(poptorch.inferenceModel(model, options)(x), model(x))
    half = nn.Linear(8, 4).half()
    x = torch.rand(2, 8).half()
    close(poptorch.inferenceModel(half)(x), half(x), 5e-3)


def trajectory(make, options=None, parts=1):
    """Trains beside PyTorch; a step has `parts` micro-batches whose gradients are averaged."""
    torch.manual_seed(1)
    model = Net().train()
    reference = copy.deepcopy(model)
    trainer = poptorch.trainingModel(model, options, make(model.parameters()))
    optimizer = make(reference.parameters())
    for _ in range(5):
        x, labels = torch.rand(4 * parts, 1, 12, 12), torch.randint(0, 10, (4 * parts,))
        _, loss = trainer(x, labels)
        optimizer.zero_grad()
        for a, b in zip(x.chunk(parts), labels.chunk(parts)):
            wanted = reference(a, b)[1]
            (wanted / parts).backward()
        optimizer.step()
        close(loss, wanted, 1e-4)
    for (name, a), b in zip(model.state_dict().items(), reference.state_dict().values()):
        assert a.dtype == b.dtype, name
        close(a, b, 1e-4)


def training():
    trajectory(lambda p: torch.optim.SGD(p, lr=0.05, momentum=0.9))
    trajectory(lambda p: torch.optim.AdamW(p, lr=0.001))
    options = poptorch.Options()
    options.Training.gradientAccumulation(3)
    trajectory(lambda p: torch.optim.SGD(p, lr=0.05), options, 3)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor([2.0]))

    def forward(self, x):
        y = x * self.scale
        return y, poptorch.identity_loss(y, "mean")


def outputModes():
    modes = poptorch.OutputMode
    for mode, period, rows, losses in ((modes.All, None, 8, (4,)), (modes.Final, None, 2, ()),
                                       (modes.Sum, None, 2, ()), (modes.EveryN, 2, 4, (2,))):
        options = poptorch.Options().deviceIterations(2).outputMode(mode, period)
        options.Training.gradientAccumulation(2)
        trainer = poptorch.trainingModel(Scaled(), options, torch.optim.SGD(
            [nn.Parameter(torch.zeros(1))], lr=0.0))
        y, loss = trainer(torch.arange(8.0).reshape(8, 1))
        assert y.shape == (rows, 1) and loss.shape == losses, (mode, y.shape, loss.shape)
    refused(AssertionError, lambda: poptorch.inferenceModel(
        nn.ReLU(), poptorch.Options().deviceIterations(3))(torch.zeros(4)),
            "Invalid batch dimension: In the input")


def structures():
    def model(x, pair, *, scale=2, more=None):
        a, b = pair["a"], pair["b"][0]
        return {"sum": x + a, "rest": [(b * scale, None), x, x, "text", 7]}

    x, a, b = torch.rand(3), torch.rand(3), torch.rand(3)
    executor = poptorch.inferenceModel(model)
    result = executor(x, {"a": a, "b": [b]}, scale=3)
    close(result["sum"], x + a)
    (scaled, none), first, second, text, number = result["rest"]
    close(scaled, b * 3)
    close(first, x)
    assert none is None and text == "text" and number == 7 and (first == second).all()
    for call, message in (
            (lambda: executor(x, {"a": a, "b": [b]}, scale=4), "Value mismatch for scale"),
            (lambda: executor(x, {"a": a, "b": [b]}), "Missing arguments: scale."),
            (lambda: executor(x, {"a": a, "b": [b]}, scale=3, other=1),
             "Unexpected arguments: other"),
            (lambda: executor(x), "Mandatory parameter pair missing"),
            (lambda: executor(x[:2], {"a": a, "b": [b]}, scale=3), "Shape mismatch for x"),
            (lambda: executor(x.int(), {"a": a, "b": [b]}, scale=3), "Data type mismatch for x"),
            (lambda: executor(x, [a, b], scale=3), "Type mismatch for pair")):
        refused(poptorch.Error, call, message)
    assert poptorch.inferenceModel(lambda x: None)(x) is None


@dataclasses.dataclass
class Pair:
    values: torch.Tensor
    scale: int = 2


class Holder:
    def __init__(self, values):
        self.values = values


def objects():
    """Dataclasses are taken apart; an object that hides tensors is an error."""
    executor = poptorch.inferenceModel(lambda x: Pair(x.values * x.scale, x.scale))
    for _ in range(2):
        x = torch.rand(3)
        result = executor(Pair(x))
        assert isinstance(result, Pair) and result.scale == 2
        close(result.values, 2 * x)
    refused(poptorch.Error, lambda: executor(Pair(x, 3)), "Value mismatch for x")
    refused(poptorch.Error, lambda: executor(Pair(x[:2])), "Shape mismatch for x")
    text = "of the type Holder holds tensors"
    refused(poptorch.Error, lambda: poptorch.inferenceModel(Holder)(x), text)
    refused(poptorch.Error, lambda: poptorch.inferenceModel(lambda h: h.values)(Holder(x)), text)


def state():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("total", torch.zeros(2))
            self.register_buffer("calls", torch.tensor([70000, -70000], dtype=torch.int32))

        def forward(self, x):
            self.total += x
            self.calls -= 1
            x *= 2
            return self.total + 0

    model, x = Counting(), torch.ones(2)
    executor = poptorch.inferenceModel(model)
    for total in (1, 3, 7):
        close(executor(x), torch.full((2,), float(total)))
    assert (x == 8).all()
    executor.copyWeightsToHost()
    assert model.total.tolist() == [7, 7] and model.calls.tolist() == [69997, -70003]


class Indexed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.factor = torch.tensor([1.0, 2.0])
        self.register_buffer("places", torch.tensor([0, 1]))
        self.register_buffer("mask", torch.ones(200, 100, dtype=torch.bool))

    def forward(self, x):
        y = self.layer(x)[:, self.places] * self.factor * self.mask[0, :2]
        return y, poptorch.identity_loss(y * y, "sum")


def changes():
    for training in (False, True):
        model = Indexed()
        reference = copy.deepcopy(model)
        optimizers = [torch.optim.Adam(m.parameters(), lr=0.1) for m in (model, reference)]
        executor = (poptorch.trainingModel(model, None, optimizers[0]) if training
                    else poptorch.inferenceModel(model))

        def step():
            x = torch.rand(3, 2)
            result = executor(x)[0]
            wanted, loss = reference(x)
            close(result, wanted.detach())
            optimizers[1].zero_grad()
            loss.backward()
            optimizers[1].step() if training else None

        step()
        for change in (lambda m: m.places.copy_(torch.tensor([1, 0])),
                       lambda m: m.places.data.copy_(torch.tensor([1, 1])),
                       lambda m: setattr(m, "places", torch.tensor([0, 0])),
                       lambda m: m.factor.neg_(),
                       lambda m: m.mask[0, 0].logical_not_()):
            change(model)
            change(reference)
            step()
            step()
        executor.detachFromDevice()
        model.mask.fill_(True), reference.mask.fill_(True)
        step()


def numbers():
    def model(x, n, empty):
        return [x / n, n / x, x / -2, x / 2.5, torch.atan2(x, n), torch.copysign(x, n), x < n,
                x == -1, x * n, x - n, x.half() / n, torch.where(x > 1, x, -1), x // -2,
                torch.div(x, n, rounding_mode="trunc"), x.clamp(-3, 5), empty.any(), empty.all(),
                empty.any(1), empty.all(1), empty.sum(1), empty.prod(1)]

    arguments = torch.tensor([1, 2, 200], dtype=torch.uint8), torch.tensor(-3), torch.ones(2, 0)
    for a, b in zip(poptorch.inferenceModel(model)(*arguments), model(*arguments)):
        close(a.double(), b.double(), 1e-3)


def missing():
    """NaN in medians and activations; integers in functions for floats."""
    def model(x, n):
        return [*x.median(1), x.median(), x[1].median(), *x.nanmedian(1, keepdim=True),
                x.nanmedian(), *n.nanmedian(0), F.elu(x), F.threshold(x, 0.5, 7.0),
                F.threshold(n, 0, 7), F.hardtanh(n, -0.5, 3.5),
                torch.logspace(n[0, 3], 3, 4, base=1.5)]

    nan, inf = float("nan"), float("inf")
    x = torch.tensor([[1, nan, 3, 4, 5], [inf, 2, -1, 0, 2], [nan, inf, inf, nan, 0]])
    n = torch.tensor([[3, -7, 3, 2, 2], [1, 1, 0, 9, -4]], dtype=torch.int32)
    for a, b in zip(poptorch.inferenceModel(model)(x, n), model(x, n)):
        assert torch.allclose(a.double(), b.double(), 1e-5, 1e-5, equal_nan=True), (a, b)


def integers():
    def model(a, b, wide):
        return [a ** b, 3 ** b, a << b, a >> b, a << 40, -a >> 33, a @ b, a.T @ wide,
                torch.einsum("ij,jk->ki", a, b), wide >> 31]

    numbers = torch.arange(-4, 5, dtype=torch.int32).repeat(9, 1)
    arguments = numbers, numbers.T.contiguous(), torch.full((9,), -2**31, dtype=torch.int32)
    for a, b in zip(poptorch.inferenceModel(model)(*arguments), model(*arguments)):
        assert torch.equal(a, b.int()), (a, b)


def orders():
    """Modes, divisors and multiples, booleans in operators of numbers, constants as results."""
    def model(a, b, flags, half):
        return [torch.gcd(a, b), torch.lcm(a, b), *a.mode(1), *b.mode(0, keepdim=True),
                *a[:, :1].mode(1), torch.outer(flags, flags),
                flags.index_add(0, torch.tensor([0, 2]), flags[:2]),
                flags.scatter_reduce(0, torch.tensor([1, 1, 0]), flags, "prod",
                                     include_self=False),
                *half.sum().cummax(0), half.float_power(4), F.rms_norm(half, (4,))]

    a = torch.randint(-2**31 + 1, 2**31 - 1, (5, 7), dtype=torch.int32)
    b = torch.randint(-3, 3, (5, 7), dtype=torch.int32)
    a[0, :3], b[0, 1:4], a[2, 3:] = 0, 0, 7
    a[1, 0], b[1, 0] = 1836311903, 1134903170  # numbers of Fibonacci: the longest way
    arguments = a, b, torch.tensor([True, False, True]), torch.tensor([[90.0, -4, 1, 20]]).half()
    for x, y in zip(poptorch.inferenceModel(model)(*arguments), model(*arguments), strict=True):
        assert torch.allclose(x.double(), y.double(), 1e-3, 0), (x, y)
    twice = poptorch.inferenceModel(lambda x: (x.sum().max(0), torch.full_like(x, 2.5)),
                                    poptorch.Options().deviceIterations(2))
    (values, places), filled = twice(torch.arange(4.0))
    assert values.tolist() == [1, 5] and places.tolist() == [0, 0] and filled.tolist() == [2.5] * 4


def masks():
    """Rows without any key: their result is 0, and so is their part of the gradient."""
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.query = nn.Parameter(torch.rand(2, 4, 8))

        def forward(self, keys, *kinds):
            found = [F.scaled_dot_product_attention(self.query, keys, keys, mask)
                     for mask in kinds]
            return found, poptorch.identity_loss(sum(x.square().sum() for x in found), "sum")

    live = torch.ones(2, 4, 5, dtype=torch.bool)
    live[0, 2] = live[1, 0] = live[1, 3, 1:] = False
    arguments = torch.rand(2, 5, 8), live, torch.zeros(live.shape).masked_fill(~live, -torch.inf)
    model = Attention()
    found, loss = model(*arguments)
    loss.backward()
    options = poptorch.Options()
    options.anchorTensor("gradient", "Gradient___query")
    trainer = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.0))
    for a, b in zip(trainer(*arguments)[0], found):
        close(a, b.detach())
    close(trainer.getAnchoredTensor("gradient"), model.query.grad)
    # Scores of halves around 200, which halves would round to 1/8.
    halves = [(8 * torch.rand(2, 4, 8) + 2).half() for _ in range(3)]
    close(poptorch.inferenceModel(F.scaled_dot_product_attention)(*halves),
          F.scaled_dot_product_attention(*halves), 5e-3)


def hooks():
    calls = []
    handles = [poptorch.registerPreCompileHook(lambda: calls.append("before")),
               poptorch.registerPostCompileHook(lambda: calls.append("after"))]
    refused(RuntimeError, lambda: poptorch.registerPreCompileHook(1), "a hook is a function")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["POPTORCH_EXPORT_PROTO_FILE"] = f"{folder}/model.onnx"
        poptorch.inferenceModel(nn.ReLU())(torch.rand(2))
        del os.environ["POPTORCH_EXPORT_PROTO_FILE"]
        assert b"Relu" in open(f"{folder}/model.onnx", "rb").read()
    for handle in handles:
        handle.remove()
    poptorch.inferenceModel(nn.ReLU())(torch.rand(2))
    assert calls == ["before", "after"]


def optimizerState():
    model, copies = Indexed(), []
    x = torch.rand(3, 2)
    optimizer = poptorch.optim.AdamW(model.parameters(), lr=0.1)
    trainer = poptorch.trainingModel(model, None, optimizer)
    trainer(x), trainer(x)
    copies = copy.deepcopy(model.state_dict()), copy.deepcopy(optimizer.state_dict())
    assert copies[1]["ipu_state"]["Step___layer.bias"] == 2
    wanted = trainer(x)[0], trainer(x)[0]
    for again in (False, True):
        trainer.load_state_dict(copies[0])
        optimizer.load_state_dict(copies[1])
        if again:
            trainer.destroy()
            trainer = poptorch.trainingModel(model, None, optimizer)
        close(trainer(x)[0], wanted[0]), close(trainer(x)[0], wanted[1])


def collected():
    """A program that is dropped while another model is traced leaves its weights to its model."""
    model, x = Indexed(), torch.rand(3, 2)
    held = [poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))]
    before = model.layer.weight.detach().clone()
    held[0](x)

    class Dropping(nn.Module):
        def forward(self, x):
            held.clear()
            gc.collect()
            return x + 1

    close(poptorch.inferenceModel(Dropping())(x), x + 1)
    assert (model.layer.weight != before).any()


def weights():
    model = Net()
    trainer = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=0.1))
    part = poptorch.inferenceModel(model.last)
    x, labels, rows = torch.rand(4, 1, 12, 12), torch.randint(0, 10, (4,)), torch.rand(2, 100)
    before = model.last.weight.detach().clone()
    for _ in range(2):
        trainer(x, labels)
        close(part(rows), F.linear(rows, model.last.weight, model.last.bias).detach())
    assert (model.last.weight != before).any()
    assert type(model).__name__ == "PoptorchNet" and type(copy.deepcopy(model)) is Net
    assert type(pickle.loads(pickle.dumps(model))) is Net
    refused(RuntimeError, lambda: poptorch.trainingModel(model), "already wrapped")
    zeros = {name: torch.zeros_like(value) for name, value in model.state_dict().items()}
    trainer.load_state_dict(zeros)
    close(trainer(x, labels)[0], torch.zeros(4, 10))
    trainer.detachFromDevice()
    refused(poptorch.Error, trainer.detachFromDevice, "not attached")
    trainer.destroy()
    assert type(model) is Net
    refused(poptorch.Error, poptorch.inferenceModel(model).detachFromDevice,
            "Model has not been compiled")


def losses():
    class Two(nn.Module):
        def __init__(self, wrap):
            super().__init__()
            self.layer, self.wrap = nn.Linear(3, 3), wrap

        def forward(self, x):
            y = self.layer(x)
            return self.wrap(F.mse_loss(y, x), F.l1_loss(y, x), y)

    def train(wrap):
        model = Two(wrap)
        reference = copy.deepcopy(model)
        x = torch.rand(2, 3)
        found = poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=1.0))(x)
        reference(x).backward()
        close(found, reference(x).detach())
        close(model.layer.weight.detach(),
              (reference.layer.weight - reference.layer.weight.grad).detach())

    train(lambda mse, l1, y: poptorch.identity_loss(mse + l1, "sum"))
    train(lambda mse, l1, y: poptorch.identity_loss(y * mse, "mean"))
    refused(poptorch.Error, lambda: train(lambda mse, l1, y: mse + l1),
            "Multiple independent losses found in graph!")
    plain = nn.Linear(2, 2)
    refused(poptorch.Error, lambda: poptorch.trainingModel(plain)(torch.rand(1, 2)),
            "Couldn't find a loss in graph!")


def gradients():
    class Parts(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
            self.c = nn.Parameter(torch.ones(2), requires_grad=False)

        def forward(self, x):
            with torch.no_grad():
                hidden = x * self.b
            return poptorch.identity_loss(self.a * hidden * self.c + (x * self.b).detach(), "sum")

    model = Parts()
    x = torch.tensor([2.0, 3.0])
    poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=1.0))(x)
    assert model.a.tolist() == [-1, -2] and model.b.tolist() == model.c.tolist() == [1, 1]
    statistics()


def statistics():
    """Of groups, through which a gradient goes, and given ones of a norm that is not trained."""
    class Norms(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.rand(4)), nn.Parameter(torch.rand(4))
            self.x = nn.Parameter(torch.randn(2, 4, 3))
            self.norm = nn.BatchNorm1d(4).eval()
            self.norm.running_mean.copy_(torch.rand(4))

        def forward(self):
            parts = torch.native_group_norm(self.x, self.weight, self.bias, 2, 4, 3, 2, 0.1)
            loss = sum((part * part).sum() * number for number, part in enumerate(parts, 1))
            return poptorch.identity_loss(loss + (self.norm(self.x) ** 3).sum(), "sum")

    model = Norms()
    reference = copy.deepcopy(model)
    reference().backward()
    poptorch.trainingModel(model, None, torch.optim.SGD(model.parameters(), lr=1.0))()
    for (name, after), before in zip(model.named_parameters(), reference.parameters()):
        close(before - after, before.grad, 1e-4)


def messages():
    def reads(x):
        return x if x.sum() > 0 else -x  # line A

    def unknown(x):
        return torch.linalg.qr(x)[0], torch.nonzero(x)  # line B

    lines = [number for number, line in enumerate(open(__file__), 1) if "# line" in line]
    refused(poptorch.Error, lambda: poptorch.inferenceModel(reads)(torch.rand(2)),
            f"on the host (with .item(), bool(), int(), an `if`, or a shape that depends on data) "
            f"at {__file__}:{lines[0]}")
    refused(poptorch.Error, lambda: poptorch.inferenceModel(unknown)(torch.rand(2, 2)),
            "Unsupported ops found in compiled model: [aten::linalg_qr, aten::nonzero]")
    refused(poptorch.Error, lambda: poptorch.inferenceModel(unknown)(torch.rand(2, 2)),
            f"aten::nonzero at {__file__}:{lines[1]}")
    refused(poptorch.Error, lambda: poptorch.inferenceModel(torch.fft.fft)(torch.rand(4)),
            "Unsupported ops found")
    options = poptorch.Options()
    options.Training.gradientAccumulation(2)
    refused(poptorch.Error, lambda: poptorch.inferenceModel(nn.ReLU(), options),
            "must be left to its default value (1) for inference models")


def names():
    model = Net()
    options = poptorch.Options().anchorTensor("gradient", "Gradient___last.weight")
    options.anchorTensor("hidden", "conv/Conv:0")
    trainer = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.0))
    reference = copy.deepcopy(model)
    x, labels = torch.rand(2, 1, 12, 12), torch.randint(0, 10, (2,))
    trainer(x, labels)
    reference(x, labels)[1].backward()
    close(trainer.getAnchoredTensor("gradient"), reference.last.weight.grad)
    close(trainer.getAnchoredTensor("hidden"), reference.conv(x).detach())
    assert {"conv/Conv:0", "conv.weight"} <= set(trainer.getTensorNames())


def random():
    def model(x):
        return (torch.rand(4000), torch.randn(4000), torch.randint(3, 9, (4000,)),
                torch.randperm(50), F.dropout(x, 0.25, True), torch.bernoulli(x * 0.3))

    executor = poptorch.inferenceModel(model, poptorch.Options().randomSeed(7))
    first, second = executor(torch.ones(4000)), executor(torch.ones(4000))
    for found, mean, spread in zip(first, (0.5, 0, 5.5, 24.5, 1, 0.3),
                                   (0.2887, 1, 1.708, 14.58, 0.5774, 0.4583)):
        found = found.double()
        assert abs(found.mean() - mean) < 0.1 * spread and abs(found.std() / spread - 1) < 0.1
    assert sorted(first[3].tolist()) == list(range(50)) and (first[0] != second[0]).any()
    again = poptorch.inferenceModel(model, poptorch.Options().randomSeed(7))(torch.ones(4000))
    assert all((a == b).all() for a, b in zip(first, again))


def files():
    # The CPU device has no executables.
    del os.environ["POPULUS_POPTORCH_DEVICE"]
    os.environ["POPTORCH_SMALL_IPU_MODEL"] = "1"
    model, x, labels = Net(), torch.rand(2, 1, 12, 12), torch.randint(0, 10, (2,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    trainer = poptorch.trainingModel(model, None, optimizer)
    trainer(x, labels)
    with tempfile.TemporaryDirectory() as folder:
        trainer.save(f"{folder}/whole", save_rng_state=False)
        loaded = poptorch.load(f"{folder}/whole")
        close(loaded(x, labels)[1], trainer(x, labels)[1])
        close(loaded.model.last.weight.detach(), model.last.weight.detach())
        predictor = poptorch.inferenceModel(model)
        predictor.compileAndExport(f"{folder}/program", x, export_model=False)
        refused(poptorch.Error, lambda: poptorch.load(f"{folder}/program"), "without its model")
        other = poptorch.inferenceModel(model)
        other.loadExecutable(f"{folder}/program")
        close(other(x), predictor(x))


for test in (inference, training, outputModes, structures, objects, state, changes, numbers,
             missing, integers, orders, masks, hooks, optimizerState, collected, weights, losses, gradients,
             messages, names, random, files):
    if not sys.argv[1:] or test.__name__ in sys.argv[1:]:
        test()
        print(test.__name__, "ok", flush=True)
