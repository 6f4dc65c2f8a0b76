# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowerings of poptorch's own operators (ops.py)."""

from .table import lowering

_REDUCTIONS = {"sum": "Sum", "mean": "Mean", "none": None}


@lowering("populus_poptorch.identity_loss.default")
def identity_loss(e, x, reduction):
    kind = _REDUCTIONS[reduction]
    return e.identity(x) if kind is None else e.reduce(kind, x)


@lowering("populus_poptorch.nop.default")
def nop(e, x):
    return e.graphcore("Nop", [x])
