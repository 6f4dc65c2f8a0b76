# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arithmetic of floats and integers, and functions of one number."""

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

from populus.jax._errors import Unsupported
from populus.jax._graphs import Value
from populus.jax._lower import Equation


def _is_float(e: Equation) -> bool:
    return jax.numpy.issubdtype(e.out.dtype, np.floating)


def _same(op_type: str, domain: str = "") -> Callable:
    """An operator of PopIR with the same operands and result."""
    def rule(e: Equation, *x: Value) -> Value:
        return e.graph.ops(op_type, x, 1, domain)[0]
    return rule


def _by_kind(of_floats: Callable, of_integers: Callable) -> Callable:
    def rule(e: Equation, *x: Value) -> Value:
        return (of_floats if _is_float(e) else of_integers)(e, *x)
    return rule


def _as_is(e: Equation, *x: Value) -> Value:
    return x[0]


def _add(e: Equation, a: Value, b: Value) -> Value:
    return e.graph.op("Or" if a.type == "bool" else "Add", a, b)


def _multiply(e: Equation, a: Value, b: Value) -> Value:
    return e.graph.op("And" if a.type == "bool" else "Mul", a, b)


def _extreme(of_numbers: str, of_booleans: str) -> Callable:
    """The larger or smaller one; NaN where either is NaN."""
    def rule(e: Equation, a: Value, b: Value) -> Value:
        if a.type == "bool":
            return e.graph.op(of_booleans, a, b)
        result = e.graph.op(of_numbers, a, b)
        if not _is_float(e):
            return result
        for x in (a, b):
            number = e.graph.number(x)
            if number is None or number != number:
                result = e.graph.select(e.graph.op("IsNaN", x), x, result)
        return result
    return rule


def _clamp(e: Equation, low: Value, x: Value, high: Value) -> Value:
    """NaN stays NaN."""
    result = e.graph.op("Min", e.graph.op("Max", x, low), high)
    return e.graph.select(e.graph.op("IsNaN", x), x, result) if _is_float(e) else result


def _divide_integers(e: Equation, a: Value, b: Value) -> Value:
    """Towards zero. XLA gives -1 where the divisor is 0."""
    zero = e.graph.op("Equal", b, e.graph.like(b, 0))
    quotient = e.graph.op("Div", a, e.graph.select(zero, e.graph.like(b, 1), b))
    return e.graph.select(zero, e.graph.like(b, _all_ones(e.out.dtype)), quotient)


def _remainder_of_integers(e: Equation, a: Value, b: Value) -> Value:
    """With the sign of the dividend; the dividend where the divisor is 0."""
    zero = e.graph.op("Equal", b, e.graph.like(b, 0))
    rest = e.graph.op("Mod", a, e.graph.select(zero, e.graph.like(b, 1), b), fmod=1)
    return e.graph.select(zero, a, rest)


def _all_ones(dtype: Any) -> int:
    return -1 if np.issubdtype(dtype, np.signedinteger) else int(np.iinfo(dtype).max)


def _remainder_of_floats(e: Equation, a: Value, b: Value) -> Value:
    return e.graph.op("Mod", a, b, fmod=1)


def _integer_power(e: Equation, x: Value) -> Value:
    """By repeated squaring, as XLA does."""
    exponent = e.params["y"]
    if exponent == 0:
        return e.graph.expand(e.graph.like(x, 1), x.shape)
    result, square, rest = None, x, abs(exponent)
    while rest:
        if rest & 1:
            result = square if result is None else e.graph.mul(result, square)
        rest >>= 1
        if rest:
            square = e.graph.mul(square, square)
    return e.graph.op("Reciprocal", result) if exponent < 0 else result


def _power(e: Equation, x: Value, y: Value) -> Value:
    """The exponent may be an integer; IEEE's special cases are put right."""
    if not _is_float(e):
        return e.expand(_power_of_integers, x, y)[0]
    exponent = e.graph.cast(y, e.ins[0].dtype)
    one = e.graph.like(x, 1)
    result = e.graph.op("Pow", x, exponent)
    if e.graph.number(exponent) == 0.5:
        # The device has a square root, of which -0 and -inf are other cases.
        result = e.graph.op("Abs", result)
        infinite = e.graph.op("Equal", x, e.graph.like(x, -np.inf))
        result = e.graph.select(infinite, e.graph.like(x, np.inf), result)
    trivial = e.graph.op("Or", e.graph.op("Equal", x, one),
                         e.graph.op("Equal", exponent, e.graph.like(exponent, 0)))
    return e.graph.select(trivial, one, result)


def _power_of_integers(x: Any, y: Any) -> Any:
    result, square = jnp.ones_like(x), x
    for bit in range(31):
        result = jnp.where((y >> bit) & 1, result * square, result)
        square = square * square
    return result


def _exponential_of_two(e: Equation, x: Value) -> Value:
    return e.graph.op("Pow", e.graph.expand(e.graph.like(x, 2), x.shape), x)


def _inverse_root(e: Equation, x: Value) -> Value:
    return e.graph.op("Reciprocal", e.graph.op("Sqrt", x))


def _cube_root(e: Equation, x: Value) -> Value:
    """A power of the magnitude, made exact by a step of Newton."""
    def root(v: Any) -> Any:
        size = jnp.abs(v)
        normal = (size > 0) & jnp.isfinite(size)
        held = jnp.where(normal, size, 1)
        guess = jnp.exp(jnp.log(held) * (1 / 3))
        guess = guess - (guess - held / (guess * guess)) * (1 / 3)
        return jnp.where(normal, jnp.sign(v) * guess, v)
    return e.expand(root, x)[0]


