# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops and branches in forward: poptorch.for_loop and poptorch.cond.

The tracer sees a flat graph. Operators between two marks are a body, which becomes a graph of its
own when it is lowered (_aten/control.py):

    a, token = begin_body([x], "loop")
    b = a * 2                                  # the body, traced once
    y = end_loop(token, [b], 5)

A body may write buffers of the model in place. The value behind the loop then comes out of it, as
one more result. A first trace finds those buffers, and a second one carries them.
"""

import torch

from . import _state
from ._emit import narrow
from .errors import Error

_NAMESPACE = "populus_poptorch"


def _operator(schema, kernel, fake):
    name, arguments = schema.split("(", 1)
    operator = torch.library.custom_op(f"{_NAMESPACE}::{name}", kernel, mutates_args=(),
                                       schema=f"({arguments} -> Tensor[]")
    operator.register_fake(fake)
    return operator


def _copies(values):
    return [value.clone() for value in values]


def _with_token(values):
    return [*(torch.empty_like(value) for value in values),
            torch.empty((), dtype=torch.int32)]


_begin_body = _operator("begin_body(Tensor[] values, str kind)",
                        lambda values, kind: [*_copies(values), torch.zeros((), dtype=torch.int32)],
                        lambda values, kind: _with_token(values))
_next_body = _operator("next_body(Tensor token, Tensor[] results, Tensor[] values)",
                       lambda token, results, values: [*_copies(values), token.clone()],
                       lambda token, results, values: _with_token(values))
_end_loop = _operator("end_loop(Tensor token, Tensor[] results, int count)",
                      lambda token, results, count: _copies(results),
                      lambda token, results, count: _with_token(results)[:-1])
_end_branches = _operator("end_branches(Tensor token, Tensor condition, Tensor[] results)",
                          lambda token, condition, results: _copies(results),
                          lambda token, condition, results: _with_token(results)[:-1])


# ---- Loops ------------------------------------------------------------------------------

def for_loop(count, body, inputs):
    """The results of a function that is called `count` times, each time with the results before.

    Inference only. The program has the body once.
    """
    _check_loop(count, inputs)
    if _state.is_training():
        raise Error("poptorch.for_loop() is only supported in inference")
    if not _state.isRunningOnIpu() or not count:
        return _repeated(count, body, inputs)
    buffers = _state.CarriedBuffers()
    *values, token = _begin_body([*inputs, *buffers.values()], "loop")
    buffers.write(values[len(inputs):])
    results = _results_like(inputs, body(*values[:len(inputs)]))
    values = _end_loop(token, [*results, *buffers.values()], count)
    buffers.write(values[len(inputs):])
    buffers.finish()
    return values[:len(inputs)]


def _check_loop(count, inputs):
    if not isinstance(count, int) or isinstance(count, bool) or count < 0:
        raise ValueError(f"poptorch.for_loop: the count is a number of 0 or more, not {count!r}")
    if not isinstance(inputs, list) or not inputs:
        raise ValueError("poptorch.for_loop: inputs is a list of tensors")
    for value in inputs:
        if not isinstance(value, torch.Tensor):
            raise ValueError(f"poptorch.for_loop: inputs are tensors, not {type(value).__name__}")


def _repeated(count, body, inputs):
    values = list(inputs)
    for _ in range(count):
        values = _results_like(values, body(*values))
    return values


def _results_like(wanted, results):
    """The results of a loop's body as a list, after a check that they can be its next inputs."""
    results = _listed("for_loop", results)
    if len(wanted) != len(results):
        raise Error(f"poptorch.for_loop: the body has {len(results)} results for {len(wanted)} "
                    "inputs")
    for place, (a, b) in enumerate(zip(wanted, results)):
        if a.shape != b.shape or narrow(a.dtype) != narrow(b.dtype):
            raise Error(f"poptorch.for_loop: result {place} of the body has another type or "
                        "shape than its input")
    return results


def _listed(function, value):
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    for item in values:
        if not isinstance(item, torch.Tensor):
            raise Error(f"poptorch.{function}: a body returns tensors, not {type(item).__name__}")
    return values


# ---- Branches ---------------------------------------------------------------------------

def cond(condition, then_body, then_inps, else_body, else_inps):
    """The results of one of two functions, by a tensor with one element. Inference only; the
    device computes one of them."""
    if not isinstance(condition, torch.Tensor):
        raise Error(f"poptorch.cond takes tensors, not {type(condition).__name__}")
    if condition.numel() != 1:
        raise Error(f"poptorch.cond: the condition has one element, not {condition.numel()}")
    if _state.is_training():
        raise Error("poptorch.cond() is only supported in inference")
    if not _state.isRunningOnIpu():
        return _listed("cond", then_body(*then_inps) if bool(condition) else else_body(*else_inps))
    return _traced_cond(condition, then_body, list(then_inps), else_body, list(else_inps))


def _traced_cond(condition, then_body, then_inps, else_body, else_inps):
    chosen = condition.reshape(()).to(torch.bool)
    buffers = _state.CarriedBuffers()
    before = [value.clone() for value in buffers.values()]
    *values, token = _begin_body([*then_inps, *before], "branch")
    buffers.write(values[len(then_inps):])
    first = [*_listed("cond", then_body(*values[:len(then_inps)])), *buffers.values()]
    *values, token = _next_body(token, first, [*else_inps, *before])
    buffers.write(values[len(else_inps):])
    second = [*_listed("cond", else_body(*values[:len(else_inps)])), *buffers.values()]
    _check_branches(first, second)
    results = _end_branches(token, chosen, second)
    count = len(second) - len(before)
    buffers.write(results[count:])
    buffers.finish()
    return results[:count]


def _check_branches(first, second):
    if len(first) != len(second):
        raise Error(f"poptorch.cond: the branches have {len(first)} and {len(second)} results")
    for place, (a, b) in enumerate(zip(first, second)):
        if a.shape != b.shape or narrow(a.dtype) != narrow(b.dtype):
            raise Error(f"poptorch.cond: result {place} is {a.dtype}{list(a.shape)} in one branch "
                        f"and {b.dtype}{list(b.shape)} in the other")
