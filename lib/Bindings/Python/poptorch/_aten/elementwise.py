# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operators: arithmetic, comparisons, logic, functions of a number, conversions.

Operands are first brought to the type in which torch computes. Integers of fewer than 32 bits
compute in 32 and are cut to their size at the end, as torch wraps them.
"""

import math

import torch

from .._emit import Value, broadcast, narrow
from .table import TABLE, as_float, lowering, promoted, real_numbers, result_type

# ---- Functions of one number ------------------------------------------------------------

# Functions of real numbers; integers become floats first.
_REAL = {"acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan",
         "atanh": "Atanh", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "log": "Log",
         "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh",
         "sigmoid": "Sigmoid"}
_REAL_GRAPHCORE = {"expm1": "Expm1", "log1p": "Log1p"}
# Functions that leave integers as they are.
_ROUNDING = {"ceil": "Ceil", "floor": "Floor", "round": "Round"}


def _register_real(name, kind, domain):
    @lowering(f"aten.{name}.default", f"aten.special_{name}.default")
    def lower(e, x):
        x = as_float(e, x)
        return e.op(kind, [x]) if domain == "ai.onnx" else e.graphcore(kind, [x])


def _register_rounding(name, kind):
    @lowering(f"aten.{name}.default")
    def lower(e, x):
        return e.op(kind, [x]) if x.is_float else x


for _name, _kind in _REAL.items():
    _register_real(_name, _kind, "ai.onnx")
for _name, _kind in _REAL_GRAPHCORE.items():
    _register_real(_name, _kind, "ai.graphcore")
for _name, _kind in _ROUNDING.items():
    _register_rounding(_name, _kind)


def wide(e, x):
    """x in a type with arithmetic on the device: small integers become int32."""
    return x if x.is_float or x.dtype == torch.int32 else e.cast(x, torch.int32)


@lowering("aten.abs.default")
def absolute(e, x):
    return e.op("Abs", [wide(e, x)])


@lowering("aten.neg.default")
def negative(e, x):
    return e.op("Neg", [wide(e, x)])


@lowering("aten.positive.default", "aten.alias.default", "aten.clone.default",
          "aten.lift_fresh_copy.default", "aten.lift_fresh.default", "aten.contiguous.default",
          "aten.view_as_real_copy.default", "aten.resolve_conj.default",
          "aten.resolve_neg.default", "aten.conj.default", "aten._conj.default",
          "aten.real.default")
def same(e, x, **_):
    return x


@lowering("aten.sign.default", "aten.sgn.default")
def sign(e, x):
    if x.dtype == torch.bool:
        return x
    return e.op("Sign", [wide(e, x)])


@lowering("aten.detach.default", "aten.detach_copy.default")
def detach(e, x):
    return e.detach(x)


@lowering("aten.trunc.default", "aten.fix.default")
def trunc(e, x):
    return e.mul(e.op("Sign", [x]), e.op("Floor", [e.op("Abs", [x])])) if x.is_float else x


@lowering("aten.frac.default")
def frac(e, x):
    return e.sub(x, trunc(e, x))


@lowering("aten.round.decimals")
def round_decimals(e, x, decimals=0):
    if not x.is_float:
        return x
    scale = 10.0 ** abs(decimals)
    if decimals < 0:
        return e.scaled(e.op("Round", [e.scaled(x, 1 / scale)]), scale)
    return e.scaled(e.op("Round", [e.scaled(x, scale)]), 1 / scale)


@lowering("aten.reciprocal.default")
def reciprocal(e, x):
    return e.op("Reciprocal", [as_float(e, x)])


@lowering("aten.rsqrt.default")
def rsqrt(e, x):
    return e.op("Reciprocal", [e.op("Sqrt", [as_float(e, x)])])


@lowering("aten.square.default")
def square(e, x):
    x = wide(e, x)
    return e.mul(x, x)


@lowering("aten.log2.default")
def log2(e, x):
    return e.scaled(e.op("Log", [as_float(e, x)]), 1 / math.log(2))


@lowering("aten.log10.default")
def log10(e, x):
    return e.scaled(e.op("Log", [as_float(e, x)]), 1 / math.log(10))


@lowering("aten.exp2.default", "aten.special_exp2.default")
def exp2(e, x):
    return e.op("Exp", [e.scaled(as_float(e, x), math.log(2))])


@lowering("aten.deg2rad.default")
def deg2rad(e, x):
    return e.scaled(as_float(e, x), math.pi / 180)


@lowering("aten.rad2deg.default")
def rad2deg(e, x):
    return e.scaled(as_float(e, x), 180 / math.pi)


@lowering("aten.logit.default", "aten.special_logit.default")
def logit(e, x, eps=None):
    x = as_float(e, x)
    if eps is not None:  # the lower bound counts, where it is above the upper one, too
        low, high = e.constant(eps, x.dtype), e.constant(1 - eps, x.dtype)
        x = e.where(e.compare("Less", x, low), low, e.where(e.compare("Greater", x, high), high, x))
    return e.op("Log", [e.div(x, e.sub(e.constant(1, x.dtype), x))])


@lowering("aten.angle.default")
def angle(e, x):
    """Of real numbers 0, or pi below zero."""
    x = as_float(e, x)
    half_turn = e.where(e.compare("Less", x, e.constant(0, x.dtype)), e.constant(math.pi, x.dtype),
                        e.constant(0, x.dtype))
    return e.where(isnan(e, x), x, half_turn)


@lowering("aten.isnan.default")
def isnan(e, x):
    return e.op("IsNaN", [x], dtype=torch.bool) if x.is_float else e.full(x.shape, False,
                                                                          torch.bool)


@lowering("aten.isinf.default")
def isinf(e, x):
    if not x.is_float:
        return e.full(x.shape, False, torch.bool)
    return e.op("IsInf", [e.cast(x, torch.float32)], dtype=torch.bool)


@lowering("aten.isposinf.default")
def isposinf(e, x):
    return _is_one_infinity(e, x, math.inf)


@lowering("aten.isneginf.default")
def isneginf(e, x):
    return _is_one_infinity(e, x, -math.inf)


def _is_one_infinity(e, x, infinity):
    if not x.is_float:
        return e.full(x.shape, False, torch.bool)
    return e.compare("Equal", x, e.constant(infinity, x.dtype))


@lowering("aten.isfinite.default")
def isfinite(e, x):
    if not x.is_float:
        return e.full(x.shape, True, torch.bool)
    return e.compare("Less", e.op("Abs", [x]), e.constant(math.inf, x.dtype))


@lowering("aten.nan_to_num.default")
def nan_to_num(e, x, nan=None, posinf=None, neginf=None):
    if not x.is_float:
        return x
    limits = torch.finfo(x.dtype)
    x = e.where(isnan(e, x), e.constant(nan or 0.0, x.dtype), x)
    high = limits.max if posinf is None else posinf
    low = limits.min if neginf is None else neginf
    x = e.where(isposinf(e, x), e.constant(high, x.dtype), x)
    return e.where(isneginf(e, x), e.constant(low, x.dtype), x)


# ---- Arithmetic -------------------------------------------------------------------------

def _numbers(e, a, b):
    """Operands of arithmetic, in a type that the device computes with."""
    a, b = promoted(e, a, b)
    return wide(e, a), wide(e, b)


@lowering("aten.add.Tensor", "aten.add.Scalar")
def add(e, a, b, alpha=1):
    if result_type(a, b) == torch.bool:
        return e.binary("Or", *promoted(e, a, b))
    a, b = _numbers(e, a, b)
    return e.add(a, e.scaled(b, alpha))


@lowering("aten.sub.Tensor", "aten.sub.Scalar", "aten.subtract.Tensor", "aten.subtract.Scalar")
def sub(e, a, b, alpha=1):
    a, b = _numbers(e, a, b)
    return e.sub(a, e.scaled(b, alpha))


@lowering("aten.rsub.Tensor", "aten.rsub.Scalar")
def rsub(e, a, b, alpha=1):
    a, b = _numbers(e, a, b)
    return e.sub(b, e.scaled(a, alpha))


@lowering("aten.mul.Tensor", "aten.mul.Scalar", "aten.multiply.Tensor", "aten.multiply.Scalar")
def mul(e, a, b):
    if result_type(a, b) == torch.bool:
        return e.binary("And", *promoted(e, a, b))
    return e.mul(*_numbers(e, a, b))


@lowering("aten.div.Tensor", "aten.div.Scalar", "aten.true_divide.Tensor",
          "aten.true_divide.Scalar", "aten.divide.Tensor", "aten.divide.Scalar")
def div(e, a, b):
    return e.div(*real_numbers(e, a, b))


@lowering("aten.div.Tensor_mode", "aten.div.Scalar_mode", "aten.divide.Tensor_mode",
          "aten.divide.Scalar_mode")
def div_mode(e, a, b, rounding_mode=None):
    if rounding_mode is None:
        return div(e, a, b)
    a, b = _numbers(e, a, b)
    if rounding_mode == "floor":
        return floor_quotient(e, a, b)
    return trunc(e, e.div(a, b)) if a.is_float else e.div(a, b)


@lowering("aten.floor_divide.default", "aten.floor_divide.Scalar")
def floor_divide(e, a, b):
    return floor_quotient(e, *_numbers(e, a, b))


def floor_quotient(e, a, b):
    """The quotient rounded down; the remainder corrects roundings of the division."""
    if a.is_float:
        remainder = e.graphcore("Fmod", [a, b], _joint(a, b))
        exact = e.div(e.sub(a, remainder), b)
        below = e.compare("And", e.cast(remainder, torch.bool), _signs_differ(e, remainder, b))
        rounded = e.op("Floor", [e.shifted(exact, 0.5)])
        result = e.sub(rounded, e.cast(below, a.dtype))
        by_zero = e.compare("Equal", b, e.constant(0, b.dtype))
        return e.where(by_zero, e.div(a, b), result)
    quotient = e.div(a, b)
    remainder = e.sub(a, e.mul(quotient, b))
    below = e.binary("And", e.cast(remainder, torch.bool), _signs_differ(e, remainder, b),
                     torch.bool)
    return e.sub(quotient, e.cast(below, quotient.dtype))


def _joint(a, b):
    return broadcast(a.shape, b.shape)


def _signs_differ(e, a, b):
    zero = e.constant(0, a.dtype)
    return e.compare("Xor", e.compare("Less", a, zero), e.compare("Less", b, zero))


@lowering("aten.fmod.Tensor", "aten.fmod.Scalar")
def fmod(e, a, b):
    a, b = _numbers(e, a, b)
    if a.is_float:
        return e.graphcore("Fmod", [a, b], _joint(a, b))
    return e.sub(a, e.mul(e.div(a, b), b))


@lowering("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor")
def remainder(e, a, b):
    a, b = _numbers(e, a, b)
    if a.is_float:
        rest = e.graphcore("Fmod", [a, b], _joint(a, b))
        wrong = e.binary("And", e.cast(rest, torch.bool), _signs_differ(e, rest, b), torch.bool)
        return e.where(wrong, e.add(rest, b), rest)
    return e.sub(a, e.mul(floor_quotient(e, a, b), b))


@lowering("aten.pow.Tensor_Tensor", "aten.pow.Tensor_Scalar", "aten.pow.Scalar")
def power(e, a, b):
    dtype = result_type(a, b)
    if isinstance(b, (int, float)) and isinstance(a, Value):
        found = _small_power(e, wide(e, e.cast(a, dtype)), b)
        if found is not None:
            return found
    a, b = _numbers(e, a, b)
    if not a.is_float:
        return _integer_power(e, a, b)
    if e.training:
        # The power of 0 has no gradient to its exponent, nor one that is 0 to its base.
        no_base, no_exponent = (e.compare("Equal", x, e.constant(0, x.dtype)) for x in (a, b))
        if b.constant is None:
            b, fixed = e.where(no_base, e.detach(b), b), b
        else:
            fixed = b
        if a.constant is None and (b.constant is None or not b.constant.all()):
            a = e.where(e.compare("Equal", fixed, e.constant(0, b.dtype)), e.detach(a), a)
    return e.binary("Pow", a, b)


def _small_power(e, x, exponent):
    """Powers as products, which are right for negative numbers and have simple gradients."""
    if exponent == 0:
        return e.full(x.shape, 1, x.dtype)
    if exponent == 1:
        return x
    if exponent == 2:
        return e.mul(x, x)
    if exponent == 3:
        return e.mul(e.mul(x, x), x)
    if exponent == 0.5 and x.is_float:
        return e.op("Sqrt", [x])
    if exponent == -1 and x.is_float:
        return e.op("Reciprocal", [x])
    return None


def _integer_power(e, a, b):
    """Integers by repeated squaring: torch wraps at 32 bits, and floats would round."""
    result = e.constant(1, a.dtype)
    one, two = e.constant(1, a.dtype), e.constant(2, a.dtype)
    positive = e.op("Max", [b, e.constant(0, b.dtype)], b.shape)
    base = a
    for _ in range(31 if b.constant is None else int(b.constant.max(initial=0)).bit_length()):
        half = e.div(positive, two)
        odd = e.compare("Equal", e.sub(positive, e.mul(half, two)), one)
        result = e.where(odd, e.mul(result, base), result)
        base, positive = e.mul(base, base), half
    if b.constant is None or (b.constant < 0).any():
        result = e.where(e.compare("Less", b, e.constant(0, b.dtype)), _inverse_power(e, a, b),
                         result)
    return e.expand(result, _joint(a, b))


def _inverse_power(e, a, b):
    """Integers to negative powers: 0, but for 1 and -1."""
    zero, one, two = (e.constant(number, a.dtype) for number in range(3))
    half = e.div(b, two)
    even = e.compare("Equal", e.mul(half, two), b)
    units = e.where(even, one, a)
    is_unit = e.compare("Equal", e.mul(a, a), one)
    return e.where(is_unit, units, zero)


@lowering("aten.float_power.Tensor_Tensor", "aten.float_power.Tensor_Scalar",
          "aten.float_power.Scalar")
def float_power(e, a, b):
    """In float32 for torch's float64, where halves overflow."""
    a, b = (e.cast(x, torch.float32) if isinstance(x, Value) else float(x) for x in (a, b))
    return power(e, a, b)


