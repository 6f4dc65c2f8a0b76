# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting. PopIR's Sort is stable and returns places; several keys are sorted one after the
other, the least significant first."""

from typing import Any, List

import jax
import jax.numpy as jnp
import numpy as np

from populus.jax import _dtypes
from populus.jax._errors import Unsupported
from populus.jax._graphs import Graph, Value
from populus.jax._lower import Equation


def _ordered(e: Equation, x: Value, dtype: Any, zeros_equal: bool = True) -> Value:
    """A key whose order as an integer is that of XLA: NaNs behind everything, and zeros equal
    except for top_k."""
    name = np.dtype(dtype).name
    if name in ("float32", "float16", "bfloat16"):
        def key(v: Any) -> Any:
            v = v.astype(jnp.float32)
            v = jnp.where(v == 0, jnp.float32(0), v) if zeros_equal else v
            bits = jax.lax.bitcast_convert_type(v, jnp.int32)
            flipped = jnp.where(bits < 0, bits ^ jnp.int32(0x7FFFFFFF), bits)
            return jnp.where(jnp.isnan(v), jnp.int32(0x7FFFFFFF), flipped)
        return e.expand(key, x, avals=[jax.ShapeDtypeStruct(x.shape, dtype)])[0]
    if name in ("uint32", "uint64"):
        def shifted(v: Any) -> Any:
            return jax.lax.bitcast_convert_type(v ^ jnp.uint32(0x80000000), jnp.int32)
        return e.expand(shifted, x, avals=[jax.ShapeDtypeStruct(x.shape, jnp.uint32)])[0]
    return e.graph.cast(x, np.int32)


def _taken(g: Graph, x: Value, places: Value, axis: int) -> Value:
    if x.type == "bool":
        return g.cast(g.op("GatherElements", g.cast(x, np.int32), places, axis=axis), np.bool_)
    return g.op("GatherElements", x, places, axis=axis)


def _sort(e: Equation, *x: Value) -> List[Value]:
    g, axis, keys = e.graph, e.params["dimension"], e.params["num_keys"]
    if 0 in x[0].shape or x[0].shape[axis] == 1:
        return list(x)
    values = list(x)
    ordered = [_ordered(e, v, a.dtype) for v, a in zip(x[:keys], e.ins)]
    for number in range(keys - 1, -1, -1):
        _, places = g.ops("Sort", [ordered[number]], 2, "ai.graphcore", axis=axis)
        values = [_taken(g, v, places, axis) for v in values]
        ordered = [_taken(g, v, places, axis) for v in ordered]
    return values


def _top_k(e: Equation, x: Value) -> List[Value]:
    """The largest elements; of equal ones the first."""
    g, k = e.graph, int(e.params["k"])
    axis = int(e.params.get("axis", len(x.shape) - 1)) % len(x.shape)
    if 0 in e.outs[0].shape:
        return [g.expand(g.core_constant(_dtypes.ir_type(out.dtype), 0), out.shape)
                for out in e.outs]
    key = _ordered(e, x, e.ins[0].dtype, zeros_equal=False)
    reverse = g.gc("BitwiseNot", key)
    _, places = g.ops("Sort", [reverse], 2, "ai.graphcore", axis=axis)
    places = g.slice_axis(places, axis, 0, k)
    return [_taken(g, x, places, axis), g.cast(places, e.outs[1].dtype)]


def _approximate_top_k(e: Equation, x: Value) -> List[Value]:
    """The exact result, as on the CPU."""
    g, axis, k = e.graph, e.params["reduction_dimension"], e.params["k"]
    if e.params.get("reduction_input_size_override", -1) not in (-1, x.shape[axis]) or (
            not e.params.get("aggregate_to_topk", True)):
        raise Unsupported("of a part of the elements")
    key = _ordered(e, x, e.ins[0].dtype)
    key = g.gc("BitwiseNot", key) if e.params["is_max_k"] else key
    _, places = g.ops("Sort", [key], 2, "ai.graphcore", axis=axis)
    places = g.slice_axis(places, axis, 0, k)
    return [_taken(g, x, places, axis), g.cast(places, e.outs[1].dtype)]


TABLE = {"sort": _sort, "top_k": _top_k, "approx_top_k": _approximate_top_k}
