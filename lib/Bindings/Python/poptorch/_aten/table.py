# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of lowerings: an overload of an ATen operator -> the function that emits it.

    @lowering("aten.relu.default")
    def relu(e, x):
        return e.op("Relu", [x])

A lowering gets the emitter and the arguments of the operator's schema, with Values in place of
tensors, and returns a Value, or a tuple of them. `e.out` is the fake result of torch: lowerings
read shapes and types there. The walk casts a result to its type there, and checks its shape.
For NotImplemented it takes the operator apart by torch's decomposition.
"""

import functools

import torch

from ..errors import Error
from .._emit import Value, narrow

TABLE = {}


def lowering(*names):
    """Registers a function for overloads such as "aten.add.Tensor"."""

    def register(function):
        for name in names:
            TABLE[name] = function
        return function

    return register


class Unsupported(Error):
    """A form of an operator without a lowering; says which."""


def refuse(text):
    """Raises the error of a form that is not supported."""
    raise Unsupported(text)


@functools.lru_cache(maxsize=None)
def _example(dtype, has_dimensions):
    return torch.empty((1,) if has_dimensions else (), dtype=dtype, device="meta")


def _operand(value):
    if isinstance(value, Value):
        return _example(value.dtype, value.ndim > 0)
    return value


def result_type(*operands):
    """The type in which torch computes with these Values and numbers."""
    tensors = [_operand(operand) for operand in operands if isinstance(operand, Value)]
    numbers = [operand for operand in operands if not isinstance(operand, Value)]
    if not tensors:
        return narrow(torch.result_type(*numbers[:2]) if len(numbers) > 1
                      else torch.tensor(numbers[0]).dtype)
    dtype = tensors[0].dtype
    examples = [*tensors, *numbers]
    if len(examples) > 1:
        dtype = _combined(examples)
    return narrow(dtype)


def _combined(examples):
    """torch.result_type of many: tensors with dimensions count most, then those without, then
    numbers."""
    groups = ([t for t in examples if isinstance(t, torch.Tensor) and t.ndim],
              [t for t in examples if isinstance(t, torch.Tensor) and not t.ndim])
    best = None
    for group in groups:
        if not group:
            continue
        dtype = functools.reduce(torch.promote_types, (t.dtype for t in group))
        example = _example(dtype, group is groups[0])
        best = example if best is None else _example(torch.result_type(best, example),
                                                     True)
    for number in (item for item in examples if not isinstance(item, torch.Tensor)):
        best = _example(torch.result_type(best, number), best.ndim > 0)
    return best.dtype


def promoted(e, *operands):
    """Operands as tensors of the type in which torch computes with them."""
    dtype = result_type(*operands)
    return [e.as_value(operand, dtype) for operand in operands]


def as_float(e, x):
    """x as a floating-point tensor, as torch's functions of real numbers take it."""
    return x if x.is_float else e.cast(x, torch.float32)


def real_numbers(e, *operands):
    """Operands of a function of real numbers. Integers become floating-point ones each by itself:
    the type that they share may not have a negative number of one without dimensions."""
    dtype = result_type(*operands)
    dtype = dtype if dtype.is_floating_point else torch.float32
    return [e.as_value(operand, dtype) for operand in operands]


def pair(value, count):
    """A number or a list of numbers as a list of `count`."""
    value = [value] if isinstance(value, int) else list(value)
    return [int(item) for item in (value * count if len(value) == 1 else value)]


def axes_of(dim, ndim):
    """Axes, at least 0, of a `dim` argument: None or an empty list are all."""
    if dim is None or (isinstance(dim, (list, tuple)) and not dim):
        return list(range(ndim))
    dims = [dim] if isinstance(dim, int) else dim
    return [axis % max(ndim, 1) for axis in dims] if ndim else []
