# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between number formats, and of bits."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from populus.jax import _dtypes
from populus.jax._errors import Unsupported
from populus.jax._graphs import Graph, Value
from populus.jax._lower import Equation


def converted(graph: Graph, x: Value, old: Any, new: Any) -> Value:
    """As XLA converts: to bool what is not 0; floats to integers towards zero, held in range,
    with NaN as 0."""
    if np.dtype(new) == np.dtype(np.bool_):
        if x.type == "bool":
            return x
        return graph.op("Not", graph.op("Equal", x, graph.like(x, 0)))
    if jax.numpy.issubdtype(old, np.floating) and jax.numpy.issubdtype(new, np.integer):
        return _to_integer(graph, x, new)
    return graph.cast(x, new)


def _to_integer(graph: Graph, x: Value, new: Any) -> Value:
    name = _dtypes.ir_type(new)
    limits = np.iinfo(_dtypes.ELEMENTS[name])
    x = graph.cast(x, np.float32)
    low, high = np.float32(limits.min), np.float32(limits.max)
    inside = graph.op("Max", x, graph.like(x, low))
    # The largest integers of 32 bits are no floats: what is above is selected by itself.
    top = high if float(high) <= limits.max else np.nextafter(high, np.float32(0))
    inside = graph.op("Min", inside, graph.like(x, top))
    inside = graph.select(graph.op("IsNaN", x), graph.like(x, 0), inside)
    result = graph.cast(inside, new)
    if top != high:
        above = graph.op("GreaterOrEqual", x, graph.like(x, high))
        result = graph.select(above, graph.like(result, limits.max), result)
    return result


def _convert(e: Equation, x: Value) -> Value:
    return converted(e.graph, x, e.ins[0].dtype, e.out.dtype)


def _reinterpret(e: Equation, x: Value) -> Value:
    old, new = np.dtype(e.ins[0].dtype), np.dtype(e.out.dtype)
    if {old.name, new.name} <= {"float32", "int32", "uint32"}:
        return reinterpreted(e.graph, x, new)
    if old.itemsize != new.itemsize or old.itemsize > 2:
        raise Unsupported(f"from {old.name} to {new.name}")
    if old == new:
        return x
    bits = _BITS_OF.get(old.name, _as_unsigned)
    value = _VALUE_OF.get(new.name, lambda v: v)
    return e.expand(lambda v: value(bits(v)).astype(new), x)[0]


def _as_unsigned(x: Any) -> Any:
    mask = (1 << jnp.iinfo(x.dtype).bits) - 1
    return x.astype(jnp.uint32) & jnp.uint32(mask)


def _word(x: Any) -> Any:
    return jax.lax.bitcast_convert_type(x.astype(jnp.float32), jnp.uint32)


def _bits_of_half(x: Any) -> Any:
    """The bits of a float16 from its fields as a float32."""
    word = _word(x)
    sign, size = (word >> 16) & 0x8000, word & 0x7FFFFFFF
    # Numbers below 2^-14 are multiples of 2^-24.
    small = (jnp.abs(x.astype(jnp.float32)) * jnp.float32(2 ** 24)).astype(jnp.uint32)
    normal = (size >> 13) - ((127 - 15) << 10)
    bits = jnp.where(size < (113 << 23), small, normal)
    bits = jnp.where(size >= (0xFF << 23), jnp.uint32(0x7C00) | ((size >> 13) & 0x3FF), bits)
    return sign | bits


def _half_of_bits(bits: Any) -> Any:
    sign = jnp.where(bits & 0x8000, jnp.float32(-1), jnp.float32(1))
    size = bits & 0x7FFF
    small = size.astype(jnp.float32) * jnp.float32(2 ** -24)
    normal = jax.lax.bitcast_convert_type((size << 13) + jnp.uint32((127 - 15) << 23),
                                          jnp.float32)
    value = jnp.where(size < 0x400, small, normal)
    value = jnp.where(size == 0x7C00, jnp.inf, jnp.where(size > 0x7C00, jnp.nan, value))
    return sign * value


def _bfloat_of_bits(bits: Any) -> Any:
    return jax.lax.bitcast_convert_type(bits << 16, jnp.float32)


_BITS_OF = {"float16": _bits_of_half, "bfloat16": lambda x: _word(x) >> 16}
_VALUE_OF = {"float16": _half_of_bits, "bfloat16": _bfloat_of_bits}


def reinterpreted(graph: Graph, x: Value, new: Any) -> Value:
    """The bits of a word as another word."""
    if x.type == _dtypes.ir_type(new):
        return x
    return graph.gc("Reinterpret", x, to=_dtypes.onnx_number(new))


def rounded_to_bfloat16(graph: Graph, x: Value) -> Value:
    """The nearest bfloat16 of a float32, ties to even: its upper 16 bits."""
    word = reinterpreted(graph, x, np.uint32)
    odd = graph.gc("BitwiseAnd", graph.op("BitShift", word, graph.like(word, 16),
                                          direction="RIGHT"), graph.like(word, 1))
    moved = graph.add(graph.add(word, graph.like(word, 0x7FFF)), odd)
    kept = graph.gc("BitwiseAnd", moved, graph.like(word, 0xFFFF0000))
    return graph.select(graph.op("IsNaN", x), x, reinterpreted(graph, kept, np.float32))


def _reduce_precision(e: Equation, x: Value) -> Value:
    bits = e.params["exponent_bits"], e.params["mantissa_bits"]
    if bits == (8, 23) or (bits == (5, 10) and x.type == "float16"):
        return x
    if bits == (8, 7):
        return e.graph.cast(rounded_to_bfloat16(e.graph, e.graph.cast(x, np.float32)),
                            e.out.dtype)
    if bits[0] > 8 or bits[1] > 23 or bits[0] < 2:
        raise Unsupported(f"to {bits[0]} bits of exponent and {bits[1]} of mantissa")
    return e.expand(lambda v: _of_precision(v.astype(jnp.float32), *bits).astype(v.dtype), x)[0]


def _of_precision(x: Any, exponent: int, mantissa: int) -> Any:
    """The nearest number with fewer bits, ties to even; beyond its range infinity, below its
    normal numbers zero."""
    word = _word(x)
    sign, size = word & jnp.uint32(0x80000000), word & 0x7FFFFFFF
    lost = 23 - mantissa
    if lost:
        size = size + jnp.uint32((1 << (lost - 1)) - 1) + ((size >> lost) & 1)
        size = size & jnp.uint32((0xFFFFFFFF << lost) & 0xFFFFFFFF)
    bias = (1 << (exponent - 1)) - 1
    if exponent < 8:
        size = jnp.where(size >= jnp.uint32((127 + bias + 1) << 23), 0x7F800000, size)
        size = jnp.where(size < jnp.uint32((127 - bias + 1) << 23), 0, size)
    return jnp.where(jnp.isnan(x), x, jax.lax.bitcast_convert_type(sign | size, jnp.float32))


TABLE = {
    "convert_element_type": _convert, "bitcast_convert_type": _reinterpret,
    "reduce_precision": _reduce_precision,
}
