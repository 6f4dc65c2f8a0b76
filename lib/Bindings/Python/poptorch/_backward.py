# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`backward()` of a result: its error says that the device has computed the gradients already."""

import functools

import torch

from .errors import Error


class _NoGradientError(Error, RuntimeError):
    """A RuntimeError too, as PyTorch's own."""


@functools.lru_cache(maxsize=1)
def explain() -> None:
    """Lets PyTorch's error about tensors without gradients name the likely reason, once there are
    models on devices."""
    original = torch.Tensor.backward

    @functools.wraps(original)
    def backward(self, *args, **kwargs):
        try:
            return original(self, *args, **kwargs)
        except RuntimeError as error:
            if self.requires_grad:
                raise
            raise _NoGradientError(
                f"{error}. backward() cannot be called on results of a model of poptorch: a "
                "trainingModel computes gradients and updates the weights in each call") from error

    torch.Tensor.backward = backward
