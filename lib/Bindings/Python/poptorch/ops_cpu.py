# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""poptorch.CPU: a function that the host computes in the middle of a model.

The tracer sees an operator with the number of the call; _host_calls.py makes a program of what is
before it and one of what is behind it.
"""

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.fx.experimental.proxy_tensor import disable_proxy_modes_tracing

from . import _state
from .errors import Error

_calls = {}  # number of a call -> (function, examples of its results)


@torch.library.custom_op("populus_poptorch::host_call", mutates_args=())
def _host_call(inputs: list[torch.Tensor], number: int) -> list[torch.Tensor]:
    return [value.clone() for value in listed(_calls[number][0](*inputs))]


@_host_call.register_fake
def _host_call_fake(inputs, number):
    return [torch.empty(example.shape, dtype=example.dtype) for example in _calls[number][1]]


def function_of(number):
    """The function of a call."""
    return _calls[number][0]


def listed(results):
    """Results of a function as a list."""
    return list(results) if isinstance(results, (list, tuple)) else [results]


class CPU:
    """A function of tensors that the host computes in the middle of a program. Inference only.

    The function is tried with zeros while the model is traced, for the shapes of its results.
    """

    def __init__(self, layer_to_call, ID):
        self._layer_to_call, self._id = layer_to_call, ID

    def __call__(self, *args, **kwargs):
        if not _state.isRunningOnIpu():
            return self._layer_to_call(*args, **kwargs)
        if _state.is_training():
            raise Error(f"poptorch.CPU ({self._id!r}) is only supported in inference")
        if not all(isinstance(value, torch.Tensor) for value in args):
            raise Error(f"poptorch.CPU ({self._id!r}) takes tensors; other arguments have names")
        return self._traced(args, kwargs)

    def _traced(self, args, kwargs):
        function = self._layer_to_call
        shapes = [(tuple(value.shape), value.dtype) for value in args]
        with unset_fake_temporarily(), disable_proxy_modes_tracing(), torch.no_grad():
            results = function(*(torch.zeros(shape, dtype=dtype) for shape, dtype in shapes),
                               **kwargs)
        number = len(_calls)
        _calls[number] = (lambda *tensors: function(*tensors, **kwargs), listed(results))
        values = _host_call(list(args), number)
        return type(results)(values) if isinstance(results, (list, tuple)) else values[0]
