# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients where operands are equal or at the edge of a piece: there a rule chooses, and torch's
choice is the right one. The operands are small integers, so that most elements are such places.
"""
import os

os.environ.setdefault("POPULUS_POPTORCH_DEVICE", "cpu")
import poptorch
import torch
import torch.nn.functional as F

X = torch.randint(-2, 3, (2, 3, 6, 6), generator=torch.Generator().manual_seed(0)).float()
PLACES = torch.tensor([0, 3, 3, 1, 0, 3])
LABELS = torch.tensor([[3, 0, -1, 1, 1, 1], [1, 5, 2, -1, 0, 0]])
LOGS = X.flip(3).abs() + (X != 0)  # 0 only where X is
WEIGHTS = torch.randn(4000, generator=torch.Generator().manual_seed(1))
LENGTHS, OFFSETS = torch.tensor([2, 1, 3]), torch.tensor([0, 2, 3, 6])

GROUPS = {
    "pools": {
        "windows side by side": lambda x: F.max_pool2d(x, 2),
        "overlapping, padded": lambda x: F.max_pool2d(x, 3, 2, 1),
        "sliding": lambda x: F.max_pool2d(x, 3, 1, 1),
        "dilated": lambda x: F.max_pool2d(x, 2, 1, 0, 2),
        "ceil": lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True),
        "one window": lambda x: F.max_pool2d(x, 6),
        "lines": lambda x: F.max_pool1d(x[0], 3, 2),
        "volumes": lambda x: F.max_pool3d(x.unsqueeze(0), 2),
        "adaptive": lambda x: F.adaptive_max_pool2d(x, 3),
        "global": lambda x: F.adaptive_max_pool2d(x, 1),
        "with indices": lambda x: F.max_pool2d(x, 2, return_indices=True)[0],
        # The bias behind a ReLU: all elements that were below 0 are equal.
        "bias": lambda x: F.max_pool2d(F.relu(x.detach()) + x[:, :, :1, :1], 2),
        "halves": lambda x: F.max_pool2d(x.half(), 2).float(),
    },
    "reductions": {
        "amax": lambda x: x.amax((2, 3)), "amin": lambda x: x.amin(1),
        "max": lambda x: x.max().reshape(1), "min": lambda x: x.min().reshape(1),
        "max of rows": lambda x: x.max(2)[0], "min of rows": lambda x: x.min(3)[0],
        "aminmax": lambda x: torch.aminmax(x, dim=1)[0], "cummax": lambda x: x.cummax(2)[0],
        "norm": lambda x: x.norm(float("inf"), dim=1), "norm of 0": lambda x: (x * 0).norm(dim=1),
        "std": lambda x: x.std(1), "std of equals": lambda x: (x * 0 + 1).std(1),
    },
    "edges": {
        "maximum": lambda x: torch.maximum(x, x.flip(2)), "fmax": lambda x: torch.fmax(x, x.flip(3)),
        "minimum": lambda x: torch.minimum(x, x.flip(2)), "clamp": lambda x: x.clamp(-1, 1),
        "clamp_min": lambda x: x.clamp_min(0),
        "clamp by tensors": lambda x: torch.clamp(x, torch.tensor(-1.0), torch.tensor(1.0)),
        "relu": F.relu, "relu6": lambda x: F.relu6(x * 6), "hardtanh": F.hardtanh, "elu": F.elu,
        "elu, steep": lambda x: F.elu(x, 2.0), "selu": F.selu, "celu": F.celu,
        "leaky_relu": F.leaky_relu, "prelu": lambda x: F.prelu(x, torch.tensor([0.2])),
        "hardswish": lambda x: F.hardswish(x * 3), "hardsigmoid": lambda x: F.hardsigmoid(x * 3),
        "hardshrink": lambda x: F.hardshrink(x, 1.0), "softshrink": lambda x: F.softshrink(x, 1.0),
        "threshold": lambda x: F.threshold(x, 1.0, 5.0), "abs": torch.abs, "sinc": torch.sinc,
        "copysign": lambda x: torch.copysign(x, x.flip(1)),
        "atan2": lambda x: torch.atan2(x, x.flip(1)), "power of 0": lambda x: torch.zeros(6) ** x.abs(),
        "power 0": lambda x: x ** torch.zeros(6), "xlogy": lambda x: torch.xlogy(x, LOGS),
        "xlog1py": lambda x: torch.special.xlog1py(x, LOGS - 1),
        "multi_margin": lambda x: F.multi_margin_loss(x[0, 0], PLACES, reduction="none"),
        "multilabel_margin": lambda x: F.multilabel_margin_loss(x[0, 0, :2], LABELS),
    },
    # Several elements go to one place, and some of them are equal, or zeros.
    "places": {
        "index_fill": lambda x: x.index_fill(1, torch.tensor([1, 1]), x.sum()),
        "index_fill, two axes": lambda x: x.index_fill(-1, PLACES, x[0, 0, 0, 0]),
        **{f"scatter_reduce, {kind}, {own}": lambda x, kind=kind, own=own: x.scatter_reduce(
            3, PLACES.expand(2, 3, 6, 6), x.flip(2), kind, include_self=own)
           for kind in ("amax", "amin", "prod", "mean") for own in (True, False)},
        **{f"index_reduce, {kind}, {own}": lambda x, kind=kind, own=own: x.index_reduce(
            2, PLACES, x.flip(3), kind, include_self=own)
           for kind in ("amax", "amin", "prod", "mean") for own in (True, False)},
        # With gradients of at least 0: torch shares no others.
        "segments": lambda x: WEIGHTS[:18].reshape(3, 6).sign() * torch.segment_reduce(
            x[0, 0], "max", lengths=LENGTHS, unsafe=True),
        "segments of means": lambda x: torch.segment_reduce(x[0, 0], "mean", offsets=OFFSETS,
                                                            unsafe=True),
    },
    "order": {
        "median": lambda x: x.median().reshape(1), "nanmedian": lambda x: x.nanmedian().reshape(1),
        "norm 3 of 0": lambda x: (x * 0).norm(3, dim=1), "norm 3": lambda x: x.norm(3, dim=1),
        "cdist": lambda x: torch.cdist(x[0], x[0], 3.0), "pdist": lambda x: torch.pdist(x[0, 0], 3.0),
        "cdist of maxima": lambda x: torch.cdist(x[0], x[1], float("inf")),
        "pdist of maxima": lambda x: torch.pdist(x[0, 0], float("inf")),
        "uneven": lambda x: F.adaptive_max_pool2d(x, (4, 5)),
        "uneven volumes": lambda x: F.adaptive_max_pool3d(x, (2, 4, 5)),
        "logcumsumexp": lambda x: x.logcumsumexp(2),
        "frexp": lambda x: torch.frexp(x)[0], "median of rows": lambda x: x.median(1)[0],
        "mode": lambda x: x.mode(1)[0], "product": lambda x: x.prod(2), "cumprod": lambda x: x.cumprod(2),
    },
}


class Sums(torch.nn.Module):
    """The sum of all functions' results, each of a parameter of its own and with weights."""

    def __init__(self, functions):
        super().__init__()
        self.functions = functions
        self.x = torch.nn.ParameterList([X.clone() for _ in functions])

    def forward(self, weights):
        results = [f(x) for f, x in zip(self.functions, self.x)]
        loss = sum((y * weights[:y.numel()].reshape(y.shape)).sum() for y in results)
        return loss, poptorch.identity_loss(loss, "sum")


for group, cases in GROUPS.items():
    model = Sums(list(cases.values()))
    reference = Sums(list(cases.values()))
    reference(WEIGHTS)[0].backward()
    trained = poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=1.0))
    trained(WEIGHTS)
    trained.copyWeightsToHost()
    for name, x, wanted in zip(cases, model.x, reference.x):
        torch.testing.assert_close(X - x.detach(), wanted.grad, rtol=1e-3, atol=1e-3,
                                   msg=lambda text: f"{group}, {name}: {text}")
    print(group, "ok", flush=True)