@lowering("aten.atan2.default", "aten.arctan2.default")
def atan2(e, a, b):
    a, b = real_numbers(e, a, b)
    if not e.training:
        return e.graphcore("Atan2", [a, b], _joint(a, b))
    # The angle of (0, 0) has no gradient.
    zero = e.constant(0, a.dtype)
    both = e.compare("And", e.compare("Equal", a, zero), e.compare("Equal", b, zero))
    angle = e.graphcore("Atan2", [a, e.where(both, e.constant(1, b.dtype), b)], _joint(a, b))
    fixed = e.graphcore("Atan2", [e.detach(a), e.detach(b)], _joint(a, b))
    return e.where(both, e.detach(fixed), angle)


def _register_logarithm_product(name, logarithm):
    @lowering(f"aten.{name}.default", f"aten.{name}.Tensor", f"aten.special_{name}.default",
              f"aten.special_{name}.self_scalar", f"aten.special_{name}.other_scalar",
              f"aten.{name}.Scalar_Other", f"aten.{name}.Scalar_Self")
    def lower(e, a, b):
        """a log(b), and 0 if a is 0, but for NaN."""
        a, b = real_numbers(e, a, b)
        value = logarithm(e, b)
        skipped = e.compare("And", e.compare("Equal", a, e.constant(0, a.dtype)),
                            e.logical_not(e.compare("Or", isfinite(e, value), isnan(e, b))))
        zero, one = e.constant(0, a.dtype), e.constant(1, a.dtype)
        product = e.mul(a, logarithm(e, e.where(skipped, one, b)))
        return e.where(skipped, zero, product)