def _round(e: Equation, x: Value) -> Value:
    to_even = str(getattr(e.params["rounding_method"], "name", "")) == "TO_NEAREST_EVEN"
    if to_even:
        return e.graph.op("Round", x)
    def away(v: Any) -> Any:
        size = jnp.abs(v)
        down = jnp.floor(size)
        return jnp.copysign(down + (size - down >= 0.5).astype(v.dtype), v)
    return e.expand(away, x)[0]


def _sign(e: Equation, x: Value) -> Value:
    """Keeps NaN and the sign of zero."""
    result = e.graph.op("Sign", x)
    if not _is_float(e):
        return result
    odd = e.graph.op("Or", e.graph.op("IsNaN", x), e.graph.op("Equal", x, e.graph.like(x, 0)))
    return e.graph.select(odd, x, result)


def _square(e: Equation, x: Value) -> Value:
    return e.graph.mul(x, x)


def _absolute(e: Equation, x: Value) -> Value:
    return x if x.type.startswith("uint") or x.type == "bool" else e.graph.op("Abs", x)


def _negative(e: Equation, x: Value) -> Value:
    if x.type.startswith("uint"):
        return e.graph.op("Sub", e.graph.like(x, 0), x)
    return e.graph.op("Neg", x)


def _upper_product(e: Equation, x: Value, y: Value) -> Value:
    """The upper half of the product of two integers, by halves of words."""
    kind = np.dtype(e.out.dtype)
    if kind.itemsize > 4:
        raise Unsupported("of 64-bit integers, which have 32 bits on the device")
    if kind.itemsize < 4:
        def narrow(a: Any, b: Any) -> Any:
            wide = jnp.int32 if kind.kind == "i" else jnp.uint32
            return ((a.astype(wide) * b.astype(wide)) >> (8 * kind.itemsize)).astype(kind)
        return e.expand(narrow, x, y)[0]

    def upper(a: Any, b: Any) -> Any:
        u, v = a.astype(jnp.uint32), b.astype(jnp.uint32)
        low_u, high_u, low_v, high_v = u & 0xFFFF, u >> 16, v & 0xFFFF, v >> 16
        middle = high_u * low_v + ((low_u * low_v) >> 16)
        other = low_u * high_v + (middle & 0xFFFF)
        result = high_u * high_v + (middle >> 16) + (other >> 16)
        if kind.kind == "i":
            result = result - jnp.where(a < 0, v, 0) - jnp.where(b < 0, u, 0)
        return result.astype(kind)
    return e.expand(upper, x, y)[0]


def _next_after(e: Equation, x: Value, y: Value) -> Value:
    def after(a: Any, b: Any) -> Any:
        bits = jax.lax.bitcast_convert_type(a, jnp.int32)
        up = (b > a) == (a > 0)
        moved = jax.lax.bitcast_convert_type(bits + jnp.where(up, 1, -1), jnp.float32)
        smallest = jax.lax.bitcast_convert_type(jnp.int32(1), jnp.float32)
        moved = jnp.where(a == 0, jnp.where(b > 0, smallest, -smallest), moved)
        return jnp.where(jnp.isnan(a) | jnp.isnan(b), jnp.nan, jnp.where(a == b, b, moved))
    return e.expand(after, x, y)[0]


def _finite(e: Equation, x: Value) -> Value:
    bad = e.graph.op("Or", e.graph.op("IsNaN", x), e.graph.op("IsInf", x))
    return e.graph.op("Not", bad)


TABLE = {
    "add": _add, "add_any": _add, "sub": _same("Sub"), "mul": _multiply,
    "div": _by_kind(_same("Div"), _divide_integers),
    "rem": _by_kind(_remainder_of_floats, _remainder_of_integers),
    "max": _extreme("Max", "Or"), "min": _extreme("Min", "And"), "clamp": _clamp,
    "neg": _negative, "abs": _absolute, "sign": _sign, "square": _square,
    "floor": _by_kind(_same("Floor"), _as_is), "ceil": _by_kind(_same("Ceil"), _as_is),
    "round": _round, "integer_pow": _integer_power, "pow": _power, "sqrt": _same("Sqrt"),
    "rsqrt": _inverse_root, "cbrt": _cube_root, "exp": _same("Exp"),
    "exp2": _exponential_of_two, "log": _same("Log"),
    "expm1": _same("Expm1", "ai.graphcore"), "log1p": _same("Log1p", "ai.graphcore"),
    "logistic": _same("Sigmoid"), "tanh": _same("Tanh"), "sin": _same("Sin"),
    "cos": _same("Cos"), "tan": _same("Tan"), "asin": _same("Asin"), "acos": _same("Acos"),
    "atan": _same("Atan"), "sinh": _same("Sinh"), "cosh": _same("Cosh"),
    "asinh": _same("Asinh"), "acosh": _same("Acosh"), "atanh": _same("Atanh"),
    "atan2": _same("Atan2", "ai.graphcore"), "erf": _same("Erf"), "nextafter": _next_after,
    "is_finite": _finite, "real": _as_is, "conj": _as_is,
    "mulhi": _upper_product,
}
