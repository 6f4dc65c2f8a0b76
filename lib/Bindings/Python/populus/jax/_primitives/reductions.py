# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over dimensions."""

import math
from typing import Any, Callable, List

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np

from populus.jax._errors import Unsupported
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


def _of_booleans(op_type: str, empty: bool) -> Callable:
    def rule(e: Equation, x: Value) -> Value:
        if x.type != "bool":
            raise Unsupported("of integers")
        if 0 in x.shape:
            return e.graph.expand(e.graph.core_constant("bool", empty), e.out.shape)
        number = e.graph.cast(x, np.float32)
        result = e.graph.reduce(op_type, number, e.params["axes"])
        return e.graph.op("Greater", result, e.graph.like(result, 0.5))
    return rule


def _parity(e: Equation, x: Value) -> Value:
    if x.type != "bool":
        raise Unsupported("of integers")
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
    """A reduction by a function of its own: halves are combined until one element is left."""
    if len(args) != 2:
        raise Unsupported("of several operands")
    axes = tuple(e.params["dimensions"])
    scalar = jax.extend.core.jaxpr_as_fun(e.params["jaxpr"])
    rest = [d for d in range(len(e.ins[0].shape)) if d not in axes]

    def function(x: Any, start: Any) -> Any:
        combine = jax.vmap(lambda a, b: scalar(a, b)[0])
        x = x.transpose(*axes, *rest)
        x = x.reshape(-1, math.prod(x.shape[len(axes):]))
        x = jnp.concatenate([jnp.broadcast_to(start, (1, x.shape[1])), x])
        while x.shape[0] > 1:
            half = x.shape[0] // 2
            joined = combine(x[:half].reshape(-1), x[half:2 * half].reshape(-1))
            x = jnp.concatenate([joined.reshape(half, -1), x[2 * half:]])
        return x.reshape(e.out.shape)
    return e.expand(function, *args)


TABLE = {
    "reduce_sum": _reduce("ReduceSum", lambda dtype: 0),
    "reduce_prod": _reduce("ReduceProd", lambda dtype: 1),
    "reduce_max": _extreme("ReduceMax", _lowest),
    "reduce_min": _extreme("ReduceMin", _highest),
    "reduce_and": _of_booleans("ReduceMin", True),
    "reduce_or": _of_booleans("ReduceMax", False), "reduce_xor": _parity,
    "reduce": _general, "argmax": _place("ArgMax"), "argmin": _place("ArgMin"),
}