_register_logarithm_product("xlogy", lambda e, x: e.op("Log", [x]))
_register_logarithm_product("xlog1py", lambda e, x: e.graphcore("Log1p", [x]))


@lowering("aten.maximum.default")
def maximum(e, a, b):
    return _extreme(e, "Max", "Or", a, b)


@lowering("aten.minimum.default")
def minimum(e, a, b):
    return _extreme(e, "Min", "And", a, b)


def _extreme(e, kind, logical, a, b):
    a, b = promoted(e, a, b)
    if a.dtype == torch.bool:
        return e.binary(logical, a, b)
    return e.binary(kind, wide(e, a), wide(e, b))


@lowering("aten.clamp.default", "aten.clip.default", "aten.clamp.Tensor", "aten.clip.Tensor")
def clamp(e, x, low=None, high=None, **named):
    low, high = named.get("min", low), named.get("max", high)
    bounds = [bound for bound in (low, high) if bound is not None]
    x = wide(e, e.cast(x, result_type(x, *bounds)))
    if low is not None:
        x = _bounded(e, x, low, "LessOrEqual", maximum)
    if high is not None:
        x = _bounded(e, x, high, "GreaterOrEqual", minimum)
    return x


def _bounded(e, x, bound, beyond, extreme):
    """At a number x has no gradient, and at an equal element half of it. NaN stays."""
    value = wide(e, e.as_value(bound, x.dtype))
    if not isinstance(bound, (int, float)):
        return extreme(e, x, value)
    return e.where(e.compare(beyond, x, value), value, x)


