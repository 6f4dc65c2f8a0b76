# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that a model may call in its forward.

Each is an operator of torch with a fake implementation, for tracing, and a gradient, so that
models with them also run in PyTorch; the lowerings are in _aten/markers.py.
"""

import torch

from .errors import Error

_NAMESPACE = "populus_poptorch"


def _operator(name, gradient=True):
    """A function as an operator: its annotations are the schema."""

    def define(function):
        operator = torch.library.custom_op(f"{_NAMESPACE}::{name}", function, mutates_args=())
        operator.register_fake(function)
        if gradient:
            operator.register_autograd(
                lambda context, grad: (grad, *[None] * context.rest),
                setup_context=lambda ctx, inputs, output: setattr(ctx, "rest", len(inputs) - 1))
        return operator

    return define


def _needs_tensor(function, value):
    if not isinstance(value, torch.Tensor):
        raise Error(f"poptorch.{function} takes a tensor, not {type(value).__name__}")


# ---- Losses -----------------------------------------------------------------------------

@torch.library.custom_op(f"{_NAMESPACE}::identity_loss", mutates_args=())
def _identity_loss(x: torch.Tensor, reduction: str) -> torch.Tensor:
    if reduction == "sum":
        return x.sum()
    return x.mean() if reduction == "mean" else x.clone()


@_identity_loss.register_fake
def _identity_loss_fake(x, reduction):
    return torch.empty_like(x) if reduction == "none" else x.new_empty(())


def _remember(ctx, inputs, output):
    ctx.shape, ctx.reduction = inputs[0].shape, inputs[1]


def _identity_loss_gradient(ctx, grad):
    if ctx.reduction == "mean":
        grad = grad / max(ctx.shape.numel(), 1)
    return grad.expand(ctx.shape), None


_identity_loss.register_autograd(_identity_loss_gradient, setup_context=_remember)


def identity_loss(x, reduction):
    """Marks a tensor as the loss of a training model; reduction is "sum", "mean" or "none".

    The mark makes a formula of one's own a loss, and several losses one.
    """
    _needs_tensor("identity_loss", x)
    names = {0: "sum", 1: "mean", 2: "none"}
    reduction = names.get(reduction, reduction)
    if reduction not in names.values():
        raise Error(f"Unsupported reduction type {reduction!r} for identity_loss: there are sum, "
                    "mean and none")
    return _identity_loss(x, reduction)


# ---- Identities -------------------------------------------------------------------------

@_operator("nop")
def _nop(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


def nop(tensor):
    """The tensor; nothing removes the operator."""
    _needs_tensor("nop", tensor)
    return _nop(tensor)
