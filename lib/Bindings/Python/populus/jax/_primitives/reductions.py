# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over dimensions."""

import math
from typing import Any, Callable, List, Sequence

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from populus.jax._graphs import Value
from populus.jax._lower import Equation


def _reduce(op_type: str, neutral: Callable[[Any], Any]) -> Callable:
    """A reduction; of no elements, its neutral element."""
    def rule(e: Equation, x: Value) -> Value:
        axes = list(e.params["axes"])
        if 0 in x.shape:
            return e.graph.expand(e.graph.like(x, neutral(np.dtype(e.out.dtype))), e.out.shape)
        return e.graph.reduce(op_type, x, axes)
    return rule


def _lowest(dtype: np.dtype) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _highest(dtype: np.dtype) -> Any:
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.inf


def _extreme(op_type: str, neutral: Callable) -> Callable:
    """The largest or smallest element; NaN where there is one."""
    plain = _reduce(op_type, neutral)

    def rule(e: Equation, x: Value) -> Value:
        result = plain(e, x)
        if x.type not in ("float", "float16") or 0 in x.shape or not e.params["axes"]:
            return result
        nans = e.graph.cast(e.graph.op("IsNaN", x), np.float32)
        some = e.graph.reduce("ReduceMax", nans, e.params["axes"])
        bad = e.graph.op("Greater", some, e.graph.core_constant("float", 0))
        return e.graph.select(bad, e.graph.like(x, np.nan), result)
    return rule


def _of_booleans(op_type: str, empty: bool, of_integers: Callable) -> Callable:
    def rule(e: Equation, x: Value) -> Value:
        if x.type != "bool":
            return _of_bits(e, x, of_integers, -1 if empty else 0)
        if 0 in x.shape:
            return e.graph.expand(e.graph.core_constant("bool", empty), e.out.shape)
        number = e.graph.cast(x, np.float32)
        result = e.graph.reduce(op_type, number, e.params["axes"])
        return e.graph.op("Greater", result, e.graph.like(result, 0.5))
    return rule


def _parity(e: Equation, x: Value) -> Value:
    if x.type != "bool":
        return _of_bits(e, x, jax.lax.bitwise_xor, 0)
    total = e.graph.reduce("ReduceSum", e.graph.cast(x, np.int32), e.params["axes"])
    odd = e.graph.gc("BitwiseAnd", total, e.graph.like(total, 1))
    return e.graph.op("Equal", odd, e.graph.like(odd, 1))


def _place(op_type: str) -> Callable:
    """The place of the first largest or smallest element; of the first NaN if there is one."""
    def rule(e: Equation, x: Value) -> Value:
        g, axis = e.graph, int(e.params["axes"][0])
        if x.type == "bool":
            x = g.cast(x, np.int32)
        if x.type in ("float", "float16"):
            extreme = np.inf if op_type == "ArgMax" else -np.inf
            nan = g.op("IsNaN", x)
            plain = g.op(op_type, g.select(nan, g.like(x, extreme), x), axis=axis, keepdims=0)
            numbers = g.cast(nan, np.float32)
            first = g.op("ArgMax", numbers, axis=axis, keepdims=0)
            some = g.op("Greater", g.reduce("ReduceMax", numbers, [axis]),
                        g.core_constant("float", 0))
            result = g.select(some, first, plain)
        else:
            result = g.op(op_type, x, axis=axis, keepdims=0)
        return g.cast(result, e.params["index_dtype"])
    return rule


def _general(e: Equation, *args: Value) -> List[Value]:
    """A reduction by a function of its own, of one or several operands."""
    count = len(args) // 2
    if not e.params["dimensions"]:
        return list(args[:count])
    scalar = jax.extend.core.jaxpr_as_fun(e.params["jaxpr"])

    def function(*values: Any) -> Any:
        rows = [_rows(x, e.params["dimensions"]) for x in values[:count]]
        return [x.reshape(e.outs[0].shape) for x in _halved(scalar, rows, values[count:])]
    return e.expand(function, *args)


def _of_bits(e: Equation, x: Value, combine: Callable, start: int) -> Value:
    def function(v: Any) -> Any:
        rows = [_rows(v, e.params["axes"])]
        first = jnp.asarray(start, jnp.int32).astype(v.dtype)
        return _halved(lambda a, b: [combine(a, b)], rows, [first])[0].reshape(e.out.shape)
    return e.expand(function, x)[0]


def _rows(x: Any, axes: Sequence[int]) -> Any:
    """[elements that are combined, others]"""
    rest = [d for d in range(x.ndim) if d not in axes]
    x = x.transpose(*axes, *rest)
    return x.reshape(math.prod(x.shape[:len(axes)]), math.prod(x.shape[len(axes):]))


def _halved(scalar: Callable, rows: Sequence[Any], starts: Sequence[Any]) -> List[Any]:
    """Combines halves until one row is left."""
    rows = [jnp.concatenate([jnp.broadcast_to(start, (1, x.shape[1])), x])
            for x, start in zip(rows, starts)]
    combine = jax.vmap(jax.vmap(scalar))
    while rows[0].shape[0] > 1:
        half = rows[0].shape[0] // 2
        joined = combine(*(x[:half] for x in rows), *(x[half:2 * half] for x in rows))
        rows = [jnp.concatenate([a, x[2 * half:]]) for a, x in zip(joined, rows)]
    return list(rows)


TABLE = {
    "reduce_sum": _reduce("ReduceSum", lambda dtype: 0),
    "reduce_prod": _reduce("ReduceProd", lambda dtype: 1),
    "reduce_max": _extreme("ReduceMax", _lowest),
    "reduce_min": _extreme("ReduceMin", _highest),
    "reduce_and": _of_booleans("ReduceMin", True, jax.lax.bitwise_and),
    "reduce_or": _of_booleans("ReduceMax", False, jax.lax.bitwise_or), "reduce_xor": _parity,
    "reduce": _general, "argmax": _place("ArgMax"), "argmin": _place("ArgMin"),
}