@lowering("aten.clamp_min.default", "aten.clamp_min.Tensor")
def clamp_min(e, x, min):
    return clamp(e, x, min, None)


@lowering("aten.clamp_max.default", "aten.clamp_max.Tensor")
def clamp_max(e, x, max):
    return clamp(e, x, None, max)


@lowering("aten.hardtanh.default")
def hardtanh(e, x, min_val=-1, max_val=1):
    """Like clamp, but integers stay integers, and NaN has no gradient."""
    if not x.is_float:
        min_val, max_val = int(min_val), int(max_val)
    inside = e.compare("And", e.compare("Greater", x, e.constant(min_val, x.dtype)),
                       e.compare("Less", x, e.constant(max_val, x.dtype)))
    return e.where(inside, x, e.detach(clamp(e, x, min_val, max_val)))


@lowering("aten.relu6.default")
def relu6(e, x):
    return hardtanh(e, x, 0, 6)


@lowering("aten.addcmul.default")
def addcmul(e, x, a, b, value=1):
    dtype = result_type(x, a, b)
    product = mul(e, e.cast(a, dtype), e.cast(b, dtype))
    return add(e, e.cast(x, dtype), mul(e, product, value))


@lowering("aten.addcdiv.default")
def addcdiv(e, x, a, b, value=1):
    return add(e, x, mul(e, div(e, a, b), value))


