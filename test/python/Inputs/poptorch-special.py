# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Special functions beside PyTorch in float64 and mpmath: values, ends of their domains, gradients;
and functions that PyTorch computes by reading values, bags of embeddings, parts of attention."""

import itertools
import math
import os

os.environ["POPULUS_POPTORCH_DEVICE"] = "cpu"

import mpmath
import poptorch
import torch
from torch import nn, special


def close(found, wanted, tolerance=2e-6):
    """Differences relative to large numbers; infinities and NaN have to be the same."""
    found, wanted = found.double(), wanted.double()
    assert found.shape == wanted.shape, (found.shape, wanted.shape)
    same = (found == wanted) | (found.isnan() & wanted.isnan())
    error = ((found - wanted).abs() / (1 + wanted.abs())).where(~same, torch.zeros(()).double())
    worst = error.nan_to_num(nan=math.inf).argmax()
    assert error.flatten()[worst] <= tolerance, (worst, found.flatten()[worst],
                                                 wanted.flatten()[worst])


WIDE = torch.cat([torch.linspace(-8.3, 9.1, 1001), torch.tensor([30.0, 100.5, -20.25])])
ABOVE = torch.cat([torch.logspace(-6, 2, 500), torch.linspace(0.01, 12, 500)])
UNIT = torch.cat([torch.linspace(0.001, 0.999, 500), torch.logspace(-6, -1, 100),
                  1 - torch.logspace(-6, -1, 100)])

FUNCTIONS = {
    "lgamma": (torch.lgamma, WIDE), "digamma": (torch.digamma, WIDE),
    "polygamma1": (lambda x: torch.polygamma(1, x), WIDE),
    "polygamma4": (lambda x: torch.polygamma(4, x), ABOVE + 0.5),
    "multigammaln": (lambda x: special.multigammaln(x, 3), ABOVE + 1.5),
    "zeta": (lambda x: special.zeta(x + 1.5, x + 0.1), ABOVE),
    "erfc": (torch.erfc, WIDE), "erfcx": (special.erfcx, WIDE), "ndtr": (special.ndtr, WIDE),
    "log_ndtr": (special.log_ndtr, WIDE), "erfinv": (torch.erfinv, 2 * UNIT - 1),
    "ndtri": (special.ndtri, UNIT), "i0": (special.i0, WIDE[:-3]), "i0e": (special.i0e, WIDE),
    "i1": (special.i1, WIDE[:-3]), "i1e": (special.i1e, WIDE),
    "k0": (special.modified_bessel_k0, ABOVE), "k1": (special.modified_bessel_k1, ABOVE),
    "scaled_k0": (special.scaled_modified_bessel_k0, ABOVE),
    "scaled_k1": (special.scaled_modified_bessel_k1, ABOVE),
    "j0": (special.bessel_j0, WIDE), "j1": (special.bessel_j1, WIDE),
    "y0": (special.bessel_y0, ABOVE), "y1": (special.bessel_y1, ABOVE),
    "spherical_j0": (special.spherical_bessel_j0, WIDE),
    "entr": (special.entr, WIDE), "sinc": (special.sinc, WIDE),
    "expit": (special.expit, WIDE), "logit": (special.logit, UNIT),
    "xlogy": (lambda x: special.xlogy(x, x), ABOVE),
    "xlog1py": (lambda x: special.xlog1py(x, x), ABOVE),
}
NO_GRADIENT = {"k0", "k1", "scaled_k0", "scaled_k1", "j0", "j1", "y0", "y1", "spherical_j0",
               "zeta"}


def together(functions, inputs):
    """All results of one program."""
    return poptorch.inferenceModel(lambda *xs: [f(x) for f, x in zip(functions, xs)])(*inputs)


def values():
    results = together(*zip(*FUNCTIONS.values()))
    for (name, (function, x)), found in zip(FUNCTIONS.items(), results):
        try:
            close(found, function(x.double()).float())
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}")


def ends():
    """Poles, infinities, NaN, and numbers outside of a domain."""
    inf, nan = math.inf, math.nan
    x = torch.tensor([0.0, -1.0, -2.0, 1.0, inf, -inf, nan])
    cases = [(torch.lgamma, [inf, inf, inf, 0, inf, inf, nan]),
             (torch.digamma, [-inf, nan, nan, special.digamma(torch.tensor(1.0)), inf, nan, nan]),
             (lambda x: torch.polygamma(1, x), [inf, inf, inf, math.pi ** 2 / 6, 0, nan, nan]),
             (torch.erfinv, [0, -inf, nan, inf, nan, nan, nan]),
             (special.ndtri, [-inf, nan, nan, inf, nan, nan, nan]),
             (torch.erfc, [1, math.erfc(-1), math.erfc(-2), math.erfc(1), 0, 2, nan]),
             (special.i0, [1, 1.2660658, 2.2795853, 1.2660658, inf, inf, nan]),
             (special.bessel_y0, [-inf, nan, nan, 0.08825697, 0, nan, nan]),
             (special.modified_bessel_k0, [inf, nan, nan, 0.42102445, 0, nan, nan])]
    results = together([function for function, _ in cases], [x] * len(cases))
    for found, (_, wanted) in zip(results, cases):
        close(found, torch.tensor(wanted))


def references():
    """PyTorch is not asked."""
    cases = [(torch.lgamma, mpmath.loggamma, [0.3, 4.5, 700.25]),
             (torch.digamma, mpmath.digamma, [0.3, 4.5, -3.3]),
             (torch.erfc, mpmath.erfc, [0.7, 3.5, 8.5]),
             (special.ndtri, lambda p: mpmath.sqrt(2) * mpmath.erfinv(2 * p - 1), [0.01, 0.3, 0.9]),
             (special.bessel_j0, lambda x: mpmath.besselj(0, x), [0.5, 7.5, 55.0]),
             (special.bessel_y1, lambda x: mpmath.bessely(1, x), [0.5, 7.5, 55.0]),
             (special.modified_bessel_k1, lambda x: mpmath.besselk(1, x), [0.5, 1.9, 9.0]),
             (special.i1, lambda x: mpmath.besseli(1, x), [0.5, -7.5, 20.0])]
    results = together([case[0] for case in cases],
                       [torch.tensor(points) for _, _, points in cases])
    for found, (_, reference, points) in zip(results, cases):
        wanted = [float(reference(mpmath.mpf(float(torch.tensor(p))))) for p in points]
        error = (found.double() / torch.tensor(wanted, dtype=torch.float64) - 1).abs().max()
        assert error < 3e-6, (found, wanted)  # relative, for small results, too


class Sums(nn.Module):
    """Sums of functions of parameters."""

    def __init__(self, functions, inputs):
        super().__init__()
        self.functions = functions
        self.inputs = nn.ParameterList([nn.Parameter(x.clone()) for x in inputs])

    def forward(self):
        total = sum(f(x).sum() for f, x in zip(self.functions, self.inputs))
        return poptorch.identity_loss(total, "sum")


def gradients():
    names = [name for name in FUNCTIONS if name not in NO_GRADIENT]
    functions = [FUNCTIONS[name][0] for name in names]
    inputs = [FUNCTIONS[name][1][::7] for name in names]
    model = Sums(functions, inputs)
    options = poptorch.Options()
    for i, _ in enumerate(names):
        options.anchorTensor(str(i), f"Gradient___inputs.{i}")
    trainer = poptorch.trainingModel(model, options, torch.optim.SGD(model.parameters(), lr=0.0))
    trainer()
    for i, (name, function, x) in enumerate(zip(names, functions, inputs)):
        wide = x.double().requires_grad_()
        wanted, = torch.autograd.grad(function(wide).sum(), wide)
        try:
            close(trainer.getAnchoredTensor(str(i)), wanted.float(), 2e-5)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}")


def halves():
    x = torch.linspace(0.1, 6, 50).half()
    for function in (torch.lgamma, special.erfcx, special.i0e, torch.digamma):
        found = poptorch.inferenceModel(function)(x)
        assert found.dtype == torch.float16
        close(found, function(x.double()), 1e-3)
    found = poptorch.inferenceModel(torch.lgamma)(torch.arange(1, 9))
    close(found, torch.lgamma(torch.arange(1, 9).double()))


def degrees():
    x = torch.linspace(-0.9, 1.2, 20)
    names = ["chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
             "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t", "hermite_polynomial_h",
             "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]
    orders = torch.tensor([[0], [1], [5], [-1]])
    for name in names:
        function = getattr(special, name)
        for n in (0, 1, 4, orders):
            found = poptorch.inferenceModel(lambda x: function(x, n))(x)
            close(found, function(x.double(), n), 1e-5)
    try:
        poptorch.inferenceModel(special.hermite_polynomial_h)(x, torch.tensor([2]))
    except poptorch.Error as error:
        assert "the degree has to be a number or a constant" in str(error), error
    else:
        raise AssertionError("no error")


def covariances():
    x, counts, weights = torch.randn(3, 7), torch.tensor([1, 2, 1, 0, 3, 1, 1]), torch.rand(7)
    cases = [lambda x: torch.cov(x), lambda x: x.cov(correction=0), lambda x: torch.cov(x[0]),
             lambda x: torch.cov(x, fweights=counts), lambda x: torch.cov(x, aweights=weights),
             lambda x: torch.cov(x, fweights=counts, aweights=weights, correction=0),
             torch.corrcoef, lambda x: torch.corrcoef(x[1])]
    cases += [lambda x, r=r, again=again: torch.combinations(x[0], r, again)
              for r, again in itertools.product((1, 2, 3), (False, True))]
    for found, case in zip(together(cases, [x] * len(cases)), cases):
        close(found, case(x))
    close(poptorch.inferenceModel(torch.combinations)(torch.arange(4)),
          torch.combinations(torch.arange(4)))


def bags():
    indices, offsets = torch.tensor([1, 4, 4, 0, 6, 2, 4]), torch.tensor([0, 3, 3, 5])
    for mode, padding, last in itertools.product(("sum", "mean", "max"), (None, 4),
                                                 (False, True)):
        layer = nn.EmbeddingBag(8, 3, mode=mode, padding_idx=padding, include_last_offset=last)
        begins = torch.cat([offsets, torch.tensor([7])]) if last else offsets
        close(poptorch.inferenceModel(layer)(indices, begins), layer(indices, begins).detach())
        table = indices[:6].reshape(2, 3)
        if not last:
            close(poptorch.inferenceModel(layer)(table), layer(table).detach())
    weights = torch.rand(7)
    layer = nn.EmbeddingBag(8, 3, mode="sum")
    close(poptorch.inferenceModel(layer)(indices, offsets, weights),
          layer(indices, offsets, weights).detach())
    for mode in ("sum", "mean", "max"):
        train_bag(nn.EmbeddingBag(8, 3, mode=mode), indices, offsets)


def train_bag(layer, indices, offsets):
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, indices, offsets):
            return poptorch.identity_loss(self.layer(indices, offsets).square(), "sum")

    before = layer.weight.detach().clone().requires_grad_()
    options = poptorch.Options()
    options.anchorTensor("gradient", "Gradient___layer.weight")
    trainer = poptorch.trainingModel(Model(), options,
                                     torch.optim.SGD(layer.parameters(), lr=0.0))
    trainer(indices, offsets)
    loss = nn.functional.embedding_bag(indices, before, offsets, mode=layer.mode).square().sum()
    close(trainer.getAnchoredTensor("gradient"), torch.autograd.grad(loss, before)[0])


def attention():
    """An operator of which torch's own decomposition returns another second result."""
    operator = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    q, k, v = (torch.randn(2, 3, n, 4) for n in (5, 6, 6))
    for causal in (False, True):
        wanted = operator(q, k, v, 0.0, causal)
        found = poptorch.inferenceModel(lambda *xs: operator(*xs, 0.0, causal))(q, k, v)
        for a, b in zip(found, wanted):
            close(a, b)
        close(poptorch.inferenceModel(lambda *xs: operator(*xs, 0.0, causal)[0])(q, k, v),
              wanted[0])


torch.manual_seed(0)
for check in (values, ends, references, gradients, halves, degrees, covariances, bags, attention):
    check()
    print(check.__name__, "ok", flush=True)
