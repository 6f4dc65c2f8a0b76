# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that only integers have: shifts, and the greatest common divisor."""

import math

import torch

from .._emit import broadcast
from .elementwise import floor_quotient, wide
from .table import lowering, promoted, result_type


@lowering("aten.bitwise_left_shift.Tensor", "aten.bitwise_left_shift.Tensor_Scalar",
          "aten.bitwise_left_shift.Scalar_Tensor", "aten.__lshift__.Tensor",
          "aten.__lshift__.Scalar")
def left_shift(e, a, b):
    """0 where all bits leave, as for torch."""
    a, b, bits = _shifted(e, a, b)
    outside = _is_outside(e, b, bits)
    product = e.mul(a, _powers_of_two(e, b, outside))
    return e.where(outside, e.constant(0, a.dtype), product)


@lowering("aten.bitwise_right_shift.Tensor", "aten.bitwise_right_shift.Tensor_Scalar",
          "aten.bitwise_right_shift.Scalar_Tensor", "aten.__rshift__.Tensor",
          "aten.__rshift__.Scalar")
def right_shift(e, a, b):
    """The sign where all bits leave, as for torch."""
    a, b, bits = _shifted(e, a, b)
    # The last power is negative: a number that moves by 31 bits leaves its sign, too.
    outside = _is_outside(e, b, min(bits, 31))
    quotient = floor_quotient(e, a, _powers_of_two(e, b, outside))
    sign = e.op("Neg", [e.cast(e.compare("Less", a, e.constant(0, a.dtype)), a.dtype)])
    return e.where(outside, sign, quotient)


def _shifted(e, a, b):
    """Operands of a shift as int32, and the bits of their type."""
    dtype = result_type(a, b)
    return e.as_value(a, torch.int32), e.as_value(b, torch.int32), torch.iinfo(dtype).bits


def _is_outside(e, b, bits):
    zero, end = e.constant(0, b.dtype), e.constant(bits, b.dtype)
    return e.compare("Or", e.compare("Less", b, zero), e.compare("GreaterOrEqual", b, end))


def _powers_of_two(e, b, outside):
    powers = e.constant([2 ** bit for bit in range(31)] + [-2 ** 31], torch.int32)
    return e.gather(powers, e.where(outside, e.constant(0, b.dtype), b), 0)


# ---- Common divisors --------------------------------------------------------------------

@lowering("aten.gcd.default", "prims.gcd.default")
def gcd(e, a, b):
    """Euclid's algorithm, whose longest ways are those of Fibonacci's numbers."""
    bits = torch.iinfo(result_type(a, b)).bits
    a, b = (e.op("Abs", [wide(e, x)]) for x in promoted(e, a, b))
    shape = broadcast(a.shape, b.shape)
    a, b = e.expand(a, shape), e.expand(b, shape)
    one = e.constant(1, torch.int32)
    steps = math.ceil(bits * math.log(2) / math.log((1 + math.sqrt(5)) / 2))
    e.begin_body()
    a, b = e.loop_inputs([a, b])
    found = e.compare("Equal", b, e.constant(0, torch.int32))
    divisor = e.where(found, one, b)
    rest = e.sub(a, e.mul(e.div(a, divisor), divisor))
    return e.loop(steps, [e.where(found, a, b), e.where(found, b, rest)])[0]


@lowering("aten.lcm.default", "prims.lcm.default")
def lcm(e, a, b):
    """The quotient first, for the product may overflow, and 0 of two zeros."""
    divisor = gcd(e, a, b)
    one = e.constant(1, torch.int32)
    divisor = e.where(e.compare("Equal", divisor, e.constant(0, torch.int32)), one, divisor)
    a, b = (wide(e, x) for x in promoted(e, a, b))
    return e.op("Abs", [e.mul(e.div(a, divisor), b)])
