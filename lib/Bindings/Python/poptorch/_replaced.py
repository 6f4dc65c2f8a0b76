# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of torch that read values of their arguments, in a form that can be traced.

torch.cov asks if its sum of weights is positive, a loss if variances are, and torch.combinations
selects by a mask, so an export of any ends at a value that is not known yet. Their results depend on shapes alone; here
they are made of operators that do, too. The tracer calls these in place of torch's.
"""

import itertools
import math

import torch

from . import ops


def _cov(x, *, correction=1, fweights=None, aweights=None):
    """Covariances of the rows of x. Without a positive number of degrees of freedom torch warns,
    and divides by zero."""
    x = x.reshape(1, -1) if x.ndim < 2 else x
    for operand in (x, aweights):  # and integers become floats
        if operand is not None:
            x = x.to(torch.promote_types(x.dtype, operand.dtype))
    x = x if x.is_floating_point() else x.float()
    weights = fweights
    if aweights is not None:
        weights = aweights if fweights is None else fweights * aweights
    if weights is None:
        total = x.shape[1]
        centered = x - x.mean(1, keepdim=True)
        scaled, degrees = centered, max(total - correction, 0)
        return (scaled @ centered.t() / degrees).squeeze()
    weights = weights.to(x.dtype)
    total = weights.sum()
    centered = x - ((x * weights).sum(1) / total).unsqueeze(1)
    removed = correction
    if aweights is not None and correction:
        removed = correction * (weights * aweights.to(x.dtype)).sum() / total
    degrees = (total - removed).clamp(min=0)
    return ((centered * weights) @ centered.t() / degrees).squeeze()


def _corrcoef(x):
    covariances = _cov(x)
    if covariances.ndim == 0:
        return covariances / covariances
    deviations = covariances.diagonal().sqrt()
    return (covariances / deviations[:, None] / deviations[None, :]).clamp(-1, 1)


def _combinations(x, r=2, with_replacement=False):
    choose = itertools.combinations_with_replacement if with_replacement \
        else itertools.combinations
    rows = list(choose(range(x.shape[0]), r))
    if not rows or not r:
        return x.new_empty((len(rows) if r else 0, r) if r else (0,))
    return x[torch.tensor(rows)]


def _gaussian_nll_loss(x, target, var, full=False, eps=1e-6, reduction="mean"):
    """torch's raises an error if a variance is negative."""
    if not isinstance(var, torch.Tensor):
        var = torch.full(x.shape, float(var), dtype=x.dtype, device=x.device)
    elif var.shape != x.shape and var.shape == x.shape[:-1]:
        var = var.unsqueeze(-1)
    var = var + (var.clamp(min=eps) - var).detach()
    loss = 0.5 * (var.log() + (x - target).square() / var)
    if full:
        loss = loss + 0.5 * math.log(2 * math.pi)
    if reduction == "none":
        return loss
    return loss.mean() if reduction == "mean" else loss.sum()


REPLACED = {torch.nn.functional.ctc_loss: ops.traced_ctc_loss,
            torch.cov: _cov, torch.Tensor.cov: _cov,
            torch.corrcoef: _corrcoef, torch.Tensor.corrcoef: _corrcoef,
            torch.combinations: _combinations,
            torch.nn.functional.gaussian_nll_loss: _gaussian_nll_loss}