@lowering("aten.lerp.Scalar", "aten.lerp.Tensor")
def lerp(e, a, b, weight):
    return e.add(a, e.mul(e.as_value(weight, a.dtype), e.sub(b, a)))


# ---- Comparisons and logic --------------------------------------------------------------

def _compared(e, a, b):
    """Operands of a comparison; booleans compare as numbers."""
    a, b = promoted(e, a, b)
    return wide(e, a), wide(e, b)


def _register_comparison(name, kind, negated):
    @lowering(f"aten.{name}.Tensor", f"aten.{name}.Scalar")
    def lower(e, a, b):
        result = e.compare(kind, *_compared(e, a, b))
        return e.logical_not(result) if negated else result


for _name, _kind, _negated in (
        ("eq", "Equal", False), ("ne", "Equal", True), ("lt", "Less", False),
        ("gt", "Greater", False), ("le", "LessOrEqual", False), ("ge", "GreaterOrEqual", False)):
    _register_comparison(_name, _kind, _negated)


def _register_logic(name, kind):
    @lowering(f"aten.logical_{name}.default")
    def lower(e, a, b):
        return e.compare(kind, e.cast(a, torch.bool), e.cast(b, torch.bool))


for _name, _kind in (("and", "And"), ("or", "Or"), ("xor", "Xor")):
    _register_logic(_name, _kind)


@lowering("aten.logical_not.default")
def logical_not(e, x):
    return e.logical_not(e.cast(x, torch.bool))


def _register_bitwise(name, logical, kind):
    @lowering(f"aten.bitwise_{name}.Tensor", f"aten.bitwise_{name}.Scalar",
              f"aten.bitwise_{name}.Scalar_Tensor", f"aten.__{name}__.Tensor",
              f"aten.__{name}__.Scalar")
    def lower(e, a, b):
        a, b = promoted(e, a, b)
        if a.dtype == torch.bool:
            return e.compare(logical, a, b)
        return e.binary(kind, wide(e, a), wide(e, b))


for _name, _logical, _kind in (("and", "And", "BitwiseAnd"), ("or", "Or", "BitwiseOr"),
                               ("xor", "Xor", "BitwiseXor")):
    _register_bitwise(_name, _logical, _kind)


@lowering("aten.bitwise_not.default")
def bitwise_not(e, x):
    return e.logical_not(x) if x.dtype == torch.bool else e.op("BitwiseNot", [wide(e, x)])


@lowering("aten.where.self", "aten.where.ScalarOther", "aten.where.ScalarSelf",
          "aten.where.Scalar")
def where(e, condition, a, b):
    a, b = promoted(e, a, b)
    condition = e.cast(condition, torch.bool)
    if a.dtype == torch.bool:
        return e.cast(e.where(condition, e.cast(a, torch.int32), e.cast(b, torch.int32)),
                      torch.bool)
    return e.where(condition, wide(e, a), wide(e, b))


