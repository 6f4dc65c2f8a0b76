# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.compile with the backend populus, beside PyTorch itself: inference, training, graph breaks,
shapes that change, operators that are not there.

torch-compile.py DEVICE [TEST...]"""

import copy
import io
import sys

import torch
from torch import nn

# The backend is found by its name, without an import.
assert "poptorch" not in sys.modules
by_name = torch.compile(lambda x: x + 1, backend="populus", options={"device": "cpu"})
assert torch.equal(by_name(torch.ones(2)), torch.full((2,), 2.0))

from poptorch import _compile

DEVICE = sys.argv[1]
programs = []


class Counted(_compile._Program):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        programs.append(self)


_compile._Program = Counted


def compiled(model, **more):
    torch._dynamo.reset()
    programs.clear()
    return torch.compile(model, backend=_compile.populus,
                         options={"device": DEVICE, "tiles": 64, **more})


def refused(errors, function, *arguments, text=""):
    try:
        function(*arguments)
    except errors as error:
        assert text in str(error), (text, str(error))
        return
    raise AssertionError(f"{function} took {arguments}")


def cnn():
    torch.manual_seed(0)
    # Without a bias, whose gradient would be noise: the norm takes it away.
    return nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4),
                         nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3))


def inference():
    model = cnn().eval()
    fast = compiled(model, fallback=False)
    x = torch.randn(2, 1, 8, 8)
    with torch.no_grad():
        for _ in range(2):
            torch.testing.assert_close(fast(x), model(x), rtol=1e-5, atol=1e-5)
        with torch.no_grad():  # weights of the host are those of the next call
            model[5].weight.mul_(2)
        torch.testing.assert_close(fast(x), model(x), rtol=1e-5, atol=1e-5)
    assert len(programs) == 1


def weights():
    """They stay on the device, and go there when somebody has changed them."""
    model = nn.Sequential(nn.Linear(8, 4), nn.Tanh(), nn.Linear(4, 2))
    model.register_buffer("unused", torch.zeros(1))
    fast = compiled(model, fallback=False)
    x = torch.randn(3, 8)
    changes = [lambda: None, lambda: model[0].weight.data.add_(1),
               lambda: nn.init.zeros_(model[2].bias),
               lambda: model.load_state_dict({name: value * 2 for name, value
                                              in model.state_dict().items()}),
               lambda: setattr(model[0].weight, "data", torch.randn(4, 8)),
               lambda: model[2].bias.data.fill_(float("nan")), lambda: None,
               lambda: nn.init.ones_(model[2].bias)]
    uploads = []
    upload = _compile._Program._upload
    _compile._Program._upload = lambda self, arguments: uploads.append(
        (dict(self._uploaded), upload(self, arguments), dict(self._uploaded)))
    with torch.no_grad():
        for change in changes:
            change()
            assert torch.allclose(fast(x), model(x), atol=1e-4, equal_nan=True)
    assert len(programs) == 1 and len(programs[0]._inputs) == 1 and len(programs[0]._weights) == 4
    assert counts(uploads) == [4, 1, 1, 3, 1, 1, 0, 1], counts(uploads)
    uploads.clear()
    frozen()
    assert counts(uploads) == [2, 0, 0, 0, 1, 0], counts(uploads)
    _compile._Program._upload = upload


def counts(uploads):
    """How many weights went up in each run of a program."""
    return [sum(after[name] is not before.get(name) for name in after)
            for before, _, after in uploads]


def frozen():
    """In training, those that are not trained and that the model does not write."""
    model = nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4), nn.Linear(4, 2))
    model[0].requires_grad_(False)
    reference = copy.deepcopy(model)
    fast = compiled(model, fallback=False)
    x = torch.randn(3, 8)
    for step in range(3):
        for call, module in ((fast, model), (reference, reference)):
            if step == 2:
                module[0].weight.data.add_(1)
            module.zero_grad()
            call(x).square().sum().backward()
            torch.optim.SGD(module[2].parameters(), 0.1).step()
    for one, other in zip(model.state_dict().values(), reference.state_dict().values()):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)
    # x, the trained weights and the statistics of the norm are inputs.
    assert len(programs) == 2 and len(programs[0]._weights) == 2
    # Weights that the backward pass reads, too, come from the host.
    assert len(programs[0]._names) < len(programs[0]._outputs)


def training(steps=50 if DEVICE == "cpu" else 5):
    model, reference = cnn(), cnn()
    fast = compiled(model, fallback=False)
    ours = torch.optim.Adam(model.parameters(), 1e-3)
    theirs = torch.optim.Adam(reference.parameters(), 1e-3)
    for _ in range(steps):
        x, target = torch.randn(6, 1, 8, 8), torch.randint(0, 3, (6,))
        for call, optimizer in ((fast, ours), (reference, theirs)):
            optimizer.zero_grad()
            nn.functional.cross_entropy(call(x), target).backward()
            optimizer.step()
    for (name, one), other in zip(model.state_dict().items(), reference.state_dict().values()):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4, msg=name)
    assert len(programs) == 2  # forward and backward


class Twice(nn.Module):
    """Results that are read by the backward pass, are views, and are returned twice."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(6, 4), nn.Linear(4, 3)

    def forward(self, x):
        y = torch.tanh(self.first(x))
        z = self.last(y)
        return z, y, z, y.t(), y.detach(), self.last.weight.t()


