# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses: the negative logarithm of the probability of a label."""

from typing import Optional, Tuple, Union

import numpy as np

from popxl import dtypes
from popxl.ops._make import make
from popxl.tensor import Tensor


def _reduction(reduction: str) -> str:
    known = {"mean": "Mean", "sum": "Sum", "none": "None"}
    if reduction not in known:
        raise ValueError(f"The reduction is one of {', '.join(known)}, not {reduction!r}.")
    return known[reduction]


def nll_loss(probs: Tensor, labels: Tensor, ignore_index: Optional[int] = None,
             reduction: str = "mean", log_prob: bool = False) -> Tensor:
    """-log of the probability of each label. Labels that are `ignore_index` do not count."""
    attributes: dict = {"reduction": _reduction(reduction),
                        "inputIsLogProbability": int(log_prob)}
    if ignore_index is not None:
        attributes["ignoreIndex"] = int(ignore_index)
    return make("Nll", {"probs": probs, "labels": labels},
                lambda b, p, y: b.gc("Nll", [p, y], **attributes), "nll_loss")


def nll_loss_with_softmax_grad(probs: Tensor, labels: Tensor,
                               loss_grad: Union[float, Tensor] = 1,
                               reduction: str = "mean",
                               ignore_index: Optional[int] = None) -> Tuple[Tensor, Tensor]:
    """`nll_loss` of the results of a softmax, and the gradient of what went into that."""
    attributes: dict = {"reduction": _reduction(reduction)}
    if ignore_index is not None:
        attributes["ignoreIndex"] = int(ignore_index)
    inputs = {"probs": probs, "labels": labels}
    if isinstance(loss_grad, Tensor):
        inputs["loss_grad"] = loss_grad

    def build(b, p, y, given=None):
        known = dtypes.from_ir(p.type)
        loss = b.gc("Nll", [p, y], **attributes)
        off_on = b.constant(np.array([0, 1], known.as_numpy()), p.type)
        chosen = b.op("OneHot", [y, b.ints([p.shape[-1]]), off_on], axis=-1)
        grad = b.sub(p, chosen)
        rows = int(np.prod(p.shape[:-1], dtype=np.int64))
        count = b.scalar(max(rows, 1), p)
        if ignore_index is not None:
            other = b.op("Not", [b.op("Equal", [y, b.scalar(ignore_index, y)])])
            counts = b.cast(other, known)
            grad = b.mul(grad, b.reshape(counts, tuple(y.shape) + (1,)))
            total = b.op("ReduceSum", [counts], keepdims=0)
            count = b.op("Max", [total, b.scalar(1, p)])
        if attributes["reduction"] == "Mean":
            grad = b.div(grad, count)
        factor = b.scalar(loss_grad, p) if given is None else b.cast(given, known)
        if len(factor.shape) != 0 and tuple(factor.shape) == tuple(y.shape):
            factor = b.reshape(factor, tuple(y.shape) + (1,))
        return loss, b.mul(grad, factor)

    return make("NllWithSoftmaxGradDirect", inputs, build, "nll_loss_with_softmax_grad")
