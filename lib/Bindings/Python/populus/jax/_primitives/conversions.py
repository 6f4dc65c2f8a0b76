# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conversions between number formats, and of bits."""

from typing import Any

import jax
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
    if old.itemsize < 4 and new.itemsize == old.itemsize and old.kind in "iu" and new.kind in "iu":
        return e.graph.cast(x, new)
    if {old.name, new.name} == {"float16", "uint16"} or {old.name, new.name} == {
            "float16", "int16"} or "bfloat16" in (old.name, new.name):
        raise Unsupported(f"the bits of {old.name} as {new.name}")
    raise Unsupported(f"from {old.name} to {new.name}")


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
    if bits == (5, 10):
        return e.graph.cast(e.graph.cast(x, np.float16), e.out.dtype)
    raise Unsupported(f"to {bits[0]} bits of exponent and {bits[1]} of mantissa")


TABLE = {
    "convert_element_type": _convert, "bitcast_convert_type": _reinterpret,
    "reduce_precision": _reduce_precision,
}
