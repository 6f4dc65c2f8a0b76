# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the bits of floating-point numbers: parts of a number, and its neighbours."""

import torch

from .elementwise import isfinite, isnan
from .table import lowering, promoted, refuse

_INT32, _FLOAT = 6, 1  # ONNX's numbers of types


def _bits(e, x):
    """The bits of a float32 as an int32."""
    return e.op("BitCast", [x], dtype=torch.int32, to=_INT32)


def _number(e, bits):
    """The float32 that has these bits; bits have no gradient."""
    return e.detach(e.op("BitCast", [bits], dtype=torch.float32, to=_FLOAT))


@lowering("aten.frexp.Tensor")
def frexp(e, x):
    """A number as a mantissa of at least 1/2 and below 1, and an exponent of 2."""
    wide = e.cast(x, torch.float32)
    plain = e.detach(wide)
    # Numbers without a leading one get one by a factor.
    tiny = e.compare("Less", e.op("Abs", [plain]), e.constant(2.0 ** -126, torch.float32))
    bits = _bits(e, e.where(tiny, e.scaled(plain, 2.0 ** 24), plain))
    field = e.div(e.binary("BitwiseAnd", bits, e.constant(0x7f800000, torch.int32)),
                  e.constant(1 << 23, torch.int32))
    field = e.sub(field, e.where(tiny, e.constant(24, torch.int32), e.constant(0, torch.int32)))
    itself = e.compare("Or", e.compare("Equal", plain, e.constant(0, torch.float32)),
                       e.logical_not(isfinite(e, plain)))
    exponent = e.where(itself, e.constant(0, torch.int32), e.shifted(field, -126))
    # By two powers, for one alone may be too large.
    half = e.div(exponent, e.constant(2, torch.int32))
    mantissa = e.mul(e.mul(wide, _power(e, half)), _power(e, e.sub(exponent, half)))
    return e.cast(mantissa, x.dtype), exponent


def _power(e, exponent):
    """2 to minus an exponent."""
    field = e.sub(e.constant(127, torch.int32), exponent)
    return _number(e, e.scaled(field, 1 << 23))


@lowering("aten.nextafter.default")
def nextafter(e, a, b):
    """The next number in the direction of b: one more or less in its bits."""
    if e.out.dtype not in (torch.float32, torch.float64):
        refuse(f"neighbours of {e.out.dtype}")
    a, b = promoted(e, a, b)
    a, b = (e.expand(e.detach(x), tuple(e.out.shape)) for x in (a, b))
    zero = e.constant(0, torch.float32)
    bits, upwards = _bits(e, a), e.compare("Greater", b, a)
    away = e.logical_not(e.compare("Xor", upwards, e.compare("Greater", a, zero)))
    one, less = e.constant(1, torch.int32), e.constant(-1, torch.int32)
    found = _number(e, e.add(bits, e.where(away, one, less)))
    smallest = _number(e, e.where(upwards, one, e.constant(-2 ** 31 + 1, torch.int32)))
    found = e.where(e.compare("Equal", a, zero), smallest, found)
    found = e.where(e.compare("Equal", a, b), b, found)
    return e.where(e.compare("Or", isnan(e, a), isnan(e, b)), e.add(a, b), found)
