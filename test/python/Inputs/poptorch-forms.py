# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forms of operators beside PyTorch: negative pads, bounds that cross, integers, halves, tensors
without elements; and what is refused, by its text."""

import os

os.environ["POPULUS_POPTORCH_DEVICE"] = "cpu"

import poptorch
import torch
import torch.nn.functional as F
from torch import nn


def close(found, wanted, tolerance=1e-5):
    found, wanted = found.double(), wanted.double()
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    same = (found == wanted) | (found.isnan() & wanted.isnan())
    error = ((found - wanted).abs() / (1 + wanted.abs())).where(~same, torch.zeros(()).double())
    assert not error.numel() or error.nan_to_num(nan=9e9).max() <= tolerance, (found, wanted)


def check(cases, *inputs, exact=None, tolerance=1e-5):
    """One program of all cases; `exact` makes inputs of a reference."""
    found = poptorch.inferenceModel(lambda *xs: [case(*xs) for case in cases])(*inputs)
    given = [exact(x) for x in inputs] if exact else inputs
    for number, (a, case) in enumerate(zip(found, cases)):
        try:
            close(a, case(*given), tolerance)
        except AssertionError as error:
            raise AssertionError(f"case {number}: {error}")


def numbers():
    images = torch.randn(1, 3, 6, 7)
    check([lambda x, pad=pad, mode=mode: F.pad(x, pad, mode=mode)
           for mode in ("circular", "reflect", "replicate")
           for pad in ((-1, 1, -2, 1), (1, -1, 2, -3), (-1, -1, 2, 2), (3, -2, 0, 1))], images)
    grid = torch.rand(1, 4, 6, 2) * 3 - 1.5
    check([lambda x, grid, mode=mode, pad=pad, corners=corners: F.grid_sample(
        x, grid, mode, pad, corners) for mode in ("bilinear", "bicubic", "nearest")
        for pad in ("zeros", "border", "reflection") for corners in (True, False)], images, grid)
    check([lambda x: torch.logit(x, 0.6), lambda x: torch.logit(x, 0.2), torch.angle],
          torch.linspace(-0.2, 1.2, 15))
    check([torch.special.zeta], torch.tensor([1.0, 0, 2, 3, 2, 1]),
          torch.tensor([-3.0, -3, -3, 2, 0, 0]))
    table, indices = torch.randn(5, 3), torch.tensor([[0, 4, 2], [4, 4, 1]])
    check([lambda t, i, mode=mode: F.embedding_bag(i, t, mode=mode, padding_idx=-1)
           for mode in ("sum", "mean", "max")], table, indices)


def integers():
    a, b, target = (torch.randint(-9, 9, (4, 5)) for _ in range(3))
    check([lambda a, b, t: F.margin_ranking_loss(a, b, t.sign(), margin=0.5),
           lambda a, b, t: F.triplet_margin_loss(a, b, t),
           lambda a, b, t: F.cosine_embedding_loss(a, b, t[:, 0].sign(), margin=0.3),
           lambda a, b, t: F.poisson_nll_loss(a, b, full=True, reduction="none"),
           lambda a, b, t: a.angle()], a, b, target)


def halves():
    x = (torch.rand(4, 5) * 9).half()
    check([lambda x: torch.linalg.vector_norm(x, 6, -1), lambda x: torch.dist(x, -x, 5),
           lambda x: torch.linalg.norm(0 * x[0], -3.5)], x, exact=torch.Tensor.double,
          tolerance=1e-3)
    images, grid = torch.randn(1, 2, 12, 30).half(), (torch.rand(1, 4, 6, 2) * 2 - 1).half()
    check([lambda x, grid: F.grid_sample(x, grid, "bicubic", "border", True)], images, grid,
          exact=torch.Tensor.double, tolerance=2e-3)
    # A channel of its own: products are rounded to halves, and their sum is in float32.
    kernels = torch.randn(2, 1, 3, 3).half()
    check([lambda x, w: F.conv2d(x, w, groups=2), lambda x, w: F.conv_transpose2d(x, w, groups=2)],
          images, kernels, exact=torch.Tensor.double, tolerance=5e-3)


def losses():
    x, y, variance = torch.randn(4, 3), torch.randn(4, 3), torch.rand(4, 3)
    check([lambda x, y, v: F.gaussian_nll_loss(x, y, v),
           lambda x, y, v: F.gaussian_nll_loss(x, y, v[:, :1], full=True, reduction="sum"),
           lambda x, y, v: F.gaussian_nll_loss(x, y, v[:, 0] * 1e-9, reduction="none"),
           lambda x, y, v: nn.GaussianNLLLoss()(x, y, 0.5)], x, y, variance)
    label, labels = torch.tensor([0, 2, 1, 1]), torch.tensor(
        [[0, -1, 2], [1, 2, -1], [-1, 1, 1], [2, 2, 0]])
    check([lambda x, y, a, b, p=p, reduction=reduction, weight=weight: F.multi_margin_loss(
        x, a, p, 0.5, y[0] if weight else None, reduction=reduction)
        for p in (1, 2) for weight in (True, False) for reduction in ("none", "mean", "sum")]
          + [lambda x, y, a, b: F.multi_margin_loss(x[0], a[1]),
             lambda x, y, a, b: F.multilabel_margin_loss(x[1], b[1]),
             lambda x, y, a, b: F.multilabel_margin_loss(x, b),
             lambda x, y, a, b: F.multilabel_margin_loss(x, b, reduction="none")],
          x, y, label, labels)

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.mean, self.variance = nn.Parameter(x.clone()), nn.Parameter(variance.clone())

        def forward(self, y):
            return poptorch.identity_loss(F.gaussian_nll_loss(self.mean, y, self.variance), "sum")

    model, reference = Model(), Model()
    F.gaussian_nll_loss(reference.mean, y, reference.variance).backward()
    poptorch.trainingModel(model, optimizer=torch.optim.SGD(model.parameters(), lr=0.1))(y)
    for a, b in zip(model.parameters(), reference.parameters()):
        close(a.detach(), (b - 0.1 * b.grad).detach())


def pools():
    """Windows that overlap or differ."""
    images = torch.randn(2, 3, 7, 5)
    check([lambda x: F.adaptive_max_pool2d(x, (3, 2)), lambda x: F.adaptive_max_pool2d(x[0], (9, 4)),
           lambda x: F.adaptive_max_pool2d(x, (3, 2), return_indices=True)[1],
           lambda x: F.adaptive_max_pool1d(x[0], 3, return_indices=True)[1],
           lambda x: F.adaptive_max_pool3d(x, (2, 3, 4), return_indices=True)[1],
           lambda x: F.adaptive_avg_pool2d(x, (3, 2)), lambda x: F.adaptive_avg_pool3d(x, (2, 3, 4))],
          images)


def counts():
    numbers, integers = torch.randn(50), torch.randint(-3, 4, (50,)).float()
    check([lambda x, y: torch.histc(x, 7), lambda x, y: torch.histc(x, 7, -1, 1),
           lambda x, y: torch.histc(y, 6, -3, 3), lambda x, y: torch.histc(y * 0, 5)],
          numbers, integers)
    rows, lengths, offsets = torch.randn(6, 3), torch.tensor([2, 0, 3, 1]), \
        torch.tensor([0, 2, 2, 5, 6])
    check([lambda x, n, o, kind=kind: torch.segment_reduce(x, kind, lengths=n, unsafe=True)
           for kind in ("sum", "mean", "max", "min", "prod")]
          + [lambda x, n, o, kind=kind: torch.segment_reduce(x, kind, offsets=o, unsafe=True,
                                                             initial=0.5)
             for kind in ("sum", "max", "min", "prod")], rows, lengths, offsets)
    low = torch.tensor([[-torch.inf, -torch.inf, 1, 2, 100, -200]])
    check([lambda x: torch.logcumsumexp(x, 1), lambda x: torch.logcumsumexp(x, 0)], low)


def bits():
    """Zeros, numbers without a leading one, the largest ones, infinities and NaN."""
    ends = torch.tensor([0, -0.0, 1, -1, 0.5, 3, -1e-40, 1e-45, 3.4e38, torch.inf, -torch.inf,
                         torch.nan, 2.0 ** -126, -2.0 ** -126, 5e-39])
    check([lambda x: torch.frexp(x)[0], lambda x: torch.frexp(x)[1],
           lambda x: torch.nextafter(x, x.flip(0)) * 2.0 ** 60,
           lambda x: torch.nextafter(x, torch.zeros(())) * 2.0 ** 60,
           lambda x: torch.xlogy(x, x.flip(0)), lambda x: torch.special.xlog1py(x, x.flip(0))], ends,
          tolerance=1e-7)
    check([lambda x: torch.frexp(x)[0], lambda x: torch.frexp(x)[1]], torch.randn(20).half())


def empty():
    check([lambda x: torch.cat([x[:0], x[:0]]), lambda x: torch.tril_indices(0, 0),
           lambda x: torch.cat([x[:0], x])], torch.ones(3))


def refusals():
    x = torch.randn(3, 4)
    complexes = "complex numbers are not supported"
    reads = "reads the value of a tensor on the host"
    for function, text in ((lambda x: torch.fft.rfft(x).abs(), complexes),
                           (lambda x: torch.fft.fftn(x).real, complexes),
                           (lambda x: torch.complex(x, x).abs(), complexes),
                           (lambda x: torch.narrow(x, 1, x.argmax(), 2), reads),
                           (lambda x: torch.nonzero(x, as_tuple=True)[0], "aten::nonzero"),
                           (lambda x: x.to_sparse().to_dense(), "aten::to_sparse"),
                           (lambda x: torch.bincount(x[0].int(), minlength=9), "aten::bincount"),
                           (lambda x: torch.histogram(x, 5)[0], "aten::histogram"),
                           (lambda x: torch.nextafter(x.bfloat16(), x.bfloat16()),
                            "neighbours of torch.bfloat16"),
                           (lambda x: torch.segment_reduce(x, "sum", lengths=torch.tensor(
                               [[1, 3], [2, 2], [4, 0]]), axis=1, unsafe=True), "segments other")):
        try:
            poptorch.inferenceModel(function)(x)
        except poptorch.Error as error:
            assert text in str(error), error
        else:
            raise AssertionError(f"no error with {text}")
    statistics = torch.zeros(4)
    try:
        poptorch.inferenceModel(lambda x, a, b: F.batch_norm(x, a, b, training=True))(
            x, statistics, statistics)
    except poptorch.Error as error:
        assert "shares memory with another argument" in str(error), error
    else:
        raise AssertionError("no error for shared memory")


torch.manual_seed(0)
for part in (numbers, integers, halves, losses, pools, counts, bits, empty, refusals):
    part()
    print(part.__name__, "ok", flush=True)