@lowering("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def masked_fill(e, x, mask, value):
    return where(e, mask, e.as_value(value, x.dtype), x)


# ---- Conversions ------------------------------------------------------------------------

@lowering("aten._to_copy.default", "aten.to.dtype", "aten.to.dtype_layout", "aten.to.device",
          "aten.to.other", "aten.type_as.default", "aten.prims_convert_element_type.default",
          "prims.convert_element_type.default")
def to(e, x, *_, **__):
    dtype = narrow(e.out.dtype)
    if x.is_float and not dtype.is_floating_point and dtype not in (torch.bool, torch.int32):
        return e.cast(e.cast(x, torch.int32), dtype)  # wraps, as in torch
    return e.cast(x, dtype)


# ---- Comparisons that skip NaN, and signs -----------------------------------------------

def _skipping_nan(e, function, a, b):
    a, b = promoted(e, a, b)
    if not a.is_float:
        return function(e, a, b)
    a, b = (e.expand(x, _joint(a, b)) for x in (a, b))
    return e.where(isnan(e, a), b, e.where(isnan(e, b), a, function(e, a, b)))


@lowering("aten.fmax.default", "prims.fmax.default")
def fmax(e, a, b):
    return _skipping_nan(e, maximum, a, b)


@lowering("aten.fmin.default", "prims.fmin.default")
def fmin(e, a, b):
    return _skipping_nan(e, minimum, a, b)


@lowering("aten.hypot.default", "prims.hypot.default")
def hypot(e, a, b):
    """The larger one is a factor, so that squares do not overflow."""
    a, b = (e.op("Abs", [x]) for x in promoted(e, a, b))
    high, low = maximum(e, a, b), minimum(e, a, b)
    zero = e.compare("Equal", high, e.constant(0, high.dtype))
    ratio = e.div(low, e.where(zero, e.constant(1, high.dtype), high))
    root = e.op("Sqrt", [e.shifted(e.mul(ratio, ratio), 1)])
    return e.where(isinf(e, high), high, e.mul(high, root))


@lowering("aten.signbit.default", "prims.signbit.default")
def signbit(e, x):
    """True below zero, and of -0, whose reciprocal is -inf."""
    if x.dtype == torch.bool:
        return e.full(x.shape, False, torch.bool)
    x = wide(e, x)
    below = e.compare("Less", x, e.constant(0, x.dtype))
    if not x.is_float:
        return below
    zero = e.compare("Equal", x, e.constant(0, x.dtype))
    safe = e.where(zero, x, e.constant(1, x.dtype))
    negative = e.compare("Less", e.op("Reciprocal", [safe]), e.constant(0, x.dtype))
    return e.compare("Or", below, e.compare("And", zero, negative))


@lowering("aten.copysign.Tensor", "aten.copysign.Scalar")
def copysign(e, a, b):
    a, b = real_numbers(e, a, b)
    differs = e.compare("Xor", signbit(e, e.detach(a)), signbit(e, e.detach(b)))
    a = e.expand(a, _joint(a, b))
    result = e.where(differs, e.op("Neg", [a]), a)
    # 0 has no sign that a gradient could follow.
    return e.where(e.compare("Equal", a, e.constant(0, a.dtype)), e.detach(result), result)


# Torch's decompositions end in these; each is an operator of ATen.
_PRIMS = {name: f"aten.{name}.default" for name in (
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "bitwise_not", "ceil", "cos",
    "cosh", "erf", "exp", "exp2", "expm1", "floor", "isfinite", "log", "log1p", "log2",
    "log10", "neg", "reciprocal", "round", "rsqrt", "sign", "sin", "sinh", "sqrt", "tan", "tanh",
    "trunc", "atan2", "maximum", "minimum")}
_PRIMS.update({name: f"aten.{name}.Tensor" for name in (
    "add", "bitwise_and", "bitwise_or", "bitwise_xor", "eq", "fmod", "ge", "gt", "le", "lt", "mul",
    "ne", "remainder", "sub")})
_PRIMS.update(div="aten.div.Tensor", pow="aten.pow.Tensor_Tensor", where="aten.where.self")
for _name, _aten in _PRIMS.items():
    TABLE.setdefault(f"prims.{_name}.default", TABLE[_aten])
