# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparisons, logic, selection, and operations on bits."""

from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np

from populus.jax import _dtypes
from populus.jax._errors import Unsupported
from populus.jax._graphs import Value
from populus.jax._lower import Equation


def _compare(op_type: str, negated: bool = False) -> Callable:
    def rule(e: Equation, a: Value, b: Value) -> Value:
        if a.type == "bool" and op_type != "Equal":
            a, b = e.graph.cast(a, np.int32), e.graph.cast(b, np.int32)
        result = e.graph.op(op_type, a, b)
        return e.graph.op("Not", result) if negated else result
    return rule


def _total(op_type: str) -> Callable:
    """Comparisons in a total order: -0 is below 0, and NaNs are at the ends."""
    def rule(e: Equation, a: Value, b: Value) -> Value:
        avals = [jax.ShapeDtypeStruct(v.shape, v.dtype) for v in e.ins]
        if not jnp.issubdtype(e.ins[0].dtype, jnp.floating):
            return e.graph.op(op_type, a, b)
        keys = [e.expand(_order, v, avals=[aval])[0] for v, aval in zip((a, b), avals)]
        return e.graph.op(op_type, *keys)
    return rule


def _order(x: Any) -> Any:
    """An integer for each float, in the total order."""
    bits = jax.lax.bitcast_convert_type(x.astype(jnp.float32), jnp.int32)
    return jnp.where(bits < 0, bits ^ jnp.int32(0x7FFFFFFF), bits)


def _logical(of_booleans: str, of_bits: str) -> Callable:
    def rule(e: Equation, *x: Value) -> Value:
        if x[0].type == "bool":
            return e.graph.op(of_booleans, *x)
        return _on_bits(e, of_bits, *x)
    return rule


def _on_bits(e: Equation, op_type: str, *x: Value) -> Value:
    """Narrow integers are computed in 32 bits and wrapped."""
    dtype = e.out.dtype
    wide = np.int32 if np.issubdtype(dtype, np.signedinteger) else np.uint32
    words = [e.graph.cast(v, wide) for v in x]
    return e.graph.cast(e.graph.gc(op_type, *words), dtype)


def _select(e: Equation, which: Value, *cases: Value) -> Value:
    if _dtypes.is_key(e.out.dtype) and which.shape:
        which = e.graph.reshape(which, [*which.shape, 1])
    if which.type == "bool":
        return cases[0] if len(cases) == 1 else e.graph.select(which, cases[1], cases[0])
    result = cases[-1]
    for number in range(len(cases) - 2, -1, -1):
        here = e.graph.op("LessOrEqual", which, e.graph.like(which, number))
        result = e.graph.select(here, cases[number], result)
    return result


def _shift(direction: str, arithmetic: bool) -> Callable:
    """A count of at least the number of bits, or a negative one, shifts everything out."""
    def rule(e: Equation, x: Value, count: Value) -> Value:
        dtype = e.out.dtype
        bits = np.iinfo(dtype).bits
        if bits > 32:
            raise Unsupported("shifts of 64-bit integers, which have 32 bits on the device")
        wide = np.int32 if arithmetic else np.uint32
        if arithmetic and bits < 32:
            # The sign is the highest bit, of unsigned integers, too.
            x = e.graph.cast(x, f"int{bits}")
        word = e.graph.cast(x, wide)
        if not arithmetic and bits < 32:
            word = e.graph.gc("BitwiseAnd", word, e.graph.like(word, (1 << bits) - 1))
        shifted = e.graph.op("BitShift", word, e.graph.cast(count, wide), direction=direction)
        if bits < 32 and direction == "LEFT":
            far = e.graph.op("GreaterOrEqual", e.graph.cast(count, np.uint32),
                             e.graph.core_constant("uint32", bits))
            shifted = e.graph.select(far, e.graph.like(shifted, 0), shifted)
        return e.graph.cast(shifted, dtype)
    return rule


def _population_count(e: Equation, x: Value) -> Value:
    bits = _checked_bits(e)

    def count(v: Any) -> Any:
        w = v.astype(jnp.uint32) & jnp.uint32((1 << bits) - 1)
        w = w - ((w >> 1) & 0x55555555)
        w = (w & 0x33333333) + ((w >> 2) & 0x33333333)
        w = (w + (w >> 4)) & 0x0F0F0F0F
        return ((w * jnp.uint32(0x01010101)) >> 24).astype(v.dtype)
    return e.expand(count, x)[0]


def _leading_zeros(e: Equation, x: Value) -> Value:
    bits = _checked_bits(e)

    def count(v: Any) -> Any:
        w = v.astype(jnp.uint32) & jnp.uint32((1 << bits) - 1)
        for step in (1, 2, 4, 8, 16):
            w = w | (w >> step)
        return (bits - jax.lax.population_count(w).astype(jnp.int32)).astype(v.dtype)
    return e.expand(count, x)[0]


def _checked_bits(e: Equation) -> int:
    bits = np.iinfo(e.ins[0].dtype).bits
    if bits > 32:
        raise Unsupported("bits of 64-bit integers, which have 32 bits on the device")
    return bits


TABLE = {
    "eq": _compare("Equal"), "ne": _compare("Equal", negated=True), "lt": _compare("Less"),
    "le": _compare("LessOrEqual"), "gt": _compare("Greater"), "ge": _compare("GreaterOrEqual"),
    "eq_to": _total("Equal"), "lt_to": _total("Less"), "le_to": _total("LessOrEqual"),
    "and": _logical("And", "BitwiseAnd"), "or": _logical("Or", "BitwiseOr"),
    "xor": _logical("Xor", "BitwiseXor"), "not": _logical("Not", "BitwiseNot"),
    "select_n": _select, "shift_left": _shift("LEFT", False),
    "shift_right_logical": _shift("RIGHT", False),
    "shift_right_arithmetic": _shift("RIGHT", True),
    "population_count": _population_count, "clz": _leading_zeros,
}