def crossings():
    """Each tensor crosses over once, and a call does not change the results of the one before."""
    torch.manual_seed(0)
    model = Twice()
    fast, reference = compiled(model, fallback=False), copy.deepcopy(model)
    x = torch.randn(5, 6)
    found, wanted = fast(x), reference(x)
    kept = [tensor.detach().clone() for tensor in found]
    fast(x + 1)
    for a, b, c in zip(found, wanted, kept):
        assert torch.allclose(a, b, atol=1e-5) and torch.equal(a, c) and a.stride() == b.stride()
    for results in (found, wanted):
        (results[0].square().sum() + results[1].sum()).backward()
    for a, b in zip(model.parameters(), reference.parameters()):
        assert torch.allclose(a.grad, b.grad, atol=1e-5)
    forward, backward = programs
    # Both results, and y.t(); neither y.detach() nor the weight's transpose that goes back.
    assert len(forward._names) == 3, forward._names
    assert len(backward._inputs) <= 6, backward._inputs


class Forms(nn.Module):
    """Arguments by keyword, results in structures, buffers and arguments that change in place."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.register_buffer("sums", torch.zeros(4))
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, x, *, scale, more=None):
        y = self.norm(x) * scale
        self.sums += y.detach().sum(0)
        self.calls += 1
        if more is not None:
            more.add_(1)
        return {"y": y, "parts": (y[:1], [y.sum(), None, 3]), "more": more}


def forms():
    model = Forms()
    reference = copy.deepcopy(model)
    fast = compiled(model, fallback=False)
    for step in range(3):
        x, more = torch.randn(6, 4), torch.zeros(2) if step else None
        other = None if more is None else more.clone()
        with torch.set_grad_enabled(step != 2):
            a = fast(x, scale=2.0, more=more)
            b = reference(x, scale=2.0, more=other)
        assert a["parts"][1][1:] == [None, 3] and (a["more"] is more)
        for one, two in ((a["y"], b["y"]), (a["parts"][0], b["parts"][0]),
                         (a["parts"][1][0], b["parts"][1][0]), (more, other)):
            assert one is two is None or torch.allclose(one, two, atol=1e-4)
        for (name, one), two in zip(model.named_buffers(), reference.buffers()):
            assert one.dtype == two.dtype and torch.allclose(one, two, atol=1e-4), name
        assert not step or torch.equal(more, torch.ones(2))
    # Shapes that change, within a bound.
    wide = nn.Linear(4, 2)
    fast = compiled(wide, fallback=False, max_shapes=2)
    torch._dynamo.mark_dynamic(torch.empty(3, 4), 0)
    for rows in (2, 3, 5, 7, 2, 2):
        x = torch.randn(rows, 4)
        with torch.no_grad():
            assert torch.allclose(fast(x), wide(x), atol=1e-5)
    assert len(programs) == 5, len(programs)  # the second 2 has been forgotten once


def modes():
    from poptorch._logging import logger
    torch._dynamo.reset()
    texts = []
    logger.warning, warning = lambda text, *rest: texts.append(text % rest), logger.warning
    torch.compile(lambda x: x + 1, backend=_compile.populus, mode="max-autotune")(torch.ones(2))
    logger.warning = warning
    assert texts == ["The backend populus has no modes: mode='max-autotune' is ignored."], texts


def layers():
    """Gradients of inputs and weights."""
    attention = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    for model, shape in (
            (attention, (2, 5, 8)),
            (nn.Sequential(nn.Conv2d(4, 8, 3, padding=2, dilation=2, groups=2), nn.SiLU(),
                           nn.Conv2d(8, 8, (3, 2), stride=(2, 1), groups=8, bias=False),
                           nn.AdaptiveAvgPool2d((2, 3))), (2, 4, 9, 8)),
            (nn.Sequential(nn.ConvTranspose2d(3, 4, 3, stride=2, padding=1, output_padding=1),
                           nn.Sigmoid(), nn.AvgPool2d(3, 2, 1), nn.GroupNorm(2, 4)),
             (2, 3, 5, 4)),
            (nn.Sequential(nn.Conv1d(3, 4, 3), nn.Tanh(), nn.AvgPool1d(3, 2, ceil_mode=True)),
             (2, 3, 8))):
        reference = copy.deepcopy(model)
        fast = compiled(model, fallback=False)
        x = torch.randn(shape)
        inputs = [x.clone().requires_grad_(), x.clone().requires_grad_()]
        results = [fast(inputs[0]), reference(inputs[1])]
        weights = torch.randn(results[0].shape)
        for result in results:
            (result * weights).sum().backward()
        torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)
        torch.testing.assert_close(inputs[0].grad, inputs[1].grad, rtol=1e-4, atol=1e-5)
        for one, other in zip(model.parameters(), reference.parameters()):
            torch.testing.assert_close(one.grad, other.grad, rtol=1e-4, atol=1e-5)


def breaks():
    def function(x):
        y = x * 2
        if y.sum() > 0:  # read on the host: dynamo makes two graphs
            return y + 1, {"list": [y, 3]}
        return y - 1, {"list": [x, 4]}

    fast = compiled(function)
    for x in (torch.ones(3), -torch.ones(3)):
        one, other = fast(x), function(x)
        assert torch.equal(one[0], other[0]) and torch.equal(one[1]["list"][0],
                                                             other[1]["list"][0])
        assert one[1]["list"][1] == other[1]["list"][1]
    assert len(programs) == 3


def types():
    def function(x, n):
        return (x.double() * 2, n + 1, x.half() + 1, (x > 0), x.t(), n.float().mean(),
                (x + 1)[:, :1].expand(2, 3))

    fast = compiled(function, fallback=False)
    x, n = torch.randn(2, 3), torch.arange(4)
    for one, other in zip(fast(x, n), function(x, n)):
        assert one.dtype == other.dtype and one.stride() == other.stride()
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)


def shapes():
    model = nn.Linear(4, 3)
    fast = compiled(model, fallback=False, max_shapes=2)
    with torch.no_grad():
        for rows in (2, 3, 4, 5, 4, 5, 3):
            x = torch.randn(rows, 4)
            torch.testing.assert_close(fast(x), model(x), rtol=1e-5, atol=1e-5)
    # 2 is a graph of its own; the other one keeps two of 3, 4, 5, and makes 3 again.
    assert len(programs) == 5, len(programs)


def fallbacks():
    def function(x):
        return torch.linalg.eigvalsh(x @ x.t()) + 1

    x = torch.randn(3, 3)
    before, sys.stderr = sys.stderr, io.StringIO()
    try:
        found, text = compiled(function)(x), sys.stderr.getvalue()
    finally:
        sys.stderr = before
    torch.testing.assert_close(found, function(x))
    assert "torch runs a graph" in text and "eigh" in text, text
    refused(Exception, compiled(function, fallback=False), x, text="Unsupported ops")
    refused(Exception, compiled(function, colour=1), x, text="Unknown option 'colour'")
    torch._dynamo.reset()
    refused(Exception, torch.compile(function, backend=_compile.populus,
                                     options={"device": "gpu"}), x, text="Unknown device 'gpu'")


def randomness():
    torch.manual_seed(1)
    fast = compiled(nn.Dropout(0.25), fallback=False)
    x = torch.ones(4000, requires_grad=True)
    y = fast(x)
    y.sum().backward()
    assert torch.equal(y.detach(), x.grad) and abs((y == 0).float().mean() - 0.25) < 0.03
    assert not torch.equal(fast(x), y)


for test in (inference, weights, forms, training, layers, breaks, types, shapes, fallbacks, randomness, modes,
             crossings):
    if test.__name__ in (sys.argv[2:] or [test.__name__]):
        test()
        print(test.__name__, "ok")
